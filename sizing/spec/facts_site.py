"""Facts of a plan that a purchase names: electricity, room, software and money."""

from __future__ import annotations

from sizing.records import Count, Name, Positive, PositiveCount, Record

Names = tuple[Name, ...]


class PowerFacts(Record):
    """Electricity."""

    server_typical_w: Positive | None = None
    """Draw of one server at the wall at work, W."""

    server_peak_w: Positive | None = None
    """Highest draw of one server at the wall, W."""

    peak_kw: Positive | None = None
    """Highest draw of all servers at the wall, kW."""

    peak_kva: Positive | None = None
    """The same as apparent power, kVA."""

    psus: PositiveCount | None = None
    """Power supplies in one server."""

    psu_w: Positive | None = None
    """Rating of one power supply, W."""

    psus_needed: PositiveCount | None = None
    """Power supplies that must run to carry the peak."""

    feeds: PositiveCount | None = None
    """Independent feeds of each server."""

    circuits_per_feed: PositiveCount | None = None
    """Circuits of one feed, for all servers."""

    circuit_a: Positive | None = None
    """Rating of a circuit's breaker, A."""

    circuit_v: Positive | None = None
    """Voltage of a circuit, V."""

    circuit_phases: PositiveCount | None = None
    """Phases of a circuit."""

    feed_kw: Positive | None = None
    """What the circuits of one feed carry together, kW."""

    feed_load_a: Positive | None = None
    """Current of each line conductor with one feed lost, A."""

    breaker_share_percent: Positive | None = None
    """Share of the breaker that may be used without pause, per cent."""

    outlets: PositiveCount | None = None
    """Outlets of all servers, one for each cord."""

    outlet_type: Name | None = None
    """Type of the outlets, such as C19."""

    transient_w: Positive | None = None
    """Peak of one server within milliseconds, W."""


class CoolingFacts(Record):
    """Heat and air."""

    heat_kw: Positive | None = None
    """Heat of all servers at the peak, kW."""

    heat_btu_per_h: Positive | None = None
    """The same, BTU per hour."""

    cooling_tons: Positive | None = None
    """The same, tons of refrigeration."""

    airflow_m3_per_h: Positive | None = None
    """Air through all servers, cubic metres an hour."""

    airflow_cfm: Positive | None = None
    """The same, cubic feet a minute."""

    inlet_low_c: float | None = None
    """Lowest intake temperature that the servers allow, degrees Celsius."""

    inlet_high_c: float | None = None
    """Highest intake temperature that the servers allow, degrees Celsius."""

    throttle_c: Positive | None = None
    """Temperature from which the GPUs slow down, degrees Celsius."""

    liquid_required: bool | None = None
    """Whether the servers exist with liquid cooling only."""

    supply_water_c: Positive | None = None
    """Temperature of the water supplied, degrees Celsius."""

    liquid_share_percent: Positive | None = None
    """Share of the heat that the water takes, per cent."""


class SiteFacts(Record):
    """The room."""

    rack_units: PositiveCount | None = None
    """Rack units of all servers."""

    racks: PositiveCount | None = None
    """Racks they fill."""

    rack_kw: Positive | None = None
    """Highest draw of one rack, kW."""

    depth_mm: Positive | None = None
    """Depth of one server, mm."""

    server_kg: Positive | None = None
    """Weight of one server, kg."""

    total_kg: Positive | None = None
    """Weight of all servers, kg."""

    energy_kwh_per_year: Positive | None = None
    """Electricity of a year, cooling included, kWh."""

    pue: Positive | None = None
    """Electricity of the site over that of the computers."""

    emissions_kg_per_year: Positive | None = None
    """CO2 equivalent of that electricity, kg a year."""


class SoftwareFacts(Record):
    """Software the servers run."""

    systems: Names | None = None
    """Operating systems that driver and toolkit support, with their versions."""

    driver: Name | None = None
    """Least version of the GPU driver."""

    compute_stack: Name | None = None
    """CUDA or ROCm, with its version."""

    container_toolkit: Name | None = None
    """Container toolkit, with its version."""

    mig_slices: Names | None = None
    """MIG slices to configure, how many of each profile on all servers, as people read them."""

    engines: Names | None = None
    """Serving engines and frameworks."""

    containers: Names | None = None
    """NIM containers, with their versions."""

    license_name: Name | None = None
    """Subscription that the software needs."""

    licenses: Count | None = None
    """Subscriptions; 0 where the software needs none."""

    license_years: Positive | None = None
    """Term of each, years."""


class MoneyFacts(Record):
    """What it costs."""

    purchase_low_usd: Positive | None = None
    """Purchase, low bound, USD."""

    purchase_high_usd: Positive | None = None
    """Purchase, high bound, USD."""

    budget_usd: Positive | None = None
    """Most that may be spent, USD."""

    price_date: Name | None = None
    """Day of the oldest price in it, ISO 8601."""

    tco_usd: Positive | None = None
    """Purchase and operation over the term, USD."""

    cloud_usd: Positive | None = None
    """Rented machines for the same term and hours, USD."""

    tco_years: Positive | None = None
    """Term of both, years."""

    break_even_hours_per_day: Positive | None = None
    """Use from which buying is the cheaper, hours a day."""

    support_years: PositiveCount | None = None
    """Term of warranty and support that is reckoned with, years."""

    tax_percent: float | None = None
    """Tax that comes on top, per cent; None where it is not known."""
