"""How cautiously users are promised: what would have been kept on models and GPUs unseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sizing.records import Promise
from sizing.speed.estimating import promised_users
from tools.speed.folds import LEFT_OUT, HeldOut

Array = np.ndarray[Any, Any]

LIMITS_MS = (15.0, 20.0, 25.0, 30.0, 40.0, 50.0)
"""Limits between two tokens that services ask for."""

TOO_MANY = 1.5
"""Multiple of the measured users from which a promise is broken by far."""

LEAST_POINTS = 2
"""Concurrencies of one configuration that make a curve."""

PROMISES = tuple(
    Promise(time=1 + time / 20, share=share / 20) for time in range(11) for share in range(10, 21)
)
"""Promises that are weighed: up to half as much time again, and down to half of the requests."""

MOST_BROKEN = 0.04
"""Share of held-out points that may be broken by far: a little below what is aimed for."""

Curve = Sequence[tuple[float, float, float]]
"""Requests in flight of one replica, measured time and ours, by requests, ms."""


@dataclass(frozen=True)
class Point:
    """One curve at one limit that its measured times cross."""

    left_out: str
    """What the fit had not seen: its model, or its GPU."""
    measured: float
    """Largest measured requests in flight whose time was inside; 0 where none was."""
    least: float
    """Smallest measured requests in flight."""
    promised: tuple[int, ...]
    """Users by each of `PROMISES`."""

    def is_broken(self, promised: float, times: float = 1.0) -> bool:
        """Return whether more was promised than `times` those measured; else, than least tried."""
        return promised > (times * self.measured or self.least)


def points(rows: Iterable[HeldOut], fold: str) -> list[Point]:
    """Return each curve at each limit that its measured times cross.

    A curve that stays inside a limit says nothing about how many would have been too many.
    """
    return [
        _point(name, curve, limit_ms)
        for name, curve in curves(rows, fold)
        for limit_ms in LIMITS_MS
        if curve[-1][1] > limit_ms
    ]


def best_promise(of_folds: Iterable[list[Point]]) -> Promise:
    """Return what promises most among those that are broken by far seldom enough in each fold.

    The median of promised over measured users decides; where none is kept often enough, the
    most cautious one is returned.
    """
    most = np.zeros(len(PROMISES))
    for found in of_folds:
        promised = np.array([point.promised for point in found], dtype=float)
        measured = np.array([point.measured for point in found])
        least = np.array([point.least for point in found])
        limit = np.where(measured > 0, TOO_MANY * measured, least)
        broken = (promised > limit[:, None]).mean(axis=0)
        told = measured > 0
        typical = np.median(promised[told] / measured[told, None], axis=0)
        most = np.where(broken <= MOST_BROKEN, most + typical, -np.inf)
    return PROMISES[int(np.argmax(most))] if most.max() > 0 else PROMISES[-11]


def curves(rows: Iterable[HeldOut], fold: str) -> Iterator[tuple[str, Curve]]:
    """Yield the times between tokens of one configuration, and what the fit had not seen."""
    found: dict[tuple[object, ...], list[tuple[float, float, float]]] = {}
    for held in rows:
        row = held.case.row
        if row.kind != "itl" or row.concurrency is None:
            continue
        key = (
            LEFT_OUT[fold](held.case), row.hf_id, row.precision, row.kv_precision, row.engine,
            row.version, row.source, row.gpu, row.tensor_parallel, row.pipeline_parallel,
            row.data_parallel, row.replicas, row.input_tokens, row.output_tokens,
        )  # fmt: skip
        point = (row.concurrency / row.replicas, row.value, held.estimates[fold])
        found.setdefault(key, []).append(point)
    for key, of_one in found.items():
        if len({each for each, _, _ in of_one}) >= LEAST_POINTS:
            yield str(key[0]), sorted(of_one)


def _point(name: str, curve: Curve, limit_ms: float) -> Point:
    inside = [users for users, measured_ms, _ in curve if measured_ms <= limit_ms]
    ours = [(users, ours_ms) for users, _, ours_ms in curve]
    crossed = {time: crossing(ours, limit_ms / time) for time in {each.time for each in PROMISES}}
    return Point(
        left_out=name,
        measured=max(inside, default=0.0),
        least=curve[0][0],
        promised=tuple(promised_users(crossed[1.0], crossed[each.time], each) for each in PROMISES),
    )


def crossing(ours: Sequence[tuple[float, float]], limit_ms: float) -> float:
    """Return the requests at which our time reaches the limit, between points on a straight line.

    Below the first point the time is taken to be the same, beyond the last nothing is promised.
    """
    if ours[0][1] > limit_ms:
        return 0.0
    for (users, time_ms), (more, longer_ms) in pairwise(ours):
        if longer_ms > limit_ms:
            return users + (more - users) * (limit_ms - time_ms) / (longer_ms - time_ms)
    return ours[-1][0]
