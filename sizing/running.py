"""Arithmetic of running costs: from dollars an hour to dollars a million tokens."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.performance import Estimate
from sizing.price import Terms
from sizing.records import ApiQuote, FacilityRecord
from sizing.spending import Spending

HOURS_PER_DAY = 24.0
"""Hours of a day in use unless the asker says otherwise."""

SECONDS_PER_HOUR = 3600
DAYS_PER_YEAR = 365
MONTHS_PER_YEAR = 12
MILLION = 10**6
W_PER_KW = 1000


def terms_of(asked: Spending, site: FacilityRecord | None) -> Terms | None:
    """Return what owning is computed with: as asked, else the catalogue's figures."""
    if site is None:
        return None
    return Terms(
        lifetime_years=asked.lifetime_years or site.lifetime_years,
        hours_per_day=asked.hours_per_day or HOURS_PER_DAY,
        pue=asked.pue or site.pue,
        electricity_usd_per_kwh=asked.electricity_usd_per_kwh or site.electricity_usd_per_kwh,
    )


def exactly(value: float) -> Estimate:
    """Return a known figure as an estimate without width."""
    return Estimate(low=value, typical=value, high=value)


def capped(rate: Estimate, most: float) -> Estimate:
    """Return a rate that is never above `most`."""
    return Estimate(
        low=min(rate.low, most), typical=min(rate.typical, most), high=min(rate.high, most)
    )


def all_times(estimate: Estimate, factor: float) -> Estimate:
    """Return the estimate and its bounds times a factor."""
    return Estimate(
        low=estimate.low * factor, typical=estimate.typical * factor, high=estimate.high * factor
    )


def sum_of(estimate: Estimate, known: float) -> Estimate:
    """Return the estimate and its bounds plus a known figure."""
    return Estimate(
        low=estimate.low + known, typical=estimate.typical + known, high=estimate.high + known
    )


def total_of(estimates: Iterable[Estimate]) -> Estimate | None:
    """Return the sum of all estimates and of their bounds; None of none."""
    terms = tuple(estimates)
    if not terms:
        return None
    return Estimate(
        low=sum(each.low for each in terms),
        typical=sum(each.typical for each in terms),
        high=sum(each.high for each in terms),
    )


def usd_per_million(usd_per_hour: Estimate, tokens_per_s: Estimate) -> Estimate:
    """Return USD per hour over tokens per hour, times a million: slow is the high bound."""
    per_hour = all_times(tokens_per_s, SECONDS_PER_HOUR / MILLION)
    return Estimate(
        low=usd_per_hour.low / per_hour.high,
        typical=usd_per_hour.typical / per_hour.typical,
        high=usd_per_hour.high / per_hour.low,
    )


def api_usd_per_million(quote: ApiQuote, written_share: float) -> Estimate:
    """Return a million tokens of which a share is written, the rest read: weighted prices."""

    def blended(read_usd: float, written_usd: float) -> float:
        return read_usd + (written_usd - read_usd) * written_share

    return Estimate(
        low=blended(
            quote.input_low_usd_per_million_tokens, quote.output_low_usd_per_million_tokens
        ),
        typical=blended(quote.input_usd_per_million_tokens, quote.output_usd_per_million_tokens),
        high=blended(
            quote.input_high_usd_per_million_tokens, quote.output_high_usd_per_million_tokens
        ),
    )


def share_of(part: Estimate, whole: Estimate) -> Estimate:
    """Return one estimate over another: the lowest over the highest is the low bound."""
    return Estimate(
        low=part.low / whole.high,
        typical=part.typical / whole.typical,
        high=part.high / whole.low,
    )


def energy_wh_per_thousand(power_w: float, tokens_per_s: Estimate) -> Estimate:
    """Return watts over tokens per second for a thousand tokens, in Wh: 1 Wh is 3,600 J."""
    joules = power_w * 1000 / SECONDS_PER_HOUR
    return Estimate(
        low=joules / tokens_per_s.high,
        typical=joules / tokens_per_s.typical,
        high=joules / tokens_per_s.low,
    )


def electricity_usd_per_hour(power_w: float, terms: Terms) -> float:
    """Return power of the cards x PUE x price of a kWh."""
    return power_w / W_PER_KW * terms.pue * terms.electricity_usd_per_kwh


def owned_usd_per_hour(price_usd: Estimate, power_w: float, terms: Terms) -> Estimate:
    """Return what an hour in use costs: its part of the purchase, and electricity."""
    hours = terms.lifetime_years * DAYS_PER_YEAR * terms.hours_per_day
    return sum_of(all_times(price_usd, 1 / hours), electricity_usd_per_hour(power_w, terms))


def fixed_usd_per_month(price_usd: Estimate, terms: Terms) -> Estimate:
    """Return the purchase spread over the months of its years."""
    return all_times(price_usd, 1 / (terms.lifetime_years * MONTHS_PER_YEAR))


def in_use_per_month(usd_per_hour: float, hours_per_day: float) -> float:
    """Return what the hours in use of an average month cost: 365/12 days."""
    return usd_per_hour * hours_per_day * DAYS_PER_YEAR / MONTHS_PER_YEAR


def break_even_hours(
    price_usd: Estimate, saved_usd_per_hour: float, years: float
) -> Estimate | None:
    """Return the hours of a day whose saved rent pays for the purchase in its years.

    None where an hour owned costs no less than an hour rented. May exceed the 24 of a day.
    """
    if saved_usd_per_hour <= 0:
        return None
    return all_times(price_usd, 1 / (years * DAYS_PER_YEAR * saved_usd_per_hour))
