"""Heat and air of servers: BTU, tons, airflow, intake, and whether liquid is needed."""

from __future__ import annotations

from enum import StrEnum

from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.records import GpuRecord, Positive, Record
from sizing.spec.electricity import Electricity
from sizing.spec.host_parts import needs_liquid
from sizing.spec.machine_records import (
    Celsius,
    CoolingRecord,
    InletClassRecord,
    SystemRecord,
    ThermalRecord,
)
from sizing.units import power

M3_PER_H_OF_A_CFM = 1.699
"""Cubic metres an hour of one cubic foot a minute: 0.0283168 m3 x 60."""

KW = 1000.0
"""Watts of a kilowatt."""

GENERAL_CLASS = "a2"
"""ASHRAE class of general servers."""


class Liquid(StrEnum):
    """Whether a loop of liquid is needed."""

    NOT_NEEDED = "air"
    WORTH_IT = "worth"
    REQUIRED = "required"


class CoolingPlan(Record):
    """Heat of one server and of a rack of them, and the air it takes."""

    heat_w: Positive
    """Heat of one server at its maximum, W."""

    heat_btu_per_h: Positive
    """The same, BTU/h."""

    cooling_tons: Positive
    """The same, tons of refrigeration."""

    airflow_cfm: Estimate
    """Air through one server, cubic feet a minute; low at the largest rise."""

    airflow_m3_per_h: Estimate
    """The same, cubic metres an hour."""

    rise_k: Estimate
    """Rise of the air that these belong to, kelvin; low is the smallest."""

    rack_kw: Positive
    """Load of the fullest rack, kW."""

    inlet_low_c: Celsius
    """Coolest intake allowed, degrees Celsius."""

    inlet_high_c: Celsius
    """Warmest intake allowed at this altitude, degrees Celsius."""

    liquid: Liquid
    """Whether liquid is needed."""

    throttling: ThermalRecord | None
    """Temperatures at which the GPUs slow down, where they are known."""

    notes: tuple[Note, ...] = ()
    """What was assumed and what to mind."""


def cooling_of(
    heat_w: float,
    electricity: Electricity,
    *,
    gpu: GpuRecord | None = None,
    servers_per_rack: int = 1,
    altitude_m: float = 0,
    system: SystemRecord | None = None,
    inlet_c: tuple[float, float] | None = None,
) -> CoolingPlan:
    """Return heat, air and intake of servers that each turn `heat_w` into heat, at an altitude.

    `inlet_c` is the coolest and warmest air their maker allows, degrees Celsius.
    """
    facts = electricity.cooling
    rack_kw = heat_w * servers_per_rack / KW
    liquid, liquid_notes = _liquid(gpu, rack_kw, facts, system)
    low_c, high_c, inlet_notes = _inlet(electricity, altitude_m, inlet_c or _printed_inlet(system))
    flow = airflow_cfm(heat_w, facts, altitude_m=altitude_m)
    return CoolingPlan(
        heat_w=heat_w,
        heat_btu_per_h=btu_per_h(heat_w, facts),
        cooling_tons=btu_per_h(heat_w, facts) / facts.btu_per_h_per_ton,
        airflow_cfm=flow,
        airflow_m3_per_h=_scaled(flow, M3_PER_H_OF_A_CFM),
        rise_k=_scaled(facts.rise_f, 5 / 9),
        rack_kw=rack_kw,
        inlet_low_c=low_c,
        inlet_high_c=high_c,
        liquid=liquid,
        throttling=electricity.thermal(gpu) if gpu else None,
        notes=(*liquid_notes, *inlet_notes, *_printed(system)),
    )


def btu_per_h(heat_w: float, facts: CoolingRecord) -> float:
    """Return heat in BTU/h. Source: 12,000 W are 40,946 BTU/h on Lenovo's sheet of the SD650."""
    return heat_w * facts.btu_per_wh


