"""Requests of one replica that we promise inside a limit between tokens, beside measured ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from tools.speed.folds import HeldOut
from tools.speed.promises import PROMISES, TOO_MANY, Point, best_promise, points


@dataclass(frozen=True)
class Kept:
    """How promises of one fold stood beside what was measured; shares of the points."""

    points: int
    broken: float
    """More was promised than measured."""
    broken_by_far: float
    """More than `TOO_MANY` times the measured."""
    typical: float
    """Median of promised over measured users, where any were measured inside the limit."""
    less_than_half: float
    """Less than half of the measured users were promised."""


def kept_promises(rows: Iterable[HeldOut], fold: str) -> Kept:
    """Return how promises stood whose caution is taken from other models, or GPUs, alone."""
    found = list(_promised(points(rows, fold)))
    shares = [promised / point.measured for point, promised in found if point.measured]
    return Kept(
        points=len(found),
        broken=sum(point.is_broken(promised) for point, promised in found) / len(found),
        broken_by_far=sum(point.is_broken(promised, TOO_MANY) for point, promised in found)
        / len(found),
        typical=median(shares),
        less_than_half=sum(share < 0.5 for share in shares) / len(shares),
    )


def _promised(found: list[Point]) -> Iterator[tuple[Point, int]]:
    for name in sorted({point.left_out for point in found}):
        promise = best_promise([[point for point in found if point.left_out != name]])
        place = PROMISES.index(promise)
        yield from ((point, point.promised[place]) for point in found if point.left_out == name)
