"""What is told of one set of GPUs: whether it runs, and the marks and wishes it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sizing.answer import Verdict

if TYPE_CHECKING:
    from sizing.answer import Note, Option

ROLES = ("asked", "nearest", "smallest", "recommended", "cheapest", "unjudged", "too_slow")
"""Reasons that place an option; the table shows them as words."""

KEPT = frozenset({"time_kept", "rate_kept"})
"""Wishes about speed that even the bounds of the estimate keep."""

DOUBTS = frozenset({"time_near", "time_broken", "rate_near", "rate_broken"})
"""Wishes that the bounds of the estimate do not keep, or not all of it."""

STOPS = (
    "ffn_not_divisible", "scales_parted", "experts_not_divisible", "vocabulary_not_divisible",
)  # fmt: skip
"""Reasons for which engines stop at start-up, although the memory would do."""

_RUNS = frozenset({Verdict.FITS, Verdict.TIGHT})


def stop_of(option: Option) -> Note | None:
    """Return why engines stop at start-up with a split for which the memory would do."""
    if option.verdict not in _RUNS:
        return None
    return next((note for note in option.reasons if note.code in STOPS), None)


def is_running(option: Option) -> bool:
    """Return whether the option has the memory, and a split that engines start with."""
    return option.verdict in _RUNS and stop_of(option) is None


def keeps_all(option: Option) -> bool:
    """Return whether the option fits and keeps every wish that was told, for certain."""
    codes = reason_codes(option)
    return option.verdict is Verdict.FITS and bool(codes & KEPT) and not codes & DOUBTS


def reason_codes(option: Option) -> frozenset[str]:
    """Return the codes of an option's reasons."""
    return frozenset(note.code for note in option.reasons)


def wish_notes(option: Option) -> tuple[Note, ...]:
    """Return whether each wish about speed is kept, or why no speed is named."""
    judged = KEPT | DOUBTS
    reasons = option.reasons
    told = tuple(note for note in reasons if note.code in judged)
    return told or tuple(note for note in reasons if note.code.startswith("speed_"))


def is_in_doubt(option: Option) -> bool:
    """Return whether the option may break a wish about speed."""
    return bool(reason_codes(option) & DOUBTS)