def airflow_cfm(heat_w: float, facts: CoolingRecord, *, altitude_m: float = 0) -> Estimate:
    """Return the air that carries heat off, CFM: BTU/h / (1.085 x rise in F x density of the air).

    Source: Dell paper on insidehpc.com, 2011.
    """
    flow = btu_per_h(heat_w, facts) / (facts.cfm_btu_per_degree_f * air_density(altitude_m))
    rise = facts.rise_f
    return Estimate(low=flow / rise.high, typical=flow / rise.typical, high=flow / rise.low)


def air_density(altitude_m: float) -> float:
    """Return the density of air of one temperature over that at sea level.

    The pressure of the standard atmosphere: 0.93 at 2,000 ft, 0.69 at 10,000 ft.
    """
    return power(1 - 2.25577e-5 * altitude_m, 5.25588)


def highest_inlet_c(inlet: InletClassRecord, altitude_m: float) -> float:
    """Return the warmest intake of a class at an altitude, degrees Celsius."""
    above_m = max(0.0, altitude_m - inlet.derates_above_m)
    return inlet.high_c - above_m / inlet.metres_per_degree_m


def _inlet(
    electricity: Electricity, altitude_m: float, printed_c: tuple[float, float] | None
) -> tuple[float, float, tuple[Note, ...]]:
    """Return coolest and warmest intake: as printed, else a general class narrowed by the GPUs."""
    inlet = electricity.inlet_class(GENERAL_CLASS)
    if printed_c:
        low_c, at_sea_c = printed_c
        notes = [note("inlet_printed", low_c=low_c, high_c=at_sea_c)]
    else:
        low_c, at_sea_c = inlet.low_c, min(inlet.high_c, electricity.cooling.gpu_build_inlet_c)
        class_c = inlet.high_c
        notes = [note("inlet_narrowed", low_c=low_c, high_c=at_sea_c, class_high_c=class_c)]
    derated = inlet.model_copy(update={"high_c": at_sea_c})
    high_c = highest_inlet_c(derated, altitude_m)
    if high_c < at_sea_c:
        notes.append(note("inlet_altitude", altitude_m=altitude_m, high_c=high_c))
    if altitude_m > inlet.most_altitude_m:
        notes.append(
            note("altitude_beyond", altitude_m=altitude_m, most_altitude_m=inlet.most_altitude_m)
        )
    return low_c, high_c, tuple(notes)


def _printed_inlet(system: SystemRecord | None) -> tuple[float, float] | None:
    if system is None or system.inlet_low_c is None or system.inlet_high_c is None:
        return None
    return system.inlet_low_c, system.inlet_high_c


def _liquid(
    gpu: GpuRecord | None, rack_kw: float, facts: CoolingRecord, system: SystemRecord | None
) -> tuple[Liquid, tuple[Note, ...]]:
    """Return whether liquid is needed: by the product, else by the load of a rack."""
    if (system and system.is_liquid) or (gpu and needs_liquid(gpu)):
        return Liquid.REQUIRED, (note("liquid_product"),)
    if rack_kw > facts.most_rear_door_kw:
        return Liquid.REQUIRED, (note("liquid_rack", rack_kw=rack_kw),)
    if rack_kw >= facts.worth_liquid_kw:
        told = note("liquid_worth", rack_kw=rack_kw, most_air_kw=facts.most_air_kw)
        return Liquid.WORTH_IT, (told,)
    return Liquid.NOT_NEEDED, ()


def _printed(system: SystemRecord | None) -> tuple[Note, ...]:
    """Return what the maker prints of the same figures."""
    if system is None or not (system.airflow_cfm and system.heat_btu_per_h):
        return ()
    flow_cfm, heat = system.airflow_cfm, system.heat_btu_per_h
    return (note("heat_printed", system=system.name, airflow_cfm=flow_cfm, heat_btu_per_h=heat),)


def _scaled(figure: Estimate, factor: float) -> Estimate:
    return Estimate(
        low=figure.low * factor, typical=figure.typical * factor, high=figure.high * factor
    )
