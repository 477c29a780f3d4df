"""The program `gpusize`: a process that lives as long as one answer, or one file of them."""

from __future__ import annotations

import gc

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""New objects after which Python looks for unreachable ones.

Its own 700 is for programs that make and drop them; here the catalogue and the grammar are made
once and kept, and looking them through again and again takes a tenth of the time of an answer.
"""


def main() -> int:
    """Answer the question on the command line and return the exit status."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from bot.cli import main as answer

    status = answer()
    # The process ends: nothing that is left has to be looked through once more.
    gc.freeze()
    return status
