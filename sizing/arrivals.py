"""Requests in flight from a rate of arrivals: Little's law, with room for uneven arrivals."""

from __future__ import annotations

from math import ceil

from sizing.answer import Note, Option, note
from sizing.defaults import LARGEST_USE
from sizing.request import Mode, SizingRequest, Targets

READING_ITL_MS = 100.0
"""Time between tokens at which an answer is written faster than people read it."""

SETTLED = 1.02
"""Requests in flight that differ by less are the same to a set."""

MOST_ROUNDS = 12
"""Rounds after which the requests in flight no longer change, or never will."""


def asks_rate(request: SizingRequest) -> bool:
    """Return whether the load is told as a rate alone."""
    is_told = request.requests_per_s is not None and request.concurrent_requests is None
    return is_told and request.mode is Mode.INFER


def with_reading_speed(request: SizingRequest) -> SizingRequest:
    """Return the request with a limit between tokens, where it names no wish about speed."""
    if request.targets != Targets():
        return request
    return request.model_copy(update={"targets": Targets(itl_ms=READING_ITL_MS)})


def latency_s(option: Option) -> float | None:
    """Return the seconds that one answer takes on an option; None where no speed is named."""
    speed = option.performance
    if speed is None or speed.ttft_ms is None or speed.itl_ms is None:
        return None
    return (speed.ttft_ms.typical + speed.output_tokens * speed.itl_ms.typical) / 1e3


def in_flight(requests_per_s: float, option: Option) -> int | None:
    """Return the requests in flight at that rate: rate x time of one (Little 1961), with room."""
    time_s = latency_s(option)
    return None if time_s is None else max(1, ceil(requests_per_s / LARGEST_USE * time_s))


def is_settled(needed: int, requests: int) -> bool:
    """Return whether a set sized for `requests` serves the `needed` ones, within rounding."""
    return needed <= ceil(requests * SETTLED)


def arrival_note(requests_per_s: float, requests: int, option: Option) -> Note:
    """Say how the requests in flight follow from the rate."""
    return note(
        "littles_law",
        requests_per_s=requests_per_s,
        time_s=latency_s(option),
        used_percent=100 * LARGEST_USE,
        concurrent_requests=requests,
    )


def rate_note(requests_per_s: float, option: Option) -> Note | None:
    """Say where a set does not answer as many requests as arrive; None where it does."""
    speed = option.performance
    if speed is None or speed.requests_per_s is None:
        return None
    reached = speed.requests_per_s.typical
    if reached >= requests_per_s:
        return None
    return note("rate_beyond", requests_per_s=requests_per_s, reached_per_s=reached)
