"""Requests of one replica that we promise inside a limit between tokens, beside measured ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sizing.speed.estimating import promised_users
from tools.speed.folds import HeldOut

LIMITS_MS = (15.0, 20.0, 25.0, 30.0, 40.0, 50.0)
"""Limits between two tokens that services ask for."""

TOO_MANY = 1.5
"""Multiple of the measured users from which a promise is broken by far."""

LEAST_POINTS = 2
"""Concurrencies of one configuration that make a curve."""


@dataclass(frozen=True)
class Point:
    """One curve at one limit."""

    measured: float
    """Largest measured requests in flight whose time was inside; 0 where none was."""
    least: float
    """Smallest measured requests in flight."""
    promised: float

    @property
    def is_broken(self) -> bool:
        """Return whether more was promised than measured; where none was, than the least tried."""
        return self.promised > (self.measured or self.least)

    @property
    def is_broken_by_far(self) -> bool:
        """Return whether it was more than half as many again."""
        return self.promised > (TOO_MANY * self.measured or self.least)


Curve = Sequence[tuple[float, float, float]]
"""Requests in flight of one replica, measured time and ours, by requests, ms."""


def points(
    rows: Iterable[HeldOut], fold: str, promise: Callable[[float], float] = promised_users
) -> list[Point]:
    """Return each curve at each limit that its measured times cross.

    A curve that stays inside a limit says nothing about how many would have been too many.
    """
    return [
        _point(curve, limit_ms, promise)
        for curve in curves(rows, fold)
        for limit_ms in LIMITS_MS
        if curve[-1][1] > limit_ms
    ]


def curves(rows: Iterable[HeldOut], fold: str) -> Iterator[Curve]:
    """Yield the times between tokens of one configuration over the requests in flight."""
    found: dict[tuple[object, ...], list[tuple[float, float, float]]] = {}
    for held in rows:
        row = held.case.row
        if row.kind != "itl" or row.concurrency is None:
            continue
        key = (
            row.hf_id, row.precision, row.kv_precision, row.engine, row.version, row.source,
            row.gpu, row.tensor_parallel, row.pipeline_parallel, row.data_parallel, row.replicas,
            row.input_tokens, row.output_tokens,
        )  # fmt: skip
        point = (row.concurrency / row.replicas, row.value, held.estimates[fold])
        found.setdefault(key, []).append(point)
    for points_of_one in found.values():
        if len({each for each, _, _ in points_of_one}) >= LEAST_POINTS:
            yield sorted(points_of_one)


def _point(curve: Curve, limit_ms: float, promise: Callable[[float], float]) -> Point:
    inside = [users for users, measured_ms, _ in curve if measured_ms <= limit_ms]
    crossing = _crossing([(users, ours_ms) for users, _, ours_ms in curve], limit_ms)
    return Point(max(inside, default=0.0), curve[0][0], promise(crossing))


def _crossing(ours: Sequence[tuple[float, float]], limit_ms: float) -> float:
    """Return the requests at which our time reaches the limit, between points on a straight line.

    Below the first point the time is taken to be the same, beyond the last nothing is promised.
    """
    if ours[0][1] > limit_ms:
        return 0.0
    for (users, time_ms), (more, longer_ms) in pairwise(ours):
        if longer_ms > limit_ms:
            return users + (more - users) * (limit_ms - time_ms) / (longer_ms - time_ms)
    return ours[-1][0]
