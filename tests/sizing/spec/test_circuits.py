"""Circuits: volts times amps, the share of a breaker, feeds, and how many servers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.spec.circuits import Circuit, carried, choose, circuits_sold, needed, that_carry
from sizing.spec.electricity import load_electricity

FACTS = load_electricity()


def circuit(voltage: float, phases: int, breaker: float, share: float = 80) -> Circuit:
    return Circuit(voltage_v=voltage, phases=phases, breaker_a=breaker, continuous_percent=share)


@pytest.mark.parametrize(
    ("voltage", "phases", "breaker", "va", "usable"),
    [
        (120, 1, 15, 1_800, 1_440),
        (120, 1, 20, 2_400, 1_920),
        (208, 1, 30, 6_240, 4_992),
        (230, 1, 16, 3_680, 2_944),
        (230, 1, 32, 7_360, 5_888),
        (208, 3, 30, 10_808, 8_646),
        (208, 3, 60, 21_616, 17_293),
        (400, 3, 32, 22_170, 17_736),
        (400, 3, 63, 43_648, 34_918),
        (415, 3, 30, 21_564, 17_251),
        (415, 3, 60, 43_128, 34_502),
    ],
)
def test_capacity(voltage, phases, breaker, va, usable) -> None:
    """V x A, of three phases times the square root of 3: 208 x 60 x 1.732 = 21,616."""
    found = circuit(voltage, phases, breaker)
    assert found.capacity_va == pytest.approx(va, abs=0.6)
    assert found.usable_va == pytest.approx(usable, abs=0.6)


@pytest.mark.parametrize(("voltage", "amps"), [(120, 4.17), (208, 2.40)])
def test_amps_of_a_server_of_500_w(voltage: float, amps: float) -> None:
    """W / V without the power factor; 0.95 makes it 4.39 and 2.53."""
    use = carried(circuit(voltage, 1, 20), 500, power_factor=0.95)
    assert use.amps_a == pytest.approx(amps, abs=0.005)
    assert use.apparent_a == pytest.approx(amps / 0.95, abs=0.005)


@pytest.mark.parametrize(
    ("found", "server_w", "servers", "at_rating"),
    [
        (circuit(120, 1, 20), 500, 3, 4),  # 1,920 / 526.3 = 3.6; 2,400 / 526.3 = 4.6
        (circuit(208, 1, 30), 500, 9, 11),  # 4,992 / 526.3 = 9.5
        (circuit(230, 1, 32), 10_200, 0, 0),
        (circuit(208, 3, 30), 10_200, 0, 1),  # 8,646 / 10,737; 10,808 would do
        (circuit(400, 3, 63), 10_200, 3, 4),  # 34,918 / 10,737 = 3.25
        (circuit(415, 3, 60), 14_300, 2, 2),  # 34,502 / 15,053 = 2.29
    ],
)
def test_servers_of_one_circuit(found, server_w, servers, at_rating) -> None:
    use = carried(found, server_w, power_factor=0.95)
    assert (use.servers, use.servers_at_rating) == (servers, at_rating)


@pytest.mark.parametrize(("server_w", "servers"), [(2944, 1), (2944.1, 0), (1472, 2), (1472.1, 1)])
def test_a_full_circuit_is_full(server_w: float, servers: int) -> None:
    """230 V x 16 A x 80 % = 2,944 VA, at a power factor of 1."""
    assert carried(circuit(230, 1, 16), server_w, power_factor=1).servers == servers


def test_of_two_feeds_one_carries_all() -> None:
    """Two circuits of 208 V 30 A carry 19 servers of 500 W together, 9 where one may fail."""
    one = carried(circuit(208, 1, 30), 500, power_factor=0.95, circuits=2)
    both = carried(circuit(208, 1, 30), 500, power_factor=0.95, circuits=2, feeds=2)
    assert (one.servers, both.servers) == (18, 9)
    assert both.loaded_percent == pytest.approx(100 * 9 * 500 / 0.95 / 6240)


def test_a_server_larger_than_a_circuit_takes_several() -> None:
    """10.2 kW are 10,737 VA: two circuits of 230 V 32 A (5,888 VA each), four with both feeds."""
    use = carried(circuit(230, 1, 32), 10_200, power_factor=0.95, circuits=5)
    assert (use.circuits_per_server, use.servers) == (2, 2)
    feeds = needed(circuit(230, 1, 32), 10_200, 3, power_factor=0.95, feeds=2)
    assert (feeds.circuits, feeds.servers) == (12, 3)


def test_circuits_of_a_country_and_of_all() -> None:
    spain = circuits_sold(FACTS, FACTS.country("es"))
    assert {each.voltage_v for each in spain} == {230, 400}
    assert [each.capacity_va for each in spain] == sorted(each.capacity_va for each in spain)
    everywhere = circuits_sold(FACTS, None)
    assert len(everywhere) == len(set(everywhere))
    size = {(each.voltage_v, each.phases, each.breaker_a) for each in everywhere}
    assert {(each.voltage_v, each.phases, each.breaker_a) for each in spain} <= size


def test_the_smallest_that_carry_one() -> None:
    """A DGX H100 in Spain: 400 V 32 A (17.7 kVA), not 16 A (8.9)."""
    spain = circuits_sold(FACTS, FACTS.country("es"))
    found = that_carry(spain, 10_200, power_factor=0.95, most=2)
    assert [use.circuit.breaker_a for use in found] == [32, 63]


def test_the_fewest_circuits_then_the_smallest() -> None:
    """Four servers of 10.2 kW in Spain: one of 400 V 125 A (69.3 kVA for 42.9); 63 A takes two."""
    spain = circuits_sold(FACTS, FACTS.country("es"))
    found = choose(spain, 10_200, 4, power_factor=0.95, feeds=2)
    assert (found.circuit.breaker_a, found.circuits) == (125, 2)


CIRCUITS = st.builds(
    circuit, st.sampled_from([120, 208, 230, 400]), st.sampled_from([1, 3]), st.integers(10, 125)
)


@given(CIRCUITS, st.floats(50, 20_000), st.floats(1, 3), st.integers(1, 12), st.integers(1, 2))
def test_larger_servers_never_need_fewer(found, server_w, factor, servers, feeds) -> None:
    small = needed(found, server_w, servers, power_factor=0.95, feeds=feeds)
    large = needed(found, server_w * factor, servers, power_factor=0.95, feeds=feeds)
    assert small.circuits <= large.circuits
    assert small.amps_a <= large.amps_a
    assert small.servers >= servers
    assert large.servers >= servers
    assert small.loaded_percent <= found.continuous_percent * (1 + 1e-6)
