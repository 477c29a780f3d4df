"""Renting the same GPUs, and paying for tokens, beside owning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sizing.buying import Wanted, cheapest_rental
from sizing.performance import Estimate
from sizing.running import (
    DAYS_PER_YEAR,
    HOURS_PER_DAY,
    MILLION,
    MONTHS_PER_YEAR,
    all_times,
    api_usd_per_million,
    break_even_hours,
    exactly,
    share_of,
)
from sizing.spec.money_plan import CloudCost, CostLine, Reach, TokenCost
from sizing.spec.pricing import Pricing, sum_of_lines


@dataclass(frozen=True)
class Owning:
    """What owning costs, to be set against."""

    purchase_usd: Estimate
    """Purchase."""
    year_usd: Estimate
    """A year."""
    electricity_usd: Estimate | None
    """Electricity of a year, as part of it; None where it is not known."""
    horizon_years: int
    """Years of the comparison."""

    @property
    def total_usd(self) -> Estimate:
        """Return purchase and all years."""
        return _plus(self.purchase_usd, all_times(self.year_usd, self.horizon_years))

    @property
    def fixed_usd(self) -> Estimate:
        """Return the same without electricity: what does not follow the hours of use."""
        if self.electricity_usd is None:
            return self.total_usd
        return _minus(self.total_usd, all_times(self.electricity_usd, self.horizon_years))


def cloud_of(pricing: Pricing, owning: Owning | None, horizon_years: int) -> CloudCost | None:
    """Return the servers in use rented, without growth and spares; None where nobody rents them."""
    rental = cheapest_rental(_wanted(pricing), pricing.prices, pricing.today)
    if rental is None:
        return None
    hours = _hours_per_day(pricing) * DAYS_PER_YEAR
    rent = CostLine(
        code="rent",
        usd=exactly(rental.price_usd_per_hour * hours),
        rule="price_list",
        is_weak=False,
        dated=rental.dated,
        is_old=rental.is_old,
    )
    lines = pricing.taxed((rent, *_rented_licenses(pricing, rental.gpus * hours)))
    year = sum_of_lines(lines) or rent.usd
    return CloudCost(
        rental=rental,
        lines=lines,
        usd_per_year=year,
        usd_over_horizon=all_times(year, horizon_years),
        break_even_months=_months(owning, year) if owning else None,
        break_even_hours_per_day=_hours(owning, year, hours) if owning else None,
        break_even_share=_share_of_hours(owning, year, hours) if owning else None,
    )


def _rented_licenses(pricing: Pricing, gpu_hours: float) -> Iterator[CostLine]:
    """Return subscriptions on rented GPUs: those that come with a card are bought with the card."""
    for need in pricing.needs.licenses:
        if need.rented_usd_per_gpu_hour is not None:
            yield CostLine(
                code="licenses",
                usd=exactly(need.rented_usd_per_gpu_hour * gpu_hours),
                rule=need.license,
                is_weak=False,
                dated=need.dated,
                is_old=need.is_old,
            )


def _wanted(pricing: Pricing) -> Wanted:
    """Return the GPUs to rent: those of a copy; of several copies on common cards, a server's."""
    load = pricing.load
    servers = max(load.servers - pricing.needs.growth_servers, 1)
    if load.spans_servers:
        return Wanted(load.gpu, copies=1, gpus_per_copy=load.gpus * servers)
    (model, *others) = load.models
    if not others and model.copies * model.gpus_per_copy <= load.gpus:
        return Wanted(load.gpu, model.copies * servers, model.gpus_per_copy)
    return Wanted(load.gpu, copies=servers, gpus_per_copy=load.gpus)


def _hours_per_day(pricing: Pricing) -> float:
    return pricing.spending.hours_per_day or HOURS_PER_DAY


def _months(owning: Owning, rent_usd: Estimate) -> Reach:
    """Return the months until what renting costs more each month has paid for the purchase."""

    def months(purchase_usd: float, year_usd: float, rent_usd: float) -> float | None:
        saved = (rent_usd - year_usd) / MONTHS_PER_YEAR
        return purchase_usd / saved if saved > 0 else None

    bought, year = owning.purchase_usd, owning.year_usd
    return Reach(
        low=months(bought.low, year.low, rent_usd.high),
        typical=months(bought.typical, year.typical, rent_usd.typical),
        high=months(bought.high, year.high, rent_usd.low),
    )


def _hours(owning: Owning, rent_usd: Estimate, hours_per_year: float) -> Estimate | None:
    """Return the hours of use a day that make renting as dear: electricity follows them too."""
    electricity_usd = owning.electricity_usd.typical if owning.electricity_usd else 0
    saved = (rent_usd.typical - electricity_usd) / hours_per_year
    return break_even_hours(owning.fixed_usd, saved, owning.horizon_years)


def _share_of_hours(owning: Owning, rent_usd: Estimate, hours_per_year: float) -> Estimate | None:
    hours = _hours(owning, rent_usd, hours_per_year)
    return hours and all_times(hours, 1 / HOURS_PER_DAY)


def by_token_of(pricing: Pricing, owning: Owning | None) -> TokenCost | None:
    """Return what hosts of the model ask; None where they were not asked, or nothing is owned."""
    quote, tokens = pricing.spending.api_quote, pricing.needs.tokens
    if quote is None or tokens is None or owning is None:
        return None
    asked = api_usd_per_million(quote, tokens.written_share)
    tax = 1 + (pricing.wishes.tax_percent or 0) / 100
    price = all_times(asked, tax)
    year = all_times(owning.total_usd, 1 / owning.horizon_years)
    owned_millions = share_of(year, price)
    full = tokens.full_tokens_per_year
    demand = tokens.tokens_per_year
    return TokenCost(
        quote=quote,
        usd_per_million_tokens=price,
        usd_per_year=all_times(price, demand / MILLION) if demand else None,
        break_even_tokens_per_month=all_times(owned_millions, MILLION / MONTHS_PER_YEAR),
        break_even_share=share_of(all_times(owned_millions, MILLION), full) if full else None,
    )


def _plus(one: Estimate, other: Estimate) -> Estimate:
    return Estimate(
        low=one.low + other.low, typical=one.typical + other.typical, high=one.high + other.high
    )


def _minus(whole: Estimate, part: Estimate) -> Estimate:
    """Return a sum of positive estimates without one of them, bound by bound."""
    return Estimate(
        low=whole.low - part.low, typical=whole.typical - part.typical, high=whole.high - part.high
    )
