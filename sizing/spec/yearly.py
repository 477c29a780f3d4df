"""What a year of owning costs: electricity, support, licences, people, space."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.performance import Estimate
from sizing.running import (
    DAYS_PER_YEAR,
    MONTHS_PER_YEAR,
    all_times,
    electricity_usd_per_hour,
    exactly,
)
from sizing.spec.money_plan import CostLine
from sizing.spec.pricing import Pricing
from sizing.spec.upkeep_facts import StaffRecord, SupportRecord


def yearly_lines(pricing: Pricing, hardware_usd: Estimate | None) -> tuple[CostLine, ...]:
    """Return the parts of one year, tax included, for the servers in use and the spare ones."""
    lines = (
        _electricity(pricing),
        _support(pricing, hardware_usd),
        *_licenses(pricing),
        _staff(pricing),
        _space(pricing),
    )
    return pricing.taxed(line for line in lines if line)


def _electricity(pricing: Pricing) -> CostLine | None:
    """Return the electricity of the servers in use; spare ones wait switched off.

    Where nobody told what the servers draw, that of the cards at their full power stands for it.
    """
    terms, told = pricing.terms, pricing.needs.site_kwh_per_year
    if terms is None:
        return None
    usd = all_times(told, terms.electricity_usd_per_kwh) if told else _cards_alone(pricing)
    if usd is None:
        return None
    return CostLine(
        code="electricity",
        usd=usd,
        rule="site" if told else "cards_alone",
        is_weak=told is None,
        dated=None,
        is_old=pricing.spending.electricity_usd_per_kwh is None,
    )


def _cards_alone(pricing: Pricing) -> Estimate | None:
    load, terms = pricing.load, pricing.terms
    if terms is None or load.gpu.board_power_w is None:
        return None
    power_w = load.gpu.board_power_w * load.gpus * load.servers
    hours = terms.hours_per_day * DAYS_PER_YEAR
    return exactly(electricity_usd_per_hour(power_w, terms) * hours)


def _support(pricing: Pricing, hardware_usd: Estimate | None) -> CostLine | None:
    told, record = pricing.wishes.support_percent, pricing.upkeep.support
    if hardware_usd is None or told == 0:
        return None
    if told:
        usd = all_times(hardware_usd, told / 100)
        return CostLine(
            code="support", usd=usd, rule="as_told", is_weak=False, dated=None, is_old=False
        )
    usd = _share(hardware_usd, record)
    return pricing.read("support", usd, rule="share_of_purchase", record=record)


def _share(hardware_usd: Estimate, record: SupportRecord) -> Estimate:
    return Estimate(
        low=hardware_usd.low * record.low_percent / 100,
        typical=hardware_usd.typical * record.typical_percent / 100,
        high=hardware_usd.high * record.high_percent / 100,
    )


def _licenses(pricing: Pricing) -> Iterator[CostLine]:
    for need in pricing.needs.licenses:
        if need.usd_per_year is not None:
            yield CostLine(
                code="licenses",
                usd=exactly(need.usd_per_year),
                rule=need.license,
                is_weak=False,
                dated=need.dated,
                is_old=need.is_old,
            )


def _staff(pricing: Pricing) -> CostLine | None:
    told, record = pricing.wishes.staff_usd_per_year, pricing.upkeep.staff
    if told is not None:
        return pricing.told("staff", told) if told else None
    usd = _people(record, pricing.all_servers)
    return pricing.read("staff", usd, rule="persons_per_server", record=record)


def _people(record: StaffRecord, servers: int) -> Estimate:
    """Return persons for the servers, at least the least part of one, times their cost."""

    def cost(persons_per_server: float, usd: float) -> float:
        return max(persons_per_server * servers, record.least_persons) * usd

    return Estimate(
        low=cost(record.low_persons_per_server, record.low_usd_per_person_year),
        typical=cost(record.typical_persons_per_server, record.typical_usd_per_person_year),
        high=cost(record.high_persons_per_server, record.high_usd_per_person_year),
    )


def _space(pricing: Pricing) -> CostLine | None:
    told, units = pricing.wishes.site_usd_per_year, pricing.needs.rack_units
    if told is not None:
        return pricing.told("site", told) if told else None
    if units is None:
        return None
    record = pricing.upkeep.rack_unit
    month = Estimate(
        low=record.low_usd_per_month,
        typical=record.typical_usd_per_month,
        high=record.high_usd_per_month,
    )
    usd = all_times(month, units * MONTHS_PER_YEAR)
    return pricing.read("site", usd, rule="rack_units", record=record)
