"""Power, circuits, cooling and the room of whole plans: machines worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.catalogue import load_catalogue
from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec.cooling import Liquid
from sizing.spec.electricity import UnknownCountryError, load_electricity
from sizing.spec.facility import FacilityPlan, Machine, Use, facility_of
from sizing.spec.host_parts import usual_parts
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.wishes import SiteWishes

FACTS = load_electricity()
CATALOGUE = load_catalogue()
MODEL = ModelLoad(
    name="A model", model_id=None, kind=ModelKind.LLM, precision="fp8", engine="vllm",
    mode=Mode.INFER, parameters=10**9, weights_bytes=10**9, checkpoint_bytes=10**9, copies=1,
    gpus_per_copy=1,
)  # fmt: skip


def plan(
    gpu: str,
    gpus: int,
    *,
    servers: int = 1,
    spare: int = 0,
    units: int = 4,
    system: str | None = None,
    most_w: float | None = None,
    **site,
) -> FacilityPlan:
    record = CATALOGUE.gpus[gpu]
    load = ServerLoad(gpu=record, gpus=gpus, servers=servers, spare_servers=spare, models=(MODEL,))
    machine = Machine(
        rack_units=units, most_w=most_w, system=FACTS.system(system) if system else None
    )
    return facility_of(
        load,
        usual_parts(record, gpus, FACTS),
        machine,
        SiteWishes(**site),
        electricity=FACTS,
        use=Use(pue=1.5),
    )


def codes(notes) -> list[str]:
    return [note.code for note in notes]


def test_three_dgx_h100_and_a_spare_in_spain() -> None:
    """4 x 10,737 VA = 42.9 kVA on each feed: one of 400 V 125 A (69.3 kVA), so two with both."""
    found = plan("h100-sxm", 8, servers=3, spare=1, units=8, system="dgx-h100", country="es")
    assert (found.needed.circuit.voltage_v, found.needed.circuit.breaker_a) == (400, 125)
    assert (found.needed.circuits, found.needed.servers, found.feeds) == (2, 6, 2)
    assert [use.circuit.breaker_a for use in found.others] == [32, 63]
    assert (found.site.servers, found.site.racks) == (4, 2)
    assert found.cooling.rack_kw == pytest.approx(30.6)
    assert found.cooling.liquid is Liquid.WORTH_IT
    assert found.there is None
    assert codes(found.notes) == [
        "two_feeds_assumed", "sea_level_assumed", "amps_rule", "share_is_margin", "root_three",
        "both_feeds",
    ]  # fmt: skip


def test_circuits_that_are_there_hold_fewer() -> None:
    """Two of 400 V 63 A as A and B carry three; the fourth server is outside."""
    found = plan(
        "h100-sxm", 8, servers=4, units=8, system="dgx-h100", country="de",
        voltage_v=400, breaker_a=63, circuits=2,
    )  # fmt: skip
    assert found.there is not None
    assert (found.there.servers, found.needed.circuits) == (3, 4)
    assert (found.site.servers_inside, found.site.limits) == (3, ("circuits",))


@pytest.mark.parametrize(
    ("circuits", "breaker_a", "inside", "limits"),
    [
        (1, 32, 0, ("circuits",)),
        (2, 32, 1, ()),
        (4, 32, 1, ()),
    ],
)
def test_circuits_of_which_only_the_number_is_told(circuits, breaker_a, inside, limits) -> None:
    """A DGX H100 is 10,737 VA: 400 V 32 A plan with 17,736, one on each feed; one has no other.

    Two on each feed may be of 230 V 32 A, which plan with 5,888 VA: 11,776 carry it.
    """
    found = plan("h100-sxm", 8, system="dgx-h100", country="es", circuits=circuits)
    assert found.there is not None
    assert found.there.circuit == found.needed.circuit
    assert (found.there.circuits, found.needed.circuit.breaker_a) == (circuits, breaker_a)
    assert found.needed.circuit.voltage_v == (230 if circuits == 4 else 400)
    assert (found.there.servers, found.site.limits) == (inside, limits)


def test_four_l40s_where_no_country_is_told() -> None:
    """3,940 W at most are 4,147 VA: 230 V 32 A, and 16 A is too small; two feeds."""
    found = plan("l40s", 4)
    assert found.power.design_w == pytest.approx(3_940, abs=1)
    assert (found.needed.circuit.breaker_a, found.needed.circuits) == (32, 2)
    assert codes(found.notes)[:2] == ["country_assumed", "two_feeds_assumed"]
    assert found.cooling.liquid is Liquid.NOT_NEEDED


def test_a_workstation_hangs_on_one_outlet() -> None:
    """Two RTX PRO 6000: 2,029 W at most are 2,136 VA, on 120 V 30 A (2,880) in the US."""
    found = plan("rtx-pro-6000-ws", 2, country="us", voltage_v=120)
    assert (found.feeds, found.needed.circuits) == (1, 1)
    assert found.needed.circuit.breaker_a == 30
    assert "one_feed_assumed" in codes(found.notes)
    assert "share_is_law" in codes(found.notes)


def test_an_edge_box_takes_the_smallest_circuit() -> None:
    found = plan("l4", 1, units=1, country="mx")
    assert (found.needed.circuit.voltage_v, found.needed.circuit.breaker_a) == (127, 15)


def test_a_rack_of_72_needs_liquid_and_many_circuits() -> None:
    """120 kW are 126 kVA: three of 400 V 125 A (69.3 kVA each) would be two, on each feed."""
    found = plan("gb200", 72, units=48, system="gb200-nvl72", country="de", liquid=False)
    assert found.needed.circuits == 4
    assert found.cooling.liquid is Liquid.REQUIRED
    assert found.site.limits == ("liquid",)
    assert "coolant" in found.site.questions
    assert found.site.weight_kg == 1_360


def test_a_printed_maximum_wins() -> None:
    found = plan("h100-sxm", 8, units=6, most_w=10_200)
    assert found.power.wall_w.typical == 10_200
    assert found.power.dc_w.typical < 10_200


def test_thin_air_and_a_warm_room() -> None:
    """At 2,400 m the warmest intake falls from 30 to 25 degrees: 27 are too warm."""
    found = plan("l40s", 4, altitude_m=2_400, inlet_c=27)
    assert found.cooling.inlet_high_c == pytest.approx(25)
    assert "inlet" in found.site.limits
    assert found.site.servers_inside == 0


def test_an_unknown_country_is_told() -> None:
    with pytest.raises(UnknownCountryError):
        plan("l40s", 4, country="zz")


@settings(max_examples=40)
@given(
    st.sampled_from(["l4", "l40s", "h100-sxm", "rtx-4090"]),
    st.integers(1, 8),
    st.integers(1, 6),
    st.sampled_from([None, "us", "es", "mx", "jp", "br"]),
)
def test_more_servers_never_ask_for_less(gpu, gpus, servers, country) -> None:
    small = plan(gpu, gpus, servers=servers, country=country)
    large = plan(gpu, gpus, servers=servers + 1, country=country)
    more = plan(gpu, gpus + 1, servers=servers, country=country)
    for bigger in (large, more):
        assert small.site.total_kw <= bigger.site.total_kw * (1 + 1e-9)
        assert small.site.energy.site_kwh.high <= bigger.site.energy.site_kwh.high * (1 + 1e-9)
        assert small.site.racks <= bigger.site.racks
    assert small.needed.servers >= servers
