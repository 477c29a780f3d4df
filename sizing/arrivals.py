"""Requests in flight from a rate of arrivals: Little's law, with room for uneven arrivals."""

from __future__ import annotations

from sizing.answer import Note, Option, note
from sizing.defaults import LARGEST_USE
from sizing.placement import Placer
from sizing.ranking import first_choice
from sizing.request import Mode, SizingRequest, Targets
from sizing.speed.wishes import in_flight_at

READING_ITL_MS = 100.0
"""Time between tokens at which an answer is written faster than people read it."""


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
    if speed.output_tokens is None:
        return None
    return (speed.ttft_ms.typical + speed.output_tokens * speed.itl_ms.typical) / 1e3


def requests_in_flight(request: SizingRequest, placer: Placer, requests_per_s: float) -> int | None:
    """Return the requests in flight at that rate on the set that answers them, with room.

    A set is proposed by what it answers each second, whatever is in flight; how much that is
    follows from its speed. None where no set is found or its speed is not known.
    """
    first = first_choice(request, placer)
    return in_flight_at(first, placer, requests_per_s / LARGEST_USE) if first else None


def keeps_up(requests_per_s: float, requests: int, option: Option) -> bool:
    """Return whether a set with so many in flight has room for uneven arrivals at that rate."""
    time_s = latency_s(option)
    return time_s is not None and requests >= requests_per_s / LARGEST_USE * time_s


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
    """Say where a set does not keep up with what arrives, or without room for uneven arrivals."""
    speed = option.performance
    if speed is None or speed.requests_per_s is None:
        return None
    reached = speed.requests_per_s.typical
    return note(
        "rate_beyond" if reached < requests_per_s else "rate_without_room",
        requests_per_s=requests_per_s,
        reached_per_s=reached,
    )


def heard_notes(requests_per_s: float, option: Option) -> dict[str, tuple[Note, ...]] | None:
    """Return what is said of a set that hears at that rate, a request of one window each.

    Assumptions and warnings, by their names; None where its speed is not known.
    """
    speed = option.performance
    if speed is None or speed.windows_per_s is None:
        return None
    reached = speed.windows_per_s.typical
    if reached * LARGEST_USE >= requests_per_s:
        told = note(
            "heard_in_time",
            requests_per_s=requests_per_s,
            reached_per_s=reached,
            used_percent=100 * requests_per_s / reached,
        )
        return {"assumptions": (told,)}
    short = rate_note(requests_per_s, option)
    return {"warnings": (short,) if short else ()}


def unknown_note(requests_per_s: float) -> Note:
    """Say that the requests in flight do not follow: no set answers them, or none has a speed."""
    return note("rate_unplaced", requests_per_s=requests_per_s)
