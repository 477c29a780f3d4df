"""What the asker should know of a speed that is computed in part, or leaves something out."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, note
from sizing.memory import Load


def speed_warnings(load: Load) -> Iterator[Note]:
    """Say what of the asked settings the speed leaves out, or only computes."""
    if load.prefix_caching:
        yield note("prefix_caching_uncounted")
    if load.drafter is not None:
        yield note("speculation_unmeasured")


def speed_assumptions(load: Load) -> Iterator[Note]:
    """Say what was taken from publications where the asker did not say it."""
    if load.drafter is not None and load.drafter.is_published:
        yield note(
            "published_acceptance",
            acceptance=load.drafter.acceptance,
            method=load.drafter.method.value,
        )
