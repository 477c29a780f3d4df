"""Goodput: what a set serves while every wish about speed is kept (DistServe, arXiv 2401.09670)."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.performance import Bounds, Goodput
from sizing.speed.case import Case
from sizing.speed.serving import itl_s
from sizing.speed.targets import Limits
from sizing.speed.wishes import first_of_batch_s, most_in_time


@dataclass(frozen=True)
class _Served:
    """Requests in flight of one replica inside the limits, and the rate that follows."""

    requests: int
    requests_per_s: float


def goodput_of(case: Case, limits: Limits, inside: int) -> Goodput:
    """Return the requests in flight and each second inside the limits, of `inside` typical ones.

    The low bound keeps to them at the high bounds of both times, the high bound at their low ones.
    """
    first, between = case.spread("ttft_random"), case.spread("itl")
    typical = _served(case, inside, 1.0, 1.0)
    low = _within(case, limits, first.high, between.high)
    high = _within(case, limits, first.low, between.low)
    served = (low, typical, high)
    each, rates = (
        _bounds([one.requests for one in served]),
        _bounds([one.requests_per_s for one in served]),
    )
    return Goodput(
        concurrent_requests=_all(each, case.replicas),
        requests_per_s=_all(rates, case.replicas),
        concurrent_requests_per_replica=each,
        replica_requests_per_s=rates,
    )


def _within(case: Case, limits: Limits, first: float, between: float) -> _Served:
    """Return what is served where times are so many times the typical ones."""
    scaled = Limits(first_s=limits.first_s / first, between_s=limits.between_s / between)
    return _served(case, most_in_time(case, scaled), first, between)


def _served(case: Case, requests: int, first: float, between: float) -> _Served:
    """Return requests in flight over the time of each (Little 1961)."""
    if not requests:
        return _Served(0, 0.0)
    written_s = case.work.output_tokens * itl_s(case.work, case.pace, requests)
    time_s = first_of_batch_s(case, requests) * first + written_s * between
    return _Served(requests, requests / time_s)


def _bounds(values: list[float]) -> Bounds:
    return Bounds(low=values[0], typical=values[1], high=values[2])


def _all(bounds: Bounds, replicas: int) -> Bounds:
    return _bounds([bounds.low * replicas, bounds.typical * replicas, bounds.high * replicas])
