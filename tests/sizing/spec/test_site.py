"""The room: racks, energy of a year, and the plan inside a limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.catalogue import load_catalogue
from sizing.performance import Estimate
from sizing.running import exactly
from sizing.spec.circuits import Circuit, carried
from sizing.spec.electricity import load_electricity
from sizing.spec.host_parts import usual_parts
from sizing.spec.power import server_power
from sizing.spec.site import SitePlan, energy_of, servers_in_rack, site_plan
from sizing.spec.wishes import SiteWishes

FACTS = load_electricity()
CATALOGUE = load_catalogue()
RECORD = CATALOGUE.gpus["h100-sxm"]
SYSTEM = FACTS.system("dgx-h100")
DGX = server_power(RECORD, 8, usual_parts(RECORD, 8, FACTS), FACTS, system=SYSTEM)


def plan(servers: int = 4, *, more: dict[str, object] | None = None, **site) -> SitePlan:
    return site_plan(
        DGX, servers, SiteWishes(**site), FACTS,
        **{"rack_units": 8, "pue": 1.5, "system": SYSTEM, **(more or {})},
    )  # fmt: skip


def test_energy_of_a_year_by_hand() -> None:
    """7.5 kW x 8,760 h = 65,700 kWh; a PUE of 1.5 adds 32,850; at 250 g/kWh 24.6 t of CO2e."""
    energy = energy_of(exactly(7_500), pue=1.5, grid_g_co2e_per_kwh=250)
    assert energy.computers_kwh.typical == pytest.approx(65_700)
    assert energy.cooling_kwh.typical == pytest.approx(32_850)
    assert energy.site_kwh.typical == pytest.approx(98_550)
    assert energy.co2e_t is not None
    assert energy.co2e_t.typical == pytest.approx(24.64, abs=0.01)
    assert energy_of(exactly(7_500), pue=1.5, hours_per_day=12).co2e_t is None


def test_racks_of_four_dgx_h100_by_hand() -> None:
    """40 kW of air over 10.2 kW: three in a rack, 24 units, 391.4 kg on 0.72 m2; two racks."""
    found = plan()
    assert (found.servers_per_rack, found.racks, found.rack_units) == (3, 2, 32)
    assert found.rack_kw == pytest.approx(30.6)
    assert found.total_kw == pytest.approx(40.8)
    assert found.weight_kg == pytest.approx(391.35)
    assert found.floor_kg_per_m2 == pytest.approx(543.5, abs=0.1)
    assert (found.servers_inside, found.limits) == (4, ())
    assert "delivery_path" in found.questions
    assert "coolant" not in found.questions


def test_a_rack_that_is_the_server() -> None:
    assert servers_in_rack(120, 48, 120) == 1
    assert "coolant" in plan(1, more={"needs_liquid": True}).questions


@pytest.mark.parametrize(
    ("site", "inside", "limits"),
    [
        ({"limit_kw": 40}, 3, ("limit_kw",)),
        ({"limit_kw": 40.8}, 4, ()),
        ({"rack_units": 31}, 3, ("rack_units",)),
        ({"rack_units": 32}, 4, ()),
        ({"limit_kw": 25, "rack_units": 31}, 2, ("limit_kw", "rack_units")),
        ({"limit_kw": 5}, 0, ("limit_kw",)),
        ({"limit_kw": 30.6}, 3, ("limit_kw",)),
        ({"rack_kw": 10.2}, 4, ()),
        ({"rack_kw": 10.1}, 0, ("rack_kw",)),
        ({"rack_kw": 10.1, "limit_kw": 40}, 0, ("limit_kw", "rack_kw")),
        ({"rack_height": 8}, 4, ()),
        ({"rack_height": 7}, 0, ("rack_height",)),
        ({"liquid": False}, 4, ()),
    ],
)
def test_the_plan_inside_a_limit(site, inside, limits) -> None:
    found = plan(**site)
    assert (found.servers_inside, found.limits) == (inside, limits)
    told = [note for note in found.notes if note.code in limits]
    assert len(told) == len(limits)


def test_circuits_that_are_there() -> None:
    """One of 400 V 63 A carries three; the fourth takes a second one."""
    circuit = Circuit(voltage_v=400, phases=3, breaker_a=63)
    found = plan(more={"circuits": carried(circuit, 10_200, power_factor=0.95)})
    assert (found.servers_inside, found.limits) == (3, ("circuits",))
    assert found.notes[0].values["wanted"] == 2


def test_what_the_room_rules_out() -> None:
    liquid = plan(more={"needs_liquid": True}, liquid=False)
    warm = plan(more={"inlet_high_c": 30}, inlet_c=32)
    assert (liquid.servers_inside, liquid.limits) == (0, ("liquid",))
    assert (warm.servers_inside, warm.limits) == (0, ("inlet",))
    assert plan(more={"inlet_high_c": 30}, inlet_c=30).limits == ()


@given(st.floats(1, 1e5), st.floats(1, 2.5), st.floats(1, 24))
def test_cooling_and_computers_are_the_site(watts: float, pue: float, hours: float) -> None:
    draw = Estimate(low=watts * 0.64, typical=watts * 0.73, high=watts)
    if pue == 1:
        return
    energy = energy_of(draw, pue=pue, hours_per_day=hours)
    for bound in ("low", "typical", "high"):
        parts = getattr(energy.computers_kwh, bound) + getattr(energy.cooling_kwh, bound)
        assert parts == pytest.approx(getattr(energy.site_kwh, bound))
