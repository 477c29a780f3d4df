"""What a plan costs over its years, beside renting the same GPUs and paying for tokens."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from math import ceil

from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.records import PriceBook
from sizing.running import all_times, terms_of, total_of
from sizing.spec.alternatives import Owning, by_token_of, cloud_of
from sizing.spec.load import ServerLoad
from sizing.spec.money_plan import CostLine, CostPlan, MoneyNeeds, ReserveCost, YearCost
from sizing.spec.pricing import Pricing, sum_of_lines
from sizing.spec.purchase import hardware_lines, missing_parts
from sizing.spec.reasons import reasons
from sizing.spec.upkeep_facts import UpkeepCatalogue
from sizing.spec.wishes import MoneyWishes
from sizing.spec.within_budget import budget_of
from sizing.spec.yearly import yearly_lines
from sizing.spending import Spending

DEFAULT_HORIZON_YEARS = 5
"""Years of the comparison unless asked otherwise: each year's sum shows the shorter ones too."""

_NEEDED = frozenset({"gpus", "host"})
"""Parts without which a sum is none of a server."""


def plan_cost(
    load: ServerLoad,
    needs: MoneyNeeds,
    *,
    wishes: MoneyWishes,
    spending: Spending,
    prices: PriceBook,
    upkeep: UpkeepCatalogue,
    today: date,
) -> CostPlan:
    """Return purchase, years, alternatives, reserve and budget of a plan, in USD.

    Sums add low bounds to low bounds and high ones to high ones.
    """
    pricing = Pricing(
        load, needs, wishes, spending, prices, upkeep,
        terms=terms_of(spending, prices.facility), today=today,
    )  # fmt: skip
    hardware = hardware_lines(pricing, pricing.all_servers)
    purchase = pricing.taxed(hardware)
    yearly = yearly_lines(pricing, sum_of_lines(hardware))
    missing = tuple(missing_parts(pricing, hardware))
    is_complete = not _NEEDED & set(missing)
    horizon = ceil(wishes.horizon_years or DEFAULT_HORIZON_YEARS)
    owning = _owning(pricing, purchase, yearly, horizon, is_complete=is_complete)
    cloud = cloud_of(pricing, owning, horizon)
    years = tuple(_years(purchase, yearly, horizon))
    currency, usd_per_unit = _currency(wishes)
    return CostPlan(
        currency=currency,
        usd_per_unit=usd_per_unit,
        horizon_years=horizon,
        tax_percent=wishes.tax_percent,
        terms=pricing.terms,
        years=years,
        missing=missing,
        total_usd=years[-1].cumulated_usd,
        is_complete=is_complete,
        cloud=cloud,
        by_token=by_token_of(pricing, owning),
        reserves=tuple(_reserves(pricing, owning)),
        budget=budget_of(pricing, purchase, cloud, is_complete=is_complete),
        reasons=reasons(),
        notes=tuple(
            _notes(pricing, (*purchase, *yearly, *(cloud.lines if cloud else ())), missing)
        ),
    )


def _owning(
    pricing: Pricing,
    purchase: tuple[CostLine, ...],
    yearly: tuple[CostLine, ...],
    horizon_years: int,
    *,
    is_complete: bool,
) -> Owning | None:
    bought, year = sum_of_lines(purchase), sum_of_lines(yearly)
    if not is_complete or bought is None or year is None:
        return None
    electricity = next((line.usd for line in yearly if line.code == "electricity"), None)
    tax = 1 + (pricing.wishes.tax_percent or 0) / 100
    return Owning(bought, year, electricity and all_times(electricity, tax), horizon_years)


def _years(
    purchase: tuple[CostLine, ...], yearly: tuple[CostLine, ...], horizon_years: int
) -> Iterator[YearCost]:
    """Return the purchase, then each year with what has been paid until its end."""
    paid: Estimate | None = None
    for year in range(horizon_years + 1):
        lines = yearly if year else purchase
        total = sum_of_lines(lines)
        paid = total_of(each for each in (paid, total) if each)
        yield YearCost(year=year, lines=lines, total_usd=total, cumulated_usd=paid)


def _reserves(pricing: Pricing, owning: Owning | None) -> Iterator[ReserveCost]:
    """Return what servers for growth and spare ones cost: their part of all but electricity."""
    if owning is None:
        return
    one = all_times(owning.fixed_usd, 1 / pricing.all_servers)
    counts = {"growth": pricing.needs.growth_servers, "spare": pricing.load.spare_servers}
    for code, servers in counts.items():
        if servers:
            yield ReserveCost(code=code, servers=servers, usd_over_horizon=all_times(one, servers))


def _currency(wishes: MoneyWishes) -> tuple[str, float]:
    """Return the currency to show, and its rate; without a rate there is only the dollar."""
    if wishes.currency is None or wishes.usd_per_unit is None:
        return "USD", 1.0
    return wishes.currency, wishes.usd_per_unit


def _notes(
    pricing: Pricing, lines: tuple[CostLine, ...], missing: tuple[str, ...]
) -> Iterator[Note]:
    """Say what the sums rest on, what is weak or old in them, and what they lack."""
    wishes, terms = pricing.wishes, pricing.terms
    if wishes.horizon_years is None:
        yield note("money_default_horizon", horizon_years=DEFAULT_HORIZON_YEARS)
    if terms and pricing.spending.electricity_usd_per_kwh is None:
        yield note("money_default_electricity", usd_per_kwh=terms.electricity_usd_per_kwh)
    if terms and pricing.spending.pue is None:
        yield note("money_default_pue", pue=terms.pue)
    if terms and pricing.spending.hours_per_day is None:
        yield note("money_default_hours", hours_per_day=terms.hours_per_day)
    if wishes.tax_percent is None:
        yield note("money_before_tax")
    if wishes.currency not in (None, "USD") and wishes.usd_per_unit is None:
        yield note("money_rate_missing", currency=wishes.currency)
    yield note("money_cloud_bare")
    yield from _line_notes(lines)
    yield note("money_missing", parts=missing)


def _line_notes(lines: tuple[CostLine, ...]) -> Iterator[Note]:
    """Name the rules, the weak parts and the old prices among the lines."""
    rules = {line.rule for line in lines}
    if "cards_alone" in rules:
        yield note("money_cards_alone")
    if "persons_per_server" in rules:
        yield note("money_persons_per_server")
    if "share_of_purchase" in rules:
        yield note("money_default_support")
    if "rack_units" in rules:
        yield note("money_default_space")
    if weak := _codes(line for line in lines if line.is_weak):
        yield note("money_weak", parts=weak)
    old = [line for line in lines if line.is_old]
    if old:
        days = [line.dated.isoformat() for line in old if line.dated]
        yield note("money_old", parts=_codes(iter(old)), dated=min(days, default=None))


def _codes(lines: Iterator[CostLine]) -> tuple[str, ...]:
    """Return the codes of lines, each once, in their order."""
    return tuple(dict.fromkeys(line.code for line in lines))
