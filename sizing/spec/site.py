"""The room: racks, floor, energy of a year, and which plan stays inside its limits."""

from __future__ import annotations

from math import ceil, floor
from typing import Annotated, Final

from pydantic import Field

from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.records import Count, Name, Positive, PositiveCount, Record
from sizing.running import all_times
from sizing.spec.circuits import CircuitUse
from sizing.spec.electricity import Electricity
from sizing.spec.machine_records import SystemRecord
from sizing.spec.power import ServerPower
from sizing.spec.room import W_PER_KW, counted_limits, single_limits
from sizing.spec.wishes import SiteWishes

HOURS_PER_YEAR = 8760
GRAMS_PER_TONNE = 1e6

RACK_UNITS: Final = 42
"""Units of a common rack."""

UNITS_KEPT: Final = 2
"""Units of a rack that switches take."""

QUESTIONS: Final = (
    "delivery_path", "lift_load", "floor_load", "rack_depth", "ups_and_generator", "phase_balance",
    "outlets", "earthing", "fire_detection", "noise", "who_installs",
)  # fmt: skip
"""What nobody but the site can answer; asked in the checklist."""

LIQUID_QUESTIONS: Final = ("coolant", "heat_to_water", "who_supplies_hoses")
"""The same, where servers are cooled with liquid."""


class EnergyPlan(Record):
    """Energy of a year, all servers."""

    hours_per_day: Positive
    """Hours of a day in use."""

    pue: Annotated[float, Field(ge=1)]
    """Power of the site over that of its computers."""

    computers_kwh: Estimate
    """Drawn by the servers in a year, kWh."""

    cooling_kwh: Estimate
    """Drawn by cooling and losses of the site, kWh."""

    site_kwh: Estimate
    """Both together, kWh."""

    co2e_t: Estimate | None = None
    """Emissions of a year, tonnes of CO2 equivalent; None where the grid's factor is not told."""


class SitePlan(Record):
    """What the servers ask of the room."""

    servers: PositiveCount
    """Servers, spare ones included."""

    rack_units: PositiveCount
    """Rack units of all servers."""

    servers_per_rack: PositiveCount
    """Servers in the fullest rack."""

    racks: PositiveCount
    """Racks."""

    rack_kw: Positive
    """Load of the fullest rack, kW."""

    total_kw: Positive
    """Highest draw of all servers, kW."""

    total_kva: Positive
    """The same, kVA."""

    weight_kg: Positive | None
    """Servers of the fullest rack, without the rack, kg; None where a server's is not known."""

    floor_kg_per_m2: Positive | None
    """The same over the footprint of a rack, kg per square metre."""

    energy: EnergyPlan
    """Energy of a year."""

    servers_inside: Count
    """Servers that stay inside every limit that was told."""

    limits: tuple[Name, ...] = ()
    """Limits that are exceeded: those of `room.py`, by the code of their sentence."""

    questions: tuple[Name, ...] = ()
    """What only the site can answer."""

    notes: tuple[Note, ...] = ()
    """What was assumed, and what each exceeded limit leaves room for."""


def energy_of(
    in_use_w: Estimate,
    *,
    pue: float,
    hours_per_day: float = 24,
    grid_g_co2e_per_kwh: float | None = None,
) -> EnergyPlan:
    """Return the energy of a year: draw x hours, and for each kWh PUE - 1 more for the site."""
    hours = HOURS_PER_YEAR * hours_per_day / 24
    computers = all_times(in_use_w, hours / W_PER_KW)
    site = all_times(computers, pue)
    cooling = Estimate(
        low=site.low - computers.low,
        typical=site.typical - computers.typical,
        high=site.high - computers.high,
    )
    factor = grid_g_co2e_per_kwh
    return EnergyPlan(
        hours_per_day=hours_per_day,
        pue=pue,
        computers_kwh=computers,
        cooling_kwh=cooling,
        site_kwh=site,
        co2e_t=all_times(site, factor / GRAMS_PER_TONNE) if factor else None,
    )


def servers_in_rack(
    server_kw: float, rack_units: int, rack_kw: float, rack_height: int = RACK_UNITS
) -> int:
    """Return the servers of one rack, by its height and by its load; at least one."""
    by_height = (rack_height - UNITS_KEPT) // rack_units
    by_load = floor(rack_kw / server_kw)
    return max(1, min(by_height, by_load))


def site_plan(
    server: ServerPower,
    servers: int,
    site: SiteWishes,
    electricity: Electricity,
    *,
    rack_units: int,
    weight_kg: float | None = None,
    pue: float,
    hours_per_day: float = 24,
    circuits: CircuitUse | None = None,
    inlet_high_c: float | None = None,
    needs_liquid: bool = False,
    system: SystemRecord | None = None,
) -> SitePlan:
    """Return racks, floor, energy and limits of `servers` that each take `rack_units`.

    `circuits` are those that are there, with what one server asks of them.
    """
    server_kw = server.design_w / W_PER_KW
    most_kw = server_kw * servers if needs_liquid else electricity.cooling.most_air_kw
    rack_limit, height = site.rack_kw or most_kw, site.rack_height or RACK_UNITS
    per_rack = min(servers, servers_in_rack(server_kw, rack_units, rack_limit, height))
    weight = weight_kg or (system.weight_kg if system else None)
    stacked_kg = weight * per_rack if weight else None
    found = counted_limits(server, servers, site, rack_units=rack_units, circuits=circuits)
    other = single_limits(
        server, site, inlet_high_c, rack_units=rack_units, needs_liquid=needs_liquid
    )
    asked = QUESTIONS + (LIQUID_QUESTIONS if needs_liquid else ())
    return SitePlan(
        servers=servers,
        rack_units=rack_units * servers,
        servers_per_rack=per_rack,
        racks=ceil(servers / per_rack),
        rack_kw=server_kw * per_rack,
        total_kw=server_kw * servers,
        total_kva=server.apparent_va * servers / W_PER_KW,
        weight_kg=stacked_kg,
        floor_kg_per_m2=stacked_kg / electricity.cooling.footprint_m2 if stacked_kg else None,
        energy=energy_of(
            all_times(server.in_use_w, servers),
            pue=pue,
            hours_per_day=hours_per_day,
            grid_g_co2e_per_kwh=site.grid_g_co2e_per_kwh,
        ),
        servers_inside=0 if other else min([servers, *(room for _, room, _ in found)]),
        limits=(*(code for code, room, _ in found if room < servers), *(n.code for n in other)),
        questions=asked,
        notes=(
            *(told for _, room, told in found if room < servers),
            *other,
            note("rack_taken", rack_units=height, kept_units=UNITS_KEPT, rack_kw=rack_limit),
        ),
    )
