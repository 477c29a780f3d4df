"""The terminal's standard streams: whatever becomes of them, no traceback is the answer."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Self


def prepare_streams() -> None:
    """Make the standard streams take every text: none is missing, none stops at a letter."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # The caller has closed it: what is said there is for nobody.
            setattr(sys, name, os.fdopen(_nowhere(), "w", encoding="utf-8"))
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            # A terminal without Unicode shows question marks rather than a traceback.
            stream.reconfigure(errors="replace")


def give_up_output() -> None:
    """Let what Python still wants to write at exit go nowhere."""
    os.dup2(_nowhere(), sys.stdout.fileno())


def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY)


class Reported:
    """Writes the traceback of a fault to standard error under a number, and goes on."""

    def __init__(self) -> None:
        self.error_id = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        from bot.errors import CodedError

        # One with a sentence of its own, such as a full log, would meet every other question too.
        if not isinstance(error, Exception) or isinstance(error, CodedError):
            return False
        import secrets
        import traceback

        self.error_id = secrets.token_hex(4)
        sys.stderr.write(f"error {self.error_id}\n")
        traceback.print_exception(error, file=sys.stderr)
        return True
