"""The load a purchase has to carry: that of today, grown to the last of its years."""

from __future__ import annotations

from math import ceil

from sizing.request import Mode, SizingRequest
from sizing.spec.request import Workload
from sizing.spec.wishes import GrowthWishes

DEFAULT_YEARS = 3.0
"""Years that growth is counted over where nobody says it: the shortest usual warranty."""


def growth_factor(wishes: GrowthWishes) -> float:
    """Return the load of the last year over that of today: compound growth, each year alike."""
    if not wishes.growth_percent:
        return 1.0
    years = wishes.horizon_years or DEFAULT_YEARS
    factor: float = (1 + wishes.growth_percent / 100) ** years
    return factor


def demand_of(workload: Workload, factor: float) -> SizingRequest:
    """Return the question about a workload `factor` times as busy as it was told.

    Requests in flight are rounded up; a training run does not grow with its users.
    """
    request = workload.request
    if request.mode is not Mode.INFER:
        return request
    rate = workload.requests_per_s
    in_flight = request.concurrent_requests
    grown = {
        "requests_per_s": rate and rate * factor,
        "concurrent_requests": in_flight and ceil(in_flight * factor),
    }
    return request.model_copy(update=grown)
