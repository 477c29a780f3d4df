"""The purchase: accelerators, and what stands around them."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.buying import Wanted, purchase_of
from sizing.performance import Estimate
from sizing.records import GpuRecord, Segment
from sizing.running import all_times
from sizing.spec.money_plan import CostLine
from sizing.spec.pricing import Pricing
from sizing.spec.upkeep_facts import HostKind, HostPriceRecord, SystemPriceRecord
from sizing.units import ceil_div

MOST_IN_A_WORKSTATION = 4
"""Cards that one workstation takes."""

_MOVABLE = frozenset({HostKind.COMPUTER, HostKind.DESKTOP, HostKind.WORKSTATION})
"""Hosts that need neither rack nor power distribution."""


def host_kind_of(gpu: GpuRecord, gpus: int) -> HostKind | None:
    """Return what stands around cards; None of what is rented alone, or sold by the rack."""
    match gpu.segment:
        case Segment.CLOUD_ONLY | Segment.RACK:
            return None
        case Segment.DESKTOP_SOC | Segment.EDGE:
            return HostKind.COMPUTER
        case Segment.CONSUMER if gpus == 1:
            return HostKind.DESKTOP
        case Segment.CONSUMER | Segment.WORKSTATION if gpus <= MOST_IN_A_WORKSTATION:
            return HostKind.WORKSTATION
    in_slot = gpu.form_factor is not None and gpu.form_factor.startswith("PCIe")
    return HostKind.PCIE_SERVER if in_slot else HostKind.BOARD_SERVER


def purchase_lines(pricing: Pricing, servers: int) -> tuple[CostLine, ...]:
    """Return the parts of buying so many servers, tax included; none where no price is known."""
    return pricing.taxed(hardware_lines(pricing, servers))


def hardware_lines(pricing: Pricing, servers: int) -> tuple[CostLine, ...]:
    """Return accelerators and hosts of so many servers, before tax."""
    system = _system(pricing)
    if system is not None:
        return (_whole(pricing, system, servers),)
    cards = _cards(pricing, servers)
    host = _host(pricing, servers, cards.usd if cards else None)
    return tuple(line for line in (cards, host) if line)


def _system(pricing: Pricing) -> SystemPriceRecord | None:
    found = (each for each in pricing.upkeep.system if each.id == pricing.load.gpu.id)
    return next(found, None)


def _whole(pricing: Pricing, record: SystemPriceRecord, servers: int) -> CostLine:
    """Return the whole systems that the servers are part of: no tray is sold alone."""
    price = Estimate(low=record.low_usd, typical=record.typical_usd, high=record.high_usd)
    usd = all_times(price, ceil_div(pricing.load.gpus * servers, record.gpus))
    return pricing.read("system", usd, rule="whole_systems", record=record)


def _cards(pricing: Pricing, servers: int) -> CostLine | None:
    """Return the cards, whole boards for each server."""
    load = pricing.load
    wanted = Wanted(load.gpu, copies=1, gpus_per_copy=load.gpus)
    purchase = purchase_of(wanted, pricing.prices, pricing.today)
    if purchase is None:
        return None
    return CostLine(
        code="gpus",
        usd=all_times(purchase.price_usd, servers),
        rule="price_list",
        is_weak=False,
        dated=purchase.dated,
        is_old=purchase.is_old,
    )


def _host(pricing: Pricing, servers: int, cards_usd: Estimate | None) -> CostLine | None:
    """Return the hosts: at least their least price, or their share beside the cards."""
    record = host_record(pricing)
    if record is None or record.is_included:
        return None
    least = record.least_usd
    found = {
        "least_host": all_times(least, servers) if least else None,
        "share_of_server": _beside(cards_usd, record.share_percent),
    }
    known = {rule: usd for rule, usd in found.items() if usd}
    if not known:
        return None
    rule = max(known, key=lambda each: known[each].typical)
    usd = Estimate(
        low=max(each.low for each in known.values()),
        typical=known[rule].typical,
        high=max(each.high for each in known.values()),
    )
    return pricing.read("host", usd, rule=rule, record=record)


def host_record(pricing: Pricing) -> HostPriceRecord | None:
    """Return the record of the host: as the plan says, else as the cards need."""
    load = pricing.load
    kind = pricing.needs.host_kind or host_kind_of(load.gpu, load.gpus)
    return next((each for each in pricing.upkeep.host if each.id is kind), None)


def _beside(cards_usd: Estimate | None, share_percent: Estimate | None) -> Estimate | None:
    """Return the host whose share of the whole is told, from the price of the rest."""
    if cards_usd is None or share_percent is None:
        return None

    def part(usd: float, percent: float) -> float:
        return usd * percent / (100 - percent)

    return Estimate(
        low=part(cards_usd.low, share_percent.low),
        typical=part(cards_usd.typical, share_percent.typical),
        high=part(cards_usd.high, share_percent.high),
    )


def missing_parts(pricing: Pricing, lines: tuple[CostLine, ...]) -> Iterator[str]:
    """Name what nobody priced: to be asked for, never free."""
    priced = {line.code for line in lines}
    record = host_record(pricing)
    included = record is not None and record.is_included
    if not priced & {"gpus", "system"}:
        yield "gpus"
    if not priced & {"host", "system"} and not included:
        yield "host"
    if pricing.all_servers > 1:
        yield "server_network"
    if record is None or record.id not in _MOVABLE:
        yield "rack_and_power"
    yield "installation"
