"""Records of `electricity.toml` about machines: parts, whole systems, heat and intake air."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sizing.performance import Estimate
from sizing.records import Count, Identifier, Name, Positive, PositiveCount, SourcedRecord

Celsius = Annotated[float, Field(ge=-50, le=150)]


class PartsRecord(SourcedRecord):
    """What the parts around the GPUs draw."""

    memory_module_w: Estimate
    """One memory module, W."""

    drive_w: Estimate
    """One NVMe drive, W."""

    adapter_w: Estimate
    """One network adapter, W."""

    board_w: Estimate
    """Main board and its management, W."""

    switch_per_gpu_w: Estimate
    """Link switches and converters of a baseboard, for each GPU, W."""

    fans_percent: Estimate
    """Fans of a server, per cent of all other parts."""

    desktop_fans_percent: Estimate
    """Fans beside cards that carry their own, per cent of all other parts."""

    typical_share_percent: Estimate
    """Draw in use over the maximum, per cent."""

    server_cpu_w: Positive
    """Processor of a GPU server, W."""

    workstation_cpu_w: Positive
    """Processor of a workstation, W."""

    edge_cpu_w: Positive
    """Processor beside one card that lives on its slot alone, W."""


class CoolingRecord(SourcedRecord):
    """Heat, air and the limits of cooling with it."""

    btu_per_wh: Positive
    """BTU of one watt-hour: BTU/h of one watt."""

    btu_per_h_per_ton: Positive
    """BTU/h of a ton of refrigeration."""

    cfm_btu_per_degree_f: Positive
    """BTU/h that one CFM carries off for each degree Fahrenheit, at sea level."""

    rise_f: Estimate
    """Rise of the air through a server, degrees Fahrenheit."""

    worth_liquid_kw: Positive
    """Load of a rack from which liquid is worth a look, kW."""

    most_air_kw: Positive
    """Most that optimised air carries off from a rack, kW."""

    most_rear_door_kw: Positive
    """Most that a rear-door exchanger carries off, kW."""

    gpu_build_inlet_c: Celsius
    """Intake that GPU builds of general servers are held to, degrees Celsius."""

    office_pue: Annotated[float, Field(ge=1)]
    """PUE of an office with split air conditioning."""

    footprint_m2: Positive
    """Floor below a rack, square metres."""


class InletClassRecord(SourcedRecord):
    """Class of intake air."""

    id: Identifier
    """ASHRAE class, lower case."""

    low_c: Celsius
    """Lowest intake allowed, degrees Celsius."""

    high_c: Celsius
    """Highest intake allowed at sea level, degrees Celsius."""

    derates_above_m: Count
    """Altitude from which the highest falls, m."""

    metres_per_degree_m: Positive
    """Metres above it that take one degree, m."""

    most_altitude_m: Positive
    """Highest altitude, m."""


class ThermalRecord(SourcedRecord):
    """Temperatures at which a family of GPUs slows down."""

    id: Identifier
    """Unique id."""

    families: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Families of the catalogue it holds for."""

    most_operating_c: Celsius | None = None
    """From here the driver lowers the clock, degrees Celsius."""

    slowdown_c: Celsius | None = None
    """From here the hardware halves it, degrees Celsius."""

    shutdown_c: Celsius | None = None
    """Here it switches off, degrees Celsius."""

    memory_c: Celsius | None = None
    """Highest temperature of its memory, degrees Celsius."""


class SystemRecord(SourcedRecord):
    """What a maker prints of the power of a whole system."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings."""

    accelerators: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Accelerators it is sold with, ids."""

    gpus: PositiveCount
    """Accelerators in it."""

    most_w: Positive
    """Highest draw at the wall, W."""

    typical_low_w: Positive | None = None
    """Lower bound of the draw in use, measured, W."""

    typical_high_w: Positive | None = None
    """Upper bound of it, W."""

    supplies: PositiveCount | None = None
    """Power supplies."""

    supply_w: Positive | None = None
    """Rating of one, W."""

    needed_supplies: PositiveCount | None = None
    """Supplies that carry the full load."""

    voltage_low_v: Positive | None = None
    """Lowest voltage it runs at, V."""

    default_gpu_w: Positive | None = None
    """Limit each GPU is delivered with, where it can be raised to its board power, W."""

    airflow_cfm: Positive | None = None
    """Airflow printed, CFM."""

    heat_btu_per_h: Positive | None = None
    """Heat printed, BTU/h."""

    rack_units: PositiveCount
    """Height, rack units."""

    weight_kg: Positive | None = None
    """Weight, kg."""

    inlet_low_c: Celsius | None = None
    """Coolest intake allowed, degrees Celsius."""

    inlet_high_c: Celsius | None = None
    """Warmest intake allowed, degrees Celsius."""

    is_liquid: bool = False
    """Whether it needs a loop of liquid."""
