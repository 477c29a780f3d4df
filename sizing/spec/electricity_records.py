"""What `electricity.toml` holds: circuits by country, supplies, parts, systems, intake air."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sizing.records import (
    Identifier,
    Name,
    Positive,
    PositiveCount,
    Record,
    SourcedRecord,
)
from sizing.spec.machine_records import (
    CoolingRecord,
    InletClassRecord,
    PartsRecord,
    SystemRecord,
    ThermalRecord,
)

Phases = Annotated[int, Field(ge=1, le=3)]
Percent = Annotated[float, Field(gt=0, le=100)]


class CircuitSold(Record):
    """A circuit that can be had: what one breaker feeds."""

    voltage_v: Positive
    """Voltage; of three phases that between two of them, V."""

    phases: Phases
    """1 or 3."""

    breaker_a: Positive
    """Rating of the breaker, A."""

    plug: Name | None = None
    """Plug or connector; None where it is the country's own."""


class GridRecord(SourcedRecord):
    """Circuits that are usual where countries share them."""

    id: Identifier
    """Unique id."""

    circuits: Annotated[tuple[CircuitSold, ...], Field(min_length=1)]
    """Circuits, by voltage, phases and breaker."""


class CountryRecord(SourcedRecord):
    """Electricity of one country."""

    id: Identifier
    """ISO 3166-1 code of two letters, lower case."""

    aliases: tuple[Identifier, ...] = ()
    """Names people type, lower case."""

    grid: Identifier
    """Circuits that are usual there, id."""

    frequency_hz: Annotated[tuple[PositiveCount, ...], Field(min_length=1)]
    """Frequencies in use, Hz."""

    single_phase_v: Annotated[tuple[Positive, ...], Field(min_length=1)]
    """Voltages of one phase, V."""

    three_phase_v: Annotated[tuple[Positive, ...], Field(min_length=1)]
    """Voltages between two of three phases, V."""

    plugs: Annotated[tuple[Name, ...], Field(min_length=1)]
    """Types of household plugs, the letters of IEC World Plugs."""

    limits_continuous_load: bool
    """Whether its code keeps continuous loads to 80 % of the breaker."""

    code: Name | None = None
    """Rule that says so."""


class FallbackRecord(SourcedRecord):
    """What is taken where the country is not told."""

    grid: Identifier
    """Circuits, id."""

    continuous_percent: Percent
    """Share of the breaker that is planned with, per cent."""

    power_factor: Annotated[float, Field(gt=0, le=1)]
    """Watts over volt-amperes of servers at full load."""


class EfficiencyPoint(Record):
    """Efficiency at one load."""

    load_percent: Percent
    """Load, per cent of the rating."""

    efficiency_percent: Percent
    """Output over input, per cent."""


class SupplyClassRecord(SourcedRecord):
    """Efficiency class of power supplies."""

    id: Identifier
    """Level and test: `platinum-230-redundant`."""

    efficiency: Annotated[tuple[EfficiencyPoint, ...], Field(min_length=2)]
    """Efficiency by load, ascending."""


class TransientRecord(Record):
    """Peak of one card within 200 microseconds."""

    gpu: Identifier
    """Card, id."""

    board_power_w: Positive
    """Power it is sold with, W."""

    peak_w: Positive
    """Highest measured, W."""


class SupplyRule(Record):
    """How many cards a vendor allows on a redundant pair of supplies."""

    supply_w: PositiveCount
    """Rating of one of the two, W."""

    gpu_w: PositiveCount
    """Board power of a card, W."""

    most_gpus: PositiveCount
    """Cards allowed."""


class SuppliesRecord(SourcedRecord):
    """Power supplies that are sold, and the margin they need."""

    redundant_w: Annotated[tuple[PositiveCount, ...], Field(min_length=1)]
    """Ratings of supplies for servers, ascending, W."""

    desktop_w: Annotated[tuple[PositiveCount, ...], Field(min_length=1)]
    """Ratings of supplies for desktops, ascending, W."""

    level: Identifier
    """80 PLUS level that is taken where none is told."""

    most_redundant_supplies: PositiveCount
    """Most supplies in a server."""

    most_desktop_supplies: PositiveCount
    """Most supplies in a desktop or open frame."""

    gpu_margin: Annotated[float, Field(ge=1)]
    """Watts of supply for each watt of board power, for peaks."""

    reserve_w: Positive
    """Kept for the rest of a server whose processors are slowed when a supply fails, W."""

    low_line_v: Positive
    """Highest voltage of the low range, V."""

    low_line_most_w: Positive
    """Largest rating that runs on the low range as well, W."""

    transients: tuple[TransientRecord, ...]
    """Measured peaks."""

    rule: tuple[SupplyRule, ...]
    """Vendor's table that the margin was read from."""


class ConnectorsRecord(SourcedRecord):
    """What each connector of a card may carry."""

    slot_w: Positive
    """PCI Express slot, W."""

    six_pin_w: Positive
    """Connector of six pins, W."""

    eight_pin_w: Positive
    """Connector of eight pins, W."""

    sixteen_pin_w: Positive
    """12VHPWR and 12V-2x6, W."""


class ElectricityFile(Record):
    """What `electricity.toml` holds."""

    grid: tuple[GridRecord, ...]
    """Circuits, sorted by id."""

    country: tuple[CountryRecord, ...]
    """Countries, sorted by id."""

    fallback: FallbackRecord
    """Where no country is told."""

    supply_class: tuple[SupplyClassRecord, ...]
    """Efficiency classes, sorted by id."""

    supplies: SuppliesRecord
    """Supplies sold."""

    connectors: ConnectorsRecord
    """Connectors of cards."""

    parts: PartsRecord
    """Draw of parts."""

    cooling: CoolingRecord
    """Heat and air."""

    inlet_class: tuple[InletClassRecord, ...]
    """Classes of intake air, sorted by id."""

    thermal_limit: tuple[ThermalRecord, ...]
    """Temperatures of GPUs, sorted by id."""

    system: tuple[SystemRecord, ...]
    """Whole systems, sorted by id."""
