"""Where the asker's own limits leave no set: of GPUs, or of known speed."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, Option, SizingAnswer, note
from sizing.request import SizingRequest, Targets

PRAISE = frozenset({"smallest", "recommended", "cheapest"})
"""Marks of sets that hold what was asked."""


def limit_warnings(request: SizingRequest, options: tuple[Option, ...]) -> Iterator[Note]:
    """Say where the asker's own limit on the number of GPUs leaves no set."""
    if request.max_gpus and not options:
        yield note("none_within_limit", max_gpus=request.max_gpus)


def wish_warnings(targets: Targets, options: tuple[Option, ...]) -> Iterator[Note]:
    """Say that no set is known to keep the wishes about speed: the nearest, or that none is."""
    if targets == Targets():
        return
    nearest = next((row for row in options if _is_nearest(row)), None)
    if nearest is not None:
        yield note("limits_missed", gpus=nearest.gpus, gpu=nearest.gpu)
    elif options and not any(row.performance for row in options):
        yield note("limits_unweighed")


def without_marks(answer: SizingAnswer) -> SizingAnswer:
    """Return the answer without what sets are praised for: none is known to answer the rate."""
    options = (
        one.model_copy(update={"reasons": tuple(r for r in one.reasons if r.code not in PRAISE)})
        for one in answer.options
    )
    return answer.model_copy(update={"options": tuple(options)})


def _is_nearest(option: Option) -> bool:
    return any(reason.code == "nearest" for reason in option.reasons)
