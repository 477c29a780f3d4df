"""Heat and air: conversions by hand, intake at an altitude, and where liquid begins."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from sizing.spec.cooling import (
    Liquid,
    air_density,
    airflow_cfm,
    btu_per_h,
    cooling_of,
    highest_inlet_c,
)
from sizing.spec.electricity import load_electricity
from sizing.spec.host_parts import usual_parts
from sizing.spec.power import server_power

FACTS = load_electricity()


def heat(catalogue: Catalogue, gpu: str, gpus: int, system: str | None = None) -> float:
    record = catalogue.gpus[gpu]
    printed = FACTS.system(system) if system else None
    host = usual_parts(record, gpus, FACTS)
    return server_power(record, gpus, host, FACTS, system=printed).heat_w


@pytest.mark.parametrize(
    ("watts", "btu", "cfm"),
    [
        (1_000, 3_412, (79, 105, 157)),
        (12_000, 40_944, None),
        (10_200, 34_802, (802, 1_069, 1_604)),
        (14_300, 48_792, (1_124, 1_499, 2_248)),
    ],
)
def test_heat_and_air(watts, btu, cfm) -> None:
    """34,802 / (1.085 x 40, 30, 20 F); Lenovo's sheet has 40,946 BTU/h for 12,000 W."""
    assert btu_per_h(watts, FACTS.cooling) == pytest.approx(btu, abs=1)
    if cfm:
        flow = airflow_cfm(watts, FACTS.cooling)
        assert [flow.low, flow.typical, flow.high] == pytest.approx(cfm, abs=1)


@pytest.mark.parametrize(("feet", "density"), [(0, 1), (2_000, 0.93), (10_000, 0.69)])
def test_thin_air(feet: float, density: float) -> None:
    assert air_density(feet * 0.3048) == pytest.approx(density, abs=0.005)


@pytest.mark.parametrize(("metres", "warmest"), [(0, 35), (900, 35), (1_200, 34), (2_400, 30)])
def test_intake_falls_with_altitude(metres: float, warmest: float) -> None:
    """Class A2: one degree for each 300 m above 900."""
    assert highest_inlet_c(FACTS.inlet_class("a2"), metres) == pytest.approx(warmest)


def test_a_dgx_h100_by_hand(catalogue: Catalogue) -> None:
    """10.2 kW = 34,802 BTU/h = 2.9 tons; the maker prints 38,557 and 1,105 CFM, and 5 to 30 C."""
    system = FACTS.system("dgx-h100")
    plan = cooling_of(
        heat(catalogue, "h100-sxm", 8, "dgx-h100"),
        FACTS, gpu=catalogue.gpus["h100-sxm"], system=system, servers_per_rack=4,
    )  # fmt: skip
    assert plan.heat_btu_per_h == pytest.approx(34_802, abs=1)
    assert plan.cooling_tons == pytest.approx(2.9, abs=0.005)
    assert plan.airflow_m3_per_h.typical == pytest.approx(1_069.2 * 1.699, rel=1e-3)
    assert plan.rack_kw == pytest.approx(40.8)
    assert plan.liquid is Liquid.WORTH_IT
    assert (plan.inlet_low_c, plan.inlet_high_c) == (5, 30)
    assert plan.throttling is not None
    assert (plan.throttling.slowdown_c, plan.throttling.shutdown_c) == (89, 92)
    assert [note.code for note in plan.notes] == ["liquid_worth", "inlet_printed", "heat_printed"]


def test_general_servers_are_narrowed_by_their_gpus_and_the_altitude(catalogue: Catalogue) -> None:
    """A2 allows 35 C, GPU builds 30; Mexico City at 2,240 m takes 1,340 / 300 = 4.5 off."""
    plan = cooling_of(heat(catalogue, "l40s", 4), FACTS, altitude_m=2_240)
    assert plan.inlet_high_c == pytest.approx(30 - 1_340 / 300)
    assert plan.liquid is Liquid.NOT_NEEDED
    assert [note.code for note in plan.notes] == ["inlet_narrowed", "inlet_altitude"]
    at_sea = cooling_of(heat(catalogue, "l40s", 4), FACTS)
    assert plan.airflow_cfm.typical > at_sea.airflow_cfm.typical
    high = cooling_of(heat(catalogue, "l40s", 4), FACTS, altitude_m=3_600)
    assert "altitude_beyond" in [note.code for note in high.notes]


@pytest.mark.parametrize(
    ("gpu", "gpus", "per_rack", "liquid"),
    [
        ("gb200", 72, 1, Liquid.REQUIRED),
        ("mi355x", 8, 1, Liquid.REQUIRED),
        ("h100-sxm", 8, 3, Liquid.NOT_NEEDED),
        ("h100-sxm", 8, 4, Liquid.WORTH_IT),
        ("h100-sxm", 8, 7, Liquid.REQUIRED),
    ],
)
def test_where_liquid_begins(catalogue, gpu, gpus, per_rack, liquid) -> None:
    """From 30 kW a rack it is worth a look, beyond 60 a rear door no longer does; 9.6 kW each."""
    plan = cooling_of(
        heat(catalogue, gpu, gpus), FACTS, gpu=catalogue.gpus[gpu], servers_per_rack=per_rack
    )
    assert plan.liquid is liquid
