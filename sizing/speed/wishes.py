"""How many requests a set serves inside the wishes about speed, and at a rate of arrivals."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from math import ceil

from sizing.placement import Placement, Placer
from sizing.speed.case import Case, case_of
from sizing.speed.searching import largest
from sizing.speed.serving import first_at_random_s, first_s, itl_s
from sizing.speed.targets import Limits, limits_of


def latency_s(case: Case, batch: int) -> float:
    """Return the seconds that one answer takes while `batch` requests of a copy are in flight."""
    return first_of_batch_s(case, batch) + case.work.output_tokens * itl_s(
        case.work, case.pace, batch
    )


def first_of_batch_s(case: Case, batch: int) -> float:
    """Return the seconds to the first token: of a request alone, or of one of many."""
    if batch == 1:
        return first_s(case.work, case.pace)
    return first_at_random_s(case.work, case.pace, batch)


def requests_in_time(placement: Placement, placer: Placer) -> int | None:
    """Return the most requests of one copy that keep to the wishes about speed.

    None where there is no wish, or nothing comparable was measured. Typical figures decide.
    """
    if _limits(placer) is None:
        return None
    key = ("in_time", *_one_copy(placement))
    return placer.remember(key, lambda: _found_in_time(placement, placer))


def rate_in_time(placement: Placement, placer: Placer) -> float | None:
    """Return the requests that one copy answers each second inside the wishes about speed.

    Requests in flight over the time of each (Little 1961), no more of them than find room at the
    high bound of all overheads. None where there is no wish, or nothing comparable was measured.
    """
    if _limits(placer) is None:
        return None
    key = ("rate", *_one_copy(placement))
    return placer.remember(key, lambda: _found_rate(placement, placer))


def in_flight_at(placement: Placement, placer: Placer, requests_per_s: float) -> int | None:
    """Return the requests in flight, all copies, when so many arrive each second.

    All that the set holds where it does not keep up; None where no speed is known.
    """
    case = _single_case(placement, placer)
    if case is None:
        return None
    return in_flight(case, placement.layout.replicas, requests_per_s)


def in_flight(case: Case, copies: int, requests_per_s: float) -> int:
    """Return the requests in flight when so many arrive each second at that many copies.

    Rate x time of one (Little 1961), which depends on how many there are; at most what they hold.
    """

    def is_short(batch: int) -> bool:
        return batch * copies < requests_per_s * latency_s(case, batch)

    batch = largest(case.full, is_short) + 1
    if batch > case.full:
        return case.full * copies
    return ceil(requests_per_s * latency_s(case, batch))


def keeps_wishes(placement: Placement, placer: Placer) -> bool | None:
    """Return whether the asked load keeps to the wishes about speed; typical figures decide.

    None where there is no wish, or nothing comparable was measured.
    """
    load, limits = placer.load, _limits(placer)
    if limits is None:
        return None
    case = case_of(placement, load, placer.precision, placer.catalogue)
    if not isinstance(case, Case):
        return None
    is_held = load.concurrent_requests <= case.full * case.replicas
    return is_held and limits.are_kept(case.work, case.pace, case.batch)


def is_judged(placement: Placement, placer: Placer) -> bool:
    """Return whether there is a speed to hold wishes and rates against, or nothing to hold."""
    if _limits(placer) is None and placer.load.requests_per_s is None:
        return True
    return _single_case(placement, placer) is not None


def most_in_time(case: Case, limits: Limits, *, times: float = 1.0) -> int:
    """Return the most requests of one copy at which `times` its figures keep to the limits."""
    return largest(case.full, partial(limits.are_kept, case.work, case.pace, times=times))


def _found_in_time(placement: Placement, placer: Placer) -> int | None:
    limits, case = _limits(placer), _single_case(placement, placer)
    if limits is None or case is None:
        return None
    return most_in_time(case, limits)


def _found_rate(placement: Placement, placer: Placer) -> float | None:
    found, case = requests_in_time(placement, placer), _single_case(placement, placer)
    if found is None or case is None:
        return None
    safe = placement.requests_held(placer.load.request_tokens, safe=True)
    requests = min(found, safe * placement.layout.data_parallel)
    return requests / latency_s(case, requests) if requests else 0.0


def _single_case(placement: Placement, placer: Placer) -> Case | None:
    """Return the case of one copy; None where no speed with several requests is known."""
    key = ("case", *_one_copy(placement))
    case = placer.remember(
        key, lambda: case_of(placement, placer.load, placer.precision, placer.catalogue)
    )
    return case if isinstance(case, Case) and case.batches else None


def _one_copy(placement: Placement) -> tuple[Hashable, ...]:
    """Return what the speed of one copy depends on."""
    gpu, layout = placement.gpu, placement.layout
    alone = layout if layout.replicas == 1 else replace(layout, replicas=1)
    return (gpu.id, gpu.usable_mib, alone, placement.shares)


def _limits(placer: Placer) -> Limits | None:
    return placer.remember("limits", lambda: limits_of(placer.load.targets))
