"""What circuits carry: amps, the share of a breaker, both feeds, and how many servers."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, sqrt
from typing import Annotated, Final

from pydantic import Field

from sizing.records import Count, Name, Positive, PositiveCount, Record
from sizing.spec.electricity import Electricity
from sizing.spec.electricity_records import CountryRecord, GridRecord, Percent, Phases

THREE_PHASES: Final = 3

THREE_PHASE_FROM_V: Final = 380.0
"""Voltage from which a circuit has three phases unless one is said, V."""

ROUNDING = 1e-9
"""Share by which a load may exceed a circuit through rounding alone."""


class Circuit(Record):
    """What one breaker feeds."""

    voltage_v: Positive
    """Voltage; of three phases that between two of them, V."""

    phases: Phases = 1
    """1 or 3."""

    breaker_a: Positive
    """Rating of the breaker, A."""

    continuous_percent: Percent = 80
    """Share of the rating that is planned with, per cent."""

    plug: Name | None = None
    """Plug or connector; None where it is the country's own or unknown."""

    @property
    def root(self) -> float:
        """Return what volts times amps are multiplied by: the square root of 3 for three phases."""
        return sqrt(3) if self.phases == THREE_PHASES else 1.0

    @property
    def capacity_va(self) -> float:
        """Return what the breaker lets through, VA."""
        return self.voltage_v * self.breaker_a * self.root

    @property
    def usable_va(self) -> float:
        """Return what is planned with, VA."""
        return self.capacity_va * self.continuous_percent / 100

    @property
    def usable_a(self) -> float:
        """Return the amps that are planned with."""
        return self.breaker_a * self.continuous_percent / 100

    def current_a(self, load_va: float) -> float:
        """Return the amps in each live conductor at a load, balanced over the phases."""
        return load_va / (self.voltage_v * self.root)


class CircuitUse(Record):
    """Servers on circuits of one kind."""

    circuit: Circuit
    """The circuit."""

    circuits: PositiveCount
    """Circuits of that kind, on all feeds together."""

    feeds: Annotated[int, Field(ge=1, le=2)]
    """Independent feeds; of two each carries all alone."""

    capacity_va: Positive
    """Breaker of one circuit, VA."""

    usable_va: Positive
    """Planned of one circuit, VA."""

    server_va: Positive
    """One server, VA."""

    amps_a: Positive
    """Amps of one server in each live conductor, W over V, without the power factor."""

    apparent_a: Positive
    """The same with the power factor: what the breaker sees, A."""

    circuits_per_server: PositiveCount
    """Circuits of one feed that one server needs."""

    servers: Count
    """Servers they carry."""

    servers_at_rating: Count
    """Servers at the full rating of the breaker."""

    loaded_percent: Annotated[float, Field(ge=0)]
    """Load of each breaker with these servers, one feed lost, per cent of its rating."""


def carried(
    circuit: Circuit,
    server_w: float,
    *,
    power_factor: float,
    circuits: int = 1,
    feeds: int = 1,
) -> CircuitUse:
    """Return how many servers of `server_w` the circuits carry.

    With two feeds each server hangs on both, and one of them carries all when the other fails. A
    server larger than a circuit is spread over several of its feed by its supplies.
    """
    server_va = server_w / power_factor
    each_feed = circuits // feeds
    servers = _servers(each_feed, circuit.usable_va, server_va)
    load_va = servers * server_va / max(1, each_feed)
    return CircuitUse(
        circuit=circuit,
        circuits=circuits,
        feeds=feeds,
        capacity_va=circuit.capacity_va,
        usable_va=circuit.usable_va,
        server_va=server_va,
        amps_a=circuit.current_a(server_w),
        apparent_a=circuit.current_a(server_va),
        circuits_per_server=circuits_per_server(circuit, server_va),
        servers=servers,
        servers_at_rating=_servers(each_feed, circuit.capacity_va, server_va),
        loaded_percent=100 * load_va / circuit.capacity_va,
    )


def circuits_per_server(circuit: Circuit, server_va: float) -> int:
    """Return the circuits of one feed that a server needs."""
    return max(1, ceil(server_va / circuit.usable_va - ROUNDING))


def needed(
    circuit: Circuit, server_w: float, servers: int, *, power_factor: float, feeds: int = 1
) -> CircuitUse:
    """Return the circuits of a kind that carry `servers`, those of both feeds counted."""
    server_va = server_w / power_factor
    alone = floor(circuit.usable_va / server_va + ROUNDING)
    if alone:
        each_feed = ceil(servers / alone)
    else:
        each_feed = servers * circuits_per_server(circuit, server_va)
    return carried(
        circuit, server_w, power_factor=power_factor, circuits=each_feed * feeds, feeds=feeds
    )


def circuits_sold(electricity: Electricity, country: CountryRecord | None) -> tuple[Circuit, ...]:
    """Return the circuits of a country, of all where none is told, smallest first."""
    grids = [electricity.grid(country)] if country else electricity.grids
    return circuits_of(electricity, *grids)


def circuits_of(electricity: Electricity, *grids: GridRecord) -> tuple[Circuit, ...]:
    """Return the circuits of some grids, smallest first."""
    share = electricity.fallback.continuous_percent
    found = {
        Circuit(continuous_percent=share, **sold.model_dump(exclude={"plug"})): sold.plug
        for grid in grids
        for sold in grid.circuits
    }
    sold = [circuit.model_copy(update={"plug": plug}) for circuit, plug in found.items()]
    return tuple(sorted(sold, key=lambda each: (each.capacity_va, each.voltage_v)))


def that_carry(
    sold: Iterable[Circuit], server_w: float, *, power_factor: float, most: int
) -> tuple[CircuitUse, ...]:
    """Return the smallest circuits that carry one server alone, at most `most` of them."""
    uses = (carried(circuit, server_w, power_factor=power_factor) for circuit in sold)
    return tuple(use for use in uses if use.servers)[:most]


def choose(
    sold: Iterable[Circuit], server_w: float, servers: int, *, power_factor: float, feeds: int
) -> CircuitUse:
    """Return the fewest circuits for `servers`, of the smallest kind that needs so few."""
    uses = [
        needed(circuit, server_w, servers, power_factor=power_factor, feeds=feeds)
        for circuit in sold
    ]
    return min(uses, key=lambda use: (use.circuits, use.capacity_va))


def _servers(circuits: int, each_va: float, server_va: float) -> int:
    """Return the servers on one feed."""
    alone = floor(each_va / server_va + ROUNDING)
    if alone:
        return alone * circuits
    return circuits // max(1, ceil(server_va / each_va - ROUNDING))
