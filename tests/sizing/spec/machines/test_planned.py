"""Electricity, cooling and the room of planned machines, from their host and storage."""

from __future__ import annotations

import pytest

from sizing.spec.cooling import Liquid
from sizing.spec.electricity import load_electricity
from sizing.spec.facility import FacilityPlan, Use
from sizing.spec.planned import facility_for, in_machines
from sizing.spec.platform import platforms_for
from sizing.spec.wishes import HostWishes, SiteWishes

FACTS = load_electricity()


@pytest.fixture
def facility(load, model, planned, machines):
    """Return the facility of servers, of the best machine or of a named one."""

    def plan(gpu: str, gpus: int, platform: str | None = None, **more) -> FacilityPlan:
        site = SiteWishes(**more.pop("site", {"country": "es"}))
        servers = load(gpu, gpus, model(), **more)
        host, storage = planned(servers)
        wishes = HostWishes(platform=platform)
        choice = platforms_for(servers, wishes, machines, host=host, storage=storage)
        best = choice.options[0]
        return facility_for(
            servers, host, storage, best, site=site, electricity=FACTS, use=Use(pue=1.5)
        )

    return plan


def drawn(found: FacilityPlan) -> dict[str, float]:
    return {part.code: part.draw_w.typical for part in found.power.parts}


@pytest.mark.parametrize(
    ("platform", "gpu", "most_w"),
    [
        ("dgx-a100", "a100-sxm-80", 6_500),
        ("dgx-h100", "h100-sxm", 10_200),
        ("dgx-b200", "b200-sxm", 14_300),
        ("dell-xe9680", "h100-sxm", 10_200),
    ],
)
def test_what_the_maker_prints_counts(facility, platform, gpu, most_w) -> None:
    found = facility(gpu, 8, platform)
    assert found.power.wall_w.typical == most_w
    assert found.power.supply.supplies == 6
    assert found.cooling.heat_btu_per_h == pytest.approx(most_w * 3.412)


def test_eight_h100_hang_on_two_three_phase_circuits(facility) -> None:
    """10,737 VA on each of two feeds: 400 V 32 A (17.7 kVA)."""
    found = facility("h100-sxm", 8, "dgx-h100")
    assert (found.needed.circuits, found.needed.circuit.breaker_a) == (2, 32)
    assert found.site.rack_units == 8
    assert found.cooling.inlet_high_c == 30


def test_four_l40s_count_the_parts_of_their_host(facility) -> None:
    found = facility("l40s", 4)
    parts = drawn(found)
    assert parts["gpus"] == 1_400
    assert sum(parts.values()) == pytest.approx(found.power.dc_w.typical)
    assert 1_400 < found.power.dc_w.typical < found.power.wall_w.typical < 4_000
    assert found.feeds == 2


def test_a_workstation_hangs_on_one_outlet(facility) -> None:
    found = facility("rtx-pro-6000-ws", 2)
    assert found.feeds == 1
    assert (found.needed.circuits, found.needed.circuit.breaker_a) == (1, 16)


def test_an_edge_box_stays_below_a_kilowatt(facility) -> None:
    found = facility("l4", 1)
    assert found.power.wall_w.high < 1_000
    assert found.needed.circuit.breaker_a == 10


def test_eighteen_trays_are_one_rack(facility, load, model) -> None:
    """GB200 NVL72: 18 trays of four GPUs; 120 kW as printed, liquid, on each feed two circuits."""
    found = facility("gb200", 4, servers=18)
    assert (found.power.gpus, found.site.servers) == (72, 1)
    assert found.power.wall_w.typical == 120_000
    assert found.cooling.liquid is Liquid.REQUIRED
    assert (found.needed.circuits, found.needed.circuit.breaker_a) == (4, 125)


def test_a_machine_that_is_not_filled_is_counted_by_its_parts(facility) -> None:
    """Four of eight GPUs of an XE9680 draw far less than its 10.2 kW."""
    found = facility("h100-sxm", 4, "dell-xe9680")
    assert found.power.gpus == 4
    assert found.power.wall_w.high < 8_000
    assert found.power.system is None


def test_spare_servers_are_counted(facility) -> None:
    found = facility("l40s", 4, servers=2, spare_servers=1)
    assert found.site.servers == 3
    assert found.needed.servers >= 3


def test_without_a_machine_the_usual_height_is_taken(load, model, planned) -> None:
    servers = load("l40s", 4, model())
    host, storage = planned(servers)
    found = facility_for(
        servers, host, storage, None, site=SiteWishes(), electricity=FACTS, use=Use(pue=1.5)
    )
    assert found.site.rack_units == 4
    assert in_machines(servers, None) == servers
