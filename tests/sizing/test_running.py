"""From dollars an hour to dollars a million tokens, by hand and by what must always hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.performance import Estimate
from sizing.price import Terms
from sizing.running import (
    break_even_hours,
    capped,
    electricity_usd_per_hour,
    energy_wh_per_thousand,
    exactly,
    fixed_usd_per_month,
    in_use_per_month,
    owned_usd_per_hour,
    sum_of,
    usd_per_million,
)

TERMS = Terms(lifetime_years=3, hours_per_day=24, pue=1.54, electricity_usd_per_kwh=0.13)
RATE = Estimate(low=1_500, typical=1_900, high=2_400)
CARDS = Estimate(low=50_000, typical=55_000, high=60_000)
POWER_W = 1_400.0


def test_two_h100_at_an_hourly_price() -> None:
    """8.38 USD an hour; 1,900 tokens/s are 6.84 million an hour: 8.38 / 6.84 = 1.2251 USD.

    The slowest rate is the dearest token: 8.38 / 5.40 = 1.5519; 8.38 / 8.64 = 0.9699.
    """
    cost = usd_per_million(exactly(8.38), RATE)
    assert cost.typical == pytest.approx(1.2251, abs=5e-5)
    assert cost.high == pytest.approx(1.5519, abs=5e-5)
    assert cost.low == pytest.approx(0.9699, abs=5e-5)


def test_energy_of_a_thousand_tokens() -> None:
    """1,400 W x 1.54 = 2,156 W; / 1,900 tokens/s = 1.1347 J; a thousand 1,134.7 J, 0.3152 Wh."""
    energy = energy_wh_per_thousand(POWER_W * 1.54, RATE)
    assert energy.typical == pytest.approx(0.3152, abs=5e-5)
    assert energy.low < energy.typical < energy.high


def test_an_hour_owned() -> None:
    """55,000 USD / (3 x 365 x 24 h) = 2.0928; 1.4 kW x 1.54 x 0.13 = 0.2803: 2.3731 USD."""
    assert electricity_usd_per_hour(POWER_W, TERMS) == pytest.approx(0.28028)
    assert owned_usd_per_hour(CARDS, POWER_W, TERMS).typical == pytest.approx(2.3731, abs=5e-5)


def test_half_the_hours_double_the_part_of_the_purchase() -> None:
    """12 hours a day: 2 x 2.0928 + 0.2803 = 4.4659 USD for each of them."""
    terms = TERMS.model_copy(update={"hours_per_day": 12})
    assert owned_usd_per_hour(CARDS, POWER_W, terms).typical == pytest.approx(4.4659, abs=1e-4)


def test_a_month() -> None:
    """55,000 / 36 months = 1,527.78; 8.38 x 24 x 365 / 12 = 6,117.40."""
    assert fixed_usd_per_month(CARDS, TERMS).typical == pytest.approx(1_527.78, abs=5e-3)
    assert in_use_per_month(8.38, 24) == pytest.approx(6_117.40, abs=5e-3)


def test_hours_from_which_buying_pays() -> None:
    """55,000 / (3 x 365) = 50.228 USD a day; 8.38 - 0.28028 saved an hour: 6.2012 hours."""
    hours = break_even_hours(CARDS, 8.38 - 0.28028, 3)
    assert hours is not None
    assert hours.typical == pytest.approx(6.2012, abs=5e-5)
    assert hours.low == pytest.approx(hours.typical * 50 / 55)


@pytest.mark.parametrize("saved", [0.0, -0.1])
def test_where_an_hour_rented_costs_no_more_buying_never_pays(saved: float) -> None:
    assert break_even_hours(CARDS, saved, 3) is None


@pytest.mark.parametrize(
    ("most", "low", "typical"),
    [(1_200, 1_200, 1_200), (1_700, 1_500, 1_700), (9_999, 1_500, 1_900)],
)
def test_no_more_is_written_than_is_asked(most: float, low: float, typical: float) -> None:
    found = capped(RATE, most)
    assert (found.low, found.typical) == (low, typical)


amounts = st.floats(0.01, 1e6)
hours_of_a_day = st.floats(0.1, 24)


def terms_with(hours: float, kwh: float) -> Terms:
    return TERMS.model_copy(update={"hours_per_day": hours, "electricity_usd_per_kwh": kwh})


@given(amounts, hours_of_a_day, hours_of_a_day, st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_month_never_gets_cheaper_with_hours_or_dearer_electricity(
    power_w: float, hours: float, more: float, kwh: float, dearer: float
) -> None:
    little, much = sorted((hours, more))
    cheap, dear = sorted((kwh, dearer))

    def month(hours: float, kwh: float) -> float:
        running = electricity_usd_per_hour(power_w, terms_with(hours, kwh))
        return sum_of(fixed_usd_per_month(CARDS, TERMS), in_use_per_month(running, hours)).typical

    assert month(little, cheap) <= month(much, cheap) <= month(much, dear)


@given(hours_of_a_day, st.floats(0.01, 1), amounts)
def test_hours_times_price_is_what_the_month_costs(
    hours: float, kwh: float, power_w: float
) -> None:
    """An hour owned, times the hours in use, is the month's part of purchase and electricity."""
    terms = terms_with(hours, kwh)
    hourly = owned_usd_per_hour(CARDS, power_w, terms)
    parts = sum_of(
        fixed_usd_per_month(CARDS, terms),
        in_use_per_month(electricity_usd_per_hour(power_w, terms), hours),
    )
    assert in_use_per_month(hourly.typical, hours) == pytest.approx(parts.typical)


@given(st.floats(1, 1e5), st.floats(1.1, 10))
def test_at_the_break_even_both_cost_the_same(cards_usd: float, rent_usd: float) -> None:
    """Owned for that many hours a day, an hour costs what it costs rented."""
    running = electricity_usd_per_hour(POWER_W, TERMS)
    hours = break_even_hours(exactly(cards_usd), rent_usd - running, TERMS.lifetime_years)
    assert hours is not None
    terms = terms_with(hours.typical, TERMS.electricity_usd_per_kwh)
    assert owned_usd_per_hour(exactly(cards_usd), POWER_W, terms).typical == pytest.approx(rent_usd)
