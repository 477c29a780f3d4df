"""Answers of the last requests: the engine is pure, so the same request has the same answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TypeVar

from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import SizingRequest

KEPT_ANSWERS = 128
"""Answers kept for the next who asks the same."""

AnswerT = TypeVar("AnswerT")


def remembered(
    compute: Callable[[SizingRequest], AnswerT], *, most: int
) -> Callable[[SizingRequest], AnswerT]:
    """Return `compute` with the answers of the `most` last requests kept.

    Requests that carry a model of their own are computed each time.
    """
    kept = lru_cache(maxsize=most)(compute)

    def answer(request: SizingRequest) -> AnswerT:
        return kept(request) if request.given is None else compute(request)

    return answer


def sizer(catalogue: Catalogue) -> Callable[[SizingRequest], SizingAnswer]:
    """Return what sizes requests with the facts of `catalogue`."""
    return remembered(partial(size, catalogue=catalogue), most=KEPT_ANSWERS)
