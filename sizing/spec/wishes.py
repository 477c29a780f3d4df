"""What the asker may tell of host, storage, site, software and money; None leaves it to us."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records import Count, Name, Positive, PositiveCount, Record

Percent = Annotated[float, Field(ge=0, le=1000)]
Paid = Annotated[float, Field(ge=0)]


class Sharing(StrEnum):
    """How models share a card."""

    FRACTIONS = "fractions"
    """Each engine reserves a fraction of its memory."""

    SLICES = "mig"
    """Each has a MIG slice of its own, where the card can be cut."""

    NONE = "no"
    """Not at all."""


class GrowthWishes(Record):
    """How the load grows, and what is kept in reserve."""

    growth_percent: Percent | None = None
    """More load each year, per cent of the year before."""

    horizon_years: Positive | None = None
    """Years the purchase has to last."""

    spare_servers: Count | None = None
    """Servers that wait for another to fail."""


class HostWishes(Record):
    """Limits of the host."""

    ram_gb: Positive | None = None
    """Memory of one server, GB, where it is given."""

    cpu_cores: PositiveCount | None = None
    """Cores of one server, where they are given."""

    platform: Name | None = None
    """Server or workstation that is wanted, id or name."""


class StorageWishes(Record):
    """What is stored beside the models."""

    dataset_gb: Positive | None = None
    """Data sets that are kept, GB."""

    revisions: PositiveCount | None = None
    """Revisions of each model that are kept at once."""

    checkpoints: PositiveCount | None = None
    """Checkpoints of a training run that are kept."""

    log_gb_per_day: Positive | None = None
    """Logs written each day, GB."""

    log_days: PositiveCount | None = None
    """Days that logs are kept."""


class SiteWishes(Record):
    """The room: its electricity, its cooling, its racks."""

    country: Name | None = None
    """Country, ISO 3166-1 code of two letters; decides voltage, plugs and the 80 % rule."""

    voltage_v: Positive | None = None
    """Voltage of the circuits: of three phases, between two of them, V."""

    phases: Annotated[int, Field(ge=1, le=3)] | None = None
    """Phases of a circuit: 1 or 3."""

    breaker_a: Positive | None = None
    """Rating of each circuit's breaker, A."""

    circuits: PositiveCount | None = None
    """Circuits that are there."""

    feeds: Annotated[int, Field(ge=1, le=2)] | None = None
    """Independent feeds: 2 where each server hangs on both."""

    limit_kw: Positive | None = None
    """Most that the computers may draw, kW."""

    rack_units: PositiveCount | None = None
    """Free rack units."""

    rack_height: PositiveCount | None = None
    """Rack units of one rack."""

    rack_kw: Positive | None = None
    """Most that one rack may draw, kW."""

    power_factor: Annotated[float, Field(gt=0, le=1)] | None = None
    """Real power of a server over its apparent power."""

    inlet_c: Positive | None = None
    """Air at the servers' intake, degrees Celsius."""

    altitude_m: Count | None = None
    """Height above the sea, m."""

    liquid: bool | None = None
    """Whether the room has a loop for liquid-cooled servers."""

    grid_g_co2e_per_kwh: Positive | None = None
    """Emissions of the electricity, grams of CO2 equivalent per kWh."""


class Orchestrator(StrEnum):
    """What starts the containers."""

    DOCKER = "docker"
    KUBERNETES = "kubernetes"


class SoftwareWishes(Record):
    """What the software has to be like."""

    orchestrator: Orchestrator | None = None
    """What starts the containers."""

    operating_system: Name | None = None
    """Operating system that is wanted, with its version: `Ubuntu 24.04`."""

    production: bool = True
    """Whether it serves real users; trying out needs fewer licences."""

    reduced_license: bool = False
    """Whether the buyer has prices of education or start-up programmes."""


class MoneyWishes(Record):
    """What the money is reckoned with, beside what `Spending` says."""

    currency: Name | None = None
    """Currency of the plan, ISO 4217."""

    usd_per_unit: Positive | None = None
    """Rate of that currency: USD for one unit of it."""

    tax_percent: Percent | None = None
    """Tax on top of prices, per cent."""

    staff_usd_per_year: Paid | None = None
    """Cost of the people who run it, USD a year."""

    support_percent: Percent | None = None
    """Support and spare parts, per cent of the purchase a year."""

    horizon_years: Positive | None = None
    """Years the comparison covers; a part of a year counts as one."""

    site_usd_per_year: Paid | None = None
    """Rent of the room or of rack space, USD a year."""

    budget_usd: Positive | None = None
    """Most that the purchase may cost, tax included, USD."""
