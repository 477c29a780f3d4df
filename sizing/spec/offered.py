"""Which circuits to show: those of a country, or those that people know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sizing.spec.circuits import Circuit, CircuitUse, circuits_sold
from sizing.spec.electricity import Electricity
from sizing.spec.electricity_records import CountryRecord

REFERENCE_GRIDS: Final = ("iec-230", "north-america")
"""Circuits that are shown where no country is told."""

FAMILIAR: Final = (
    (120, 1, 15), (120, 1, 20), (230, 1, 16), (208, 1, 30), (230, 1, 32), (208, 3, 60), (400, 3, 32)
)  # fmt: skip
"""Circuits that people know, volts, phases and amps: shown where none was named."""


def familiar(
    electricity: Electricity, country: CountryRecord | None, voltage_v: float | None
) -> tuple[Circuit, ...]:
    """Return what to show where no circuit was named: of a voltage, a country, or well known."""
    sold = circuits_sold(electricity, country)
    if at_voltage := tuple(each for each in sold if each.voltage_v == voltage_v):
        return at_voltage
    if country:
        return sold
    share = electricity.fallback.continuous_percent
    return tuple(
        Circuit(voltage_v=volts, phases=phases, breaker_a=amps, continuous_percent=share)
        for volts, phases, amps in FAMILIAR
    )


def offered_circuits(
    electricity: Electricity, country: CountryRecord | None, uses: Sequence[CircuitUse]
) -> tuple[Circuit, ...]:
    """Return what can be had: in the country, else where the named voltages are in use."""
    if country:
        return circuits_sold(electricity, country)
    volts = {use.circuit.voltage_v for use in uses}
    reference = {
        each.voltage_v
        for grid in electricity.grids
        if grid.id in REFERENCE_GRIDS
        for each in grid.circuits
    }
    wanted = {
        (each.voltage_v, each.phases, each.breaker_a)
        for grid in electricity.grids
        if grid.id in REFERENCE_GRIDS
        or (volts - reference) & {each.voltage_v for each in grid.circuits}
        for each in grid.circuits
    }
    return tuple(each for each in circuits_sold(electricity, None) if size_of(each) in wanted)


def size_of(circuit: Circuit) -> tuple[float, int, float]:
    """Return volts, phases and amps: what tells circuits apart."""
    return circuit.voltage_v, circuit.phases, circuit.breaker_a
