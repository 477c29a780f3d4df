"""The load of the last year."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from sizing.request import Mode, SizingRequest
from sizing.spec.demand import demand_of, growth_factor
from sizing.spec.request import Workload
from sizing.spec.wishes import GrowthWishes


@pytest.mark.parametrize(
    ("percent", "years", "factor"),
    [(None, 5, 1), (0, 5, 1), (20, None, 1.728), (20, 2, 1.44), (100, 1, 2), (50, 0.5, 1.2247)],
)
def test_growth_is_compound(percent, years, factor) -> None:
    """1.2 x 1.2 x 1.2 = 1.728 over the three years that are taken where none are said."""
    wishes = GrowthWishes(growth_percent=percent, horizon_years=years)
    assert growth_factor(wishes) == pytest.approx(factor, abs=5e-5)


def test_people_send_requests() -> None:
    """300 people x 12 requests an hour / 3,600 s = 1 request a second."""
    workload = Workload(request=SizingRequest(), people=300, requests_per_person_per_hour=12)
    assert workload.requests_per_s == 1
    grown = demand_of(workload, 1.728)
    assert (grown.requests_per_s, grown.concurrent_requests) == (1.728, None)


def test_requests_in_flight_are_rounded_up() -> None:
    """10 x 1.44 = 14.4."""
    workload = Workload(request=SizingRequest(concurrent_requests=10))
    assert demand_of(workload, 1.44).concurrent_requests == 15
    assert demand_of(workload, 1).concurrent_requests == 10


def test_a_training_run_does_not_grow_with_users() -> None:
    request = SizingRequest(mode=Mode.LORA, concurrent_requests=4)
    assert demand_of(Workload(request=request), 2) == request


def test_people_without_their_rate_say_nothing() -> None:
    with pytest.raises(ValidationError):
        Workload(request=SizingRequest(), people=10)
