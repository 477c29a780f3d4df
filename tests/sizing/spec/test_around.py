"""The parts of a whole spec, joined: five servers reckoned by hand, and limits that are told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.catalogue import load_catalogue
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.answer import Spec
from sizing.spec.plan import spec_of
from sizing.spec.request import SpecRequest, Workload
from sizing.spec.wishes import GrowthWishes, HostWishes, MoneyWishes, SiteWishes

CATALOGUE = load_catalogue()


def planned(
    gpu: str,
    count: int,
    model: str = "llama-3.1-8b",
    *,
    precision: str | None = None,
    budget: float | None = None,
    **wishes: object,
) -> Spec:
    asked = SizingRequest(
        model_id=model,
        precision=precision,
        gpus=(GpuChoice(gpu=gpu, count=count),),
        budget_usd=budget,
    )
    return spec_of(SpecRequest(workloads=(Workload(request=asked),), **wishes), CATALOGUE)


def test_eight_h100() -> None:
    """DGX H100 and its like: 10.2 kW printed = 10,200 x 3.412 = 34,802 BTU/h = 2.9 tons.

    405 GB of FP8 weights: twice that is 812 GB, the next even filling of 16 channels is 1,024 GB.
    """
    spec = planned("h100-sxm", 8, "llama-3.1-405b", precision="fp8")
    around = spec.around
    assert around.facility.power.wall_w.typical == pytest.approx(10_200)
    assert around.facility.cooling.heat_btu_per_h == pytest.approx(34_802, rel=1e-3)
    assert around.facility.cooling.cooling_tons == pytest.approx(2.9, abs=0.01)
    assert (around.host.ram_gb, around.host.ram_bound_by) == (1024, "twice_weights")
    assert around.host.gpu_link.joined_gpus == 8
    assert around.facility.feeds == 2
    use = around.facility.needed
    each_feed_va = use.circuits // use.feeds * use.usable_va
    assert each_feed_va >= around.facility.power.apparent_va


def test_four_l40s() -> None:
    """4 x 350 W of cards; with host, fans and loss below the 2.9 kW that 230 V 16 A carry at 80 %.

    Two feeds, each of which carries all: 2 x 1 circuits of 16 A.
    """
    around = planned("l40s", 4, site=SiteWishes(country="ES")).around
    assert 1_400 < around.facility.power.wall_w.typical < 2_944
    assert (around.facility.needed.feeds, around.facility.needed.circuits) == (2, 2)
    assert around.facility.needed.circuit.voltage_v in {230, 400}
    assert around.platform.options
    assert not around.platform.ask.stands_at_desk


def test_a_workstation_of_two() -> None:
    """2 x 600 W stand beside a desk: one machine, one feed, no rack server first."""
    around = planned("rtx-pro-6000-ws", 2, "llama-3.1-70b", precision="int4").around
    assert around.platform.ask.stands_at_desk
    assert around.facility.needed.feeds == 1
    assert around.platform.options[0].kind == "workstation"
    assert around.facility.power.wall_w.typical > 1_200


def test_an_edge_box() -> None:
    """One card of 72 W lives on its slot; 64 GB is the floor of the second article, at least."""
    around = planned("l4", 1).around
    assert around.facility.power.wall_w.typical < 600
    assert around.host.ram_gb >= 64
    assert around.facility.site.racks == 1


def test_a_whole_rack() -> None:
    """72 GPUs in 18 trays are one rack of 120 kW that needs liquid."""
    spec = planned("gb200", 72, "deepseek-v3")
    around = spec.around
    assert (spec.servers.servers, spec.servers.gpus_per_server) == (18, 4)
    assert around.facility.power.wall_w.typical == pytest.approx(120_000)
    assert (around.facility.site.racks, around.facility.cooling.liquid) == (1, "required")
    assert around.facility.cooling.heat_btu_per_h == pytest.approx(409_440, rel=1e-3)


@pytest.mark.parametrize(
    ("wishes", "limit"),
    [
        ({"limit_kw": 5}, "limit_kw"),
        ({"rack_units": 4}, "rack_units"),
        ({"voltage_v": 230, "breaker_a": 16, "circuits": 2}, "circuits"),
    ],
)
def test_a_limit_is_never_passed_in_silence(wishes, limit) -> None:
    around = planned("h100-sxm", 8, "llama-3.1-405b", site=SiteWishes(**wishes)).around
    assert limit in around.facility.site.limits
    assert around.facility.site.servers_inside == 0
    assert limit in {note.code for note in around.facility.site.notes}


def test_what_is_told_of_the_host_is_taken() -> None:
    around = planned("l40s", 2, host=HostWishes(ram_gb=96, cpu_cores=24)).around
    assert (around.host.ram_gb, around.host.cores) == (96, 24)


def test_growth_and_spares_are_bought_and_told() -> None:
    """16 requests today, 65 in two years: more cards, and one more server; each has its cost."""
    asked = SizingRequest(
        model_id="llama-3.1-70b",
        precision="fp8",
        concurrent_requests=64,
        context_tokens=8192,
        gpus=(GpuChoice(gpu="l40s"),),
    )
    spec = spec_of(
        SpecRequest(
            workloads=(Workload(request=asked),),
            growth=GrowthWishes(growth_percent=100, horizon_years=2, spare_servers=1),
        ),
        CATALOGUE,
    )
    assert spec.servers.gpus_needed > spec.servers.gpus_needed_today
    assert "spare" in {one.code for one in spec.cost.reserves}
    assert spec.cost.horizon_years == 2


def test_budget_and_currency_reach_the_money() -> None:
    money = MoneyWishes(currency="EUR", usd_per_unit=1.1, tax_percent=21)
    cost = planned("l40s", 2, budget=5_000, money=money).cost
    assert cost.budget is not None
    assert (cost.budget.verdict, cost.currency) == ("broken", "EUR")
    assert "tax" in {line.code for line in cost.years[0].lines}


@given(
    st.sampled_from(["l40s", "h100-pcie", "rtx-4090", "a100-pcie-80"]),
    st.integers(1, 7),
    st.sampled_from([None, "ES", "US"]),
)
@settings(max_examples=25, deadline=None)
def test_more_cards_never_take_less(gpu: str, count: int, country: str | None) -> None:
    """Watts, cores, memory and amps never fall with one more card; sums are those of the parts."""
    site = SiteWishes(country=country, voltage_v=None)
    fewer, more = (planned(gpu, gpus, site=site).around for gpus in (count, count + 1))
    assert more.facility.power.dc_w.typical >= fewer.facility.power.dc_w.typical
    assert more.facility.power.design_w >= fewer.facility.power.design_w * 0.999
    assert more.host.cores_needed >= fewer.host.cores_needed
    assert more.host.ram_needed_gb >= fewer.host.ram_needed_gb
    parts = sum(part.draw_w.typical for part in more.facility.power.parts)
    assert parts == pytest.approx(more.facility.power.dc_w.typical)
