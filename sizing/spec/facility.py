"""Power, circuits, cooling and the room of the servers of a plan: the order of the steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from sizing.notes import Note, note
from sizing.records import Record
from sizing.spec.answer_notes import circuit_notes
from sizing.spec.circuits import (
    THREE_PHASE_FROM_V,
    THREE_PHASES,
    Circuit,
    CircuitUse,
    carried,
    choose,
    circuits_of,
    needed,
    that_carry,
)
from sizing.spec.cooling import CoolingPlan, Liquid, cooling_of
from sizing.spec.electricity import Electricity
from sizing.spec.electricity_records import CountryRecord
from sizing.spec.host_parts import HostParts, needs_liquid
from sizing.spec.load import ServerLoad
from sizing.spec.machine_records import SystemRecord
from sizing.spec.offered import size_of
from sizing.spec.power import ServerPower, server_power
from sizing.spec.site import SitePlan, site_plan
from sizing.spec.supplies import Redundancy
from sizing.spec.wishes import SiteWishes

MOST_OTHERS = 3
"""Other circuits that are shown."""


class FacilityPlan(Record):
    """What all servers of a plan ask of electricity, cooling and the room."""

    power: ServerPower
    """One server."""

    feeds: Annotated[int, Field(ge=1, le=2)]
    """Independent feeds that each server hangs on."""

    needed: CircuitUse
    """Circuits for all servers: of the kind that is there, else the fewest that can be had."""

    there: CircuitUse | None
    """What the circuits that are there carry; None where their number was not told.

    Of the kind that was told, else of the smallest that so many are enough of.
    """

    others: tuple[CircuitUse, ...]
    """Other circuits that carry one server alone, smallest first."""

    cooling: CoolingPlan
    """Heat and air."""

    site: SitePlan
    """Racks, floor, energy, limits."""

    notes: tuple[Note, ...]
    """What was assumed of the circuits."""


@dataclass(frozen=True)
class Machine:
    """What is printed of the machine that the servers are; None where it is not."""

    rack_units: int
    """Height, rack units."""

    most_w: float | None = None
    """Highest draw at the wall, W."""

    weight_kg: float | None = None
    """Weight, kg."""

    inlet_c: tuple[float, float] | None = None
    """Coolest and warmest intake, degrees Celsius."""

    needs_liquid: bool = False
    """Whether it needs a loop of liquid."""

    system: SystemRecord | None = None
    """The same machine in `electricity.toml`, where it stands there."""


@dataclass(frozen=True)
class Use:
    """How much the servers run, and what the site adds."""

    pue: float
    """Power of the site over that of its computers."""

    hours_per_day: float = 24
    """Hours of a day in use."""


def facility_of(
    load: ServerLoad,
    host: HostParts,
    machine: Machine,
    site: SiteWishes,
    *,
    electricity: Electricity,
    use: Use,
) -> FacilityPlan:
    """Return what the servers of `load`, spare ones included, ask of the room.

    A printed maximum of the machine wins over the sum of the parts. Raises UnknownCountryError.
    """
    electricity = electricity.with_power_factor(site.power_factor)
    country = electricity.country(site.country) if site.country else None
    servers = load.servers + load.spare_servers
    feeds = site.feeds or (1 if host.is_desktop else 2)
    power = _power(load, host, machine, site, electricity=electricity, feeds=feeds)
    wanted, there, others = _circuits(
        power, servers, site, electricity, country=country, feeds=feeds
    )
    inlet = _cooling(power, load, machine, site, electricity=electricity, per_rack=1)
    room = site_plan(
        power,
        servers,
        site,
        electricity,
        rack_units=machine.rack_units,
        weight_kg=machine.weight_kg,
        pue=use.pue,
        hours_per_day=use.hours_per_day,
        circuits=there,
        inlet_high_c=inlet.inlet_high_c,
        needs_liquid=_needs_liquid(load, machine),
        system=machine.system,
    )
    per_rack = room.servers_per_rack
    rules = circuit_notes(electricity, country, (wanted,))
    return FacilityPlan(
        power=power,
        feeds=feeds,
        needed=wanted,
        there=there,
        others=others,
        cooling=_cooling(power, load, machine, site, electricity=electricity, per_rack=per_rack),
        site=room,
        notes=(*_assumed(site, feeds), *rules),
    )


def _needs_liquid(load: ServerLoad, machine: Machine) -> bool:
    printed = bool(machine.system and machine.system.is_liquid)
    return printed or machine.needs_liquid or needs_liquid(load.gpu)


def _power(
    load: ServerLoad,
    host: HostParts,
    machine: Machine,
    site: SiteWishes,
    *,
    electricity: Electricity,
    feeds: int,
) -> ServerPower:
    return server_power(
        load.gpu,
        load.gpus,
        host,
        electricity,
        published_max_w=machine.most_w,
        system=machine.system,
        redundancy=Redundancy.BOTH_FEEDS if feeds > 1 else None,
        voltage_v=site.voltage_v if site.phases != THREE_PHASES else None,
    )


def _circuits(
    power: ServerPower,
    servers: int,
    site: SiteWishes,
    electricity: Electricity,
    *,
    country: CountryRecord | None,
    feeds: int,
) -> tuple[CircuitUse, CircuitUse | None, tuple[CircuitUse, ...]]:
    """Return the circuits for all servers, what those that are there carry, and others."""
    sold = _sold(site, country, electricity)
    factor, design_w = power.power_factor, power.design_w
    told = _named(site, electricity)
    if told is None and site.circuits:
        told = _enough(sold, site, power, servers=servers, feeds=feeds)
    if told is None:
        wanted = choose(sold, design_w, servers, power_factor=factor, feeds=feeds)
    else:
        wanted = needed(told, design_w, servers, power_factor=factor, feeds=feeds)
    there = None
    if site.circuits:
        count, kind = site.circuits, wanted.circuit
        there = carried(kind, design_w, power_factor=factor, circuits=count, feeds=feeds)
    found = that_carry(sold, design_w, power_factor=factor, most=MOST_OTHERS + 1)
    others = [use for use in found if size_of(use.circuit) != size_of(wanted.circuit)]
    return wanted, there, tuple(others[:MOST_OTHERS])


def _enough(
    sold: tuple[Circuit, ...], site: SiteWishes, power: ServerPower, *, servers: int, feeds: int
) -> Circuit | None:
    """Return the smallest circuit that as many as are there carry all servers of; None of none."""
    count, factor = site.circuits or 0, power.power_factor
    return next(
        (
            each
            for each in sold
            if carried(
                each, power.design_w, power_factor=factor, circuits=count, feeds=feeds
            ).servers
            >= servers
        ),
        None,
    )


def _cooling(
    power: ServerPower,
    load: ServerLoad,
    machine: Machine,
    site: SiteWishes,
    *,
    electricity: Electricity,
    per_rack: int,
) -> CoolingPlan:
    cooled = cooling_of(
        power.heat_w,
        electricity,
        gpu=load.gpu,
        servers_per_rack=per_rack,
        altitude_m=site.altitude_m or 0,
        system=machine.system,
        inlet_c=machine.inlet_c,
    )
    if machine.needs_liquid and cooled.liquid is not Liquid.REQUIRED:
        told = (note("liquid_product"), *cooled.notes)
        return cooled.model_copy(update={"liquid": Liquid.REQUIRED, "notes": told})
    return cooled


def _named(site: SiteWishes, electricity: Electricity) -> Circuit | None:
    """Return the circuit that is there; None where its voltage or breaker was not told."""
    if site.voltage_v is None or site.breaker_a is None:
        return None
    usual = THREE_PHASES if site.voltage_v >= THREE_PHASE_FROM_V else 1
    return Circuit(
        voltage_v=site.voltage_v,
        phases=site.phases or usual,
        breaker_a=site.breaker_a,
        continuous_percent=electricity.fallback.continuous_percent,
    )


def _sold(
    site: SiteWishes, country: CountryRecord | None, electricity: Electricity
) -> tuple[Circuit, ...]:
    """Return the circuits that can be had with the voltage, phases and breaker that were told."""
    sold = circuits_of(electricity, electricity.grid(country))
    told = [
        each
        for each in sold
        if site.voltage_v in (None, each.voltage_v)
        and site.phases in (None, each.phases)
        and site.breaker_a in (None, each.breaker_a)
    ]
    return tuple(told) or sold


def _assumed(site: SiteWishes, feeds: int) -> Iterator[Note]:
    """Yield what was taken where nobody told it."""
    if site.country is None and site.voltage_v is None:
        yield note("country_assumed")
    if site.feeds is None:
        yield note("two_feeds_assumed" if feeds > 1 else "one_feed_assumed")
    if site.altitude_m is None:
        yield note("sea_level_assumed")
