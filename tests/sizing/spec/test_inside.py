"""Plans inside the limits that a plan passes, each limit at its boundary."""

from __future__ import annotations

import pytest

from sizing.catalogue import load_catalogue
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.answer import Spec
from sizing.spec.bounds import Bounds
from sizing.spec.facts_files import load_facts
from sizing.spec.inside import InsidePlan
from sizing.spec.laid_out import plan_of
from sizing.spec.looking import Looker
from sizing.spec.measures import keeps_all
from sizing.spec.plan import spec_of
from sizing.spec.request import SpecRequest, Workload
from sizing.spec.wishes import GrowthWishes, HostWishes, MoneyWishes, Sharing, SiteWishes
from sizing.spending import Means, Spending

CATALOGUE = load_catalogue()
FACTS = load_facts()


def asked(
    gpu: str | None = "h100-sxm",
    count: int | None = 8,
    model: str = "llama-3.3-70b",
    *,
    told: dict[str, object] | None = None,
    **wishes: object,
) -> SpecRequest:
    gpus = (GpuChoice(gpu=gpu, count=count),) if gpu else ()
    question = SizingRequest(model_id=model, gpus=gpus, **(told or {}))
    return SpecRequest(workloads=(Workload(request=question),), **wishes)


def planned(*args, **named) -> Spec:
    return spec_of(asked(*args, **named), CATALOGUE)


def plans(spec: Spec) -> tuple[InsidePlan, ...]:
    assert spec.inside is not None
    return spec.inside.plans


def told(spec: Spec) -> dict[str, dict[str, object]]:
    assert spec.inside is not None
    return {one.code: one.values for one in spec.inside.least}


def test_a_plan_that_keeps_all_has_nothing_beside_it() -> None:
    """8 x H100 SXM draw the 10.2 kW that a DGX H100 prints."""
    assert planned(site=SiteWishes(limit_kw=10.2)).inside is None


def test_fewer_cards_of_the_same_kind_are_nearest() -> None:
    """70.55 x 10^9 x 2 bytes are 141 GB: two of 80 GB are full, and boards have four or eight."""
    spec = planned(site=SiteWishes(limit_kw=10.1))
    first, *_ = plans(spec)
    assert spec.inside.passed == ("limit_kw",)
    assert (first.gpu, first.gpus, first.gives_up) == ("h100-sxm", 4, ("named_count",))
    assert first.total_kw <= 10.1


@pytest.mark.parametrize(
    ("limit_kw", "gpu", "gpus"),
    [(5.8, "h100-sxm", 4), (5.7, "h200-nvl", 2), (2.43, "h100-nvl", 2)],
)
def test_power_at_its_boundary(limit_kw: float, gpu: str, gpus: int) -> None:
    """Four H100 SXM draw 5.75 kW, two H200 NVL 2.44: what has a price stands before others."""
    first, *_ = plans(planned(site=SiteWishes(limit_kw=limit_kw)))
    assert (first.gpu, first.gpus) != ("h100-sxm", 8)
    assert first.total_kw <= limit_kw
    if gpu == "h100-sxm":
        assert (first.gpu, first.gpus) == (gpu, gpus)
    else:
        assert first.gpu != "h100-sxm"


@pytest.mark.parametrize(
    ("wishes", "limit"),
    [
        ({"site": SiteWishes(rack_units=5)}, "rack_units"),
        ({"site": SiteWishes(rack_kw=6)}, "rack_kw"),
        ({"site": SiteWishes(rack_height=5)}, "rack_height"),
        ({"site": SiteWishes(voltage_v=230, breaker_a=32, circuits=2)}, "circuits"),
        ({"site": SiteWishes(inlet_c=33)}, "inlet"),
        ({"host": HostWishes(platform="dgx-b200")}, "platform"),
        ({"host": HostWishes(cpu_cores=16)}, "cpu_cores"),
        ({"money": MoneyWishes(budget_usd=170_000)}, "budget"),
        ({"told": {"budget_usd": 170_000}}, "budget"),
        ({"told": {"power_limit_w": 6_000}}, "limit_kw"),
    ],
)
def test_each_kind_of_limit_finds_a_plan(wishes: dict[str, object], limit: str) -> None:
    """Every plan that is shown keeps all limits when its own question is planned."""
    spec = planned(**wishes)
    assert spec.inside is not None
    assert spec.inside.passed == (limit,)
    assert spec.inside.least == ()
    for plan in plans(spec):
        own = spec_of(plan.request, CATALOGUE)
        assert own.inside is None
        assert (own.servers.gpu, own.servers.gpus) == (plan.gpu, plan.gpus)
        assert own.around.facility.site.total_kw == pytest.approx(plan.total_kw)


def test_liquid_that_is_not_there() -> None:
    """GB200 stands in racks that liquid cools; the plan beside it is cooled by air."""
    first, *_ = plans(planned("gb200", 8, "llama-3.1-405b", site=SiteWishes(liquid=False)))
    own = plan_of(asked("gb200"), CATALOGUE, FACTS)
    assert first.gpu != own.cards.gpu.id
    assert CATALOGUE.gpus[first.gpu].vendor == "NVIDIA"


@pytest.mark.parametrize(
    ("growth", "limit_kw", "gives_up"),
    [
        (GrowthWishes(spare_servers=1), 3.4, ("spare_servers",)),
        (GrowthWishes(growth_percent=100, horizon_years=3), 2, ("growth_reserve",)),
    ],
)
def test_reserves_that_alone_pass_a_limit(growth, limit_kw, gives_up) -> None:
    """One server of two L40S draws 1.74 kW; a spare one, or eight times the load, draws more."""
    spec = planned(
        "l40s", None, "llama-3.1-8b",
        told={"concurrent_requests": 60, "input_tokens": 3000, "output_tokens": 500},
        growth=growth, site=SiteWishes(limit_kw=limit_kw),
    )  # fmt: skip
    first = plans(spec)[0]
    assert (first.gpu, first.gives_up) == ("l40s", gives_up)
    assert first.spare_servers == 0
    assert first.total_kw <= limit_kw
    growth_left = first.request.growth
    assert growth_left.growth_percent is None
    assert growth_left.spare_servers is None


def test_an_open_precision_is_lowered_last_and_a_named_one_never() -> None:
    """141 GB in 16 bits are no match for 0.3 kW; half of that stands on one DGX Spark."""
    site = SiteWishes(limit_kw=0.3)
    first, *_ = plans(planned(site=site))
    assert (first.precision, "precision" in first.gives_up) == ("fp8", True)
    named = planned(told={"precision": "bf16"}, site=site)
    assert plans(named) == ()
    assert told(named).keys() == {"least_limit_kw"}
    assert named.inside.tried_without == ()


def test_a_budget_counts_no_card_without_a_price() -> None:
    """H100 NVL, MI325X and others have no price in the catalogue: none of them is inside."""
    for usd in (5_000, 20_000, 60_000, 200_000):
        for plan in plans(planned(money=MoneyWishes(budget_usd=usd))):
            assert plan.usd is not None
            assert plan.usd.typical <= usd
            assert plan.gpu in CATALOGUE.prices.purchases


@pytest.mark.parametrize(("usd", "found"), [(2_001, True), (2_000, True), (1_999, False)])
def test_the_cheapest_purchase_at_its_boundary(usd: float, found: bool) -> None:
    """A Jetson AGX Orin of 64 GB costs 2,000 USD whole and holds 70 billion weights of 4 bits."""
    spec = planned(money=MoneyWishes(budget_usd=usd))
    assert bool(plans(spec)) == found
    if not found:
        least = told(spec)["least_budget"]
        assert (least["gpu"], least["wanted"]) == ("jetson-agx-orin-64", 2_000)
        assert least["beyond_percent"] == pytest.approx(100 * (2_000 / 1_999 - 1))


def test_limits_that_are_kept_one_by_one_alone() -> None:
    """Two DGX Spark draw 0.48 kW for 10,448 USD, one M3 Ultra 0.50 for 9,500: one limit each."""
    spec = planned(
        told={"precision": "bf16"},
        site=SiteWishes(limit_kw=0.49),
        money=MoneyWishes(budget_usd=10_000),
    )
    assert plans(spec) == ()
    least = told(spec)["least_not_at_once"]
    assert (least["gpu"], least["limits"]) == ("m3-ultra", ("limit_kw",))


def test_air_that_nothing_stands() -> None:
    spec = planned(site=SiteWishes(inlet_c=59))
    assert plans(spec) == ()
    assert "least_inlet" in told(spec)


def test_a_month_of_rent_is_held_against_its_budget() -> None:
    """One B200 in FP8 at 6 USD an hour is 4,380 a month of 730 hours."""
    spending = Spending(means=Means.RENT)
    request = {"concurrent_requests": 50, "spending": spending, "budget_usd": 5_000}
    spec = planned(None, told=request)
    for plan in plans(spec):
        assert plan.rental is not None
        assert plan.usd is not None
        assert plan.usd.typical <= 5_000
        assert plan.usd.typical == pytest.approx(plan.rental.price_usd_per_hour * 730, rel=0.01)


def test_slices_stay_slices() -> None:
    models = tuple(
        Workload(request=SizingRequest(model_id=name, gpus=(GpuChoice(gpu="h100-sxm"),)))
        for name in ("llama-3.1-8b", "bge-m3")
    )
    request = SpecRequest(workloads=models, sharing=Sharing.SLICES, site=SiteWishes(limit_kw=1))
    for plan in plans(spec_of(request, CATALOGUE)):
        assert CATALOGUE.gpus[plan.gpu].mig_profiles


@pytest.mark.parametrize(
    "name", sorted(gpu.id for gpu in CATALOGUE.gpus.values() if gpu.in_production)
)
def test_no_plan_is_below_its_bound(name: str) -> None:
    """What is left out for its bound could never have been inside."""
    request = asked(None)
    gpu, looker = CATALOGUE.gpus[name], Looker(CATALOGUE, FACTS)
    plan, bounds = looker.on(gpu, request), looker.bounds(request)
    if plan is None or bounds is None:
        return
    assert isinstance(bounds, Bounds)
    assert bounds.least_kw(gpu) <= plan.around.facility.site.total_kw * (1 + 1e-9)
    usd = plan.cost.years[0].total_usd
    if plan.cost.is_complete and usd:
        assert bounds.least_usd(gpu) <= usd.typical


@pytest.mark.parametrize("wish", [SiteWishes(limit_kw=50), SiteWishes(rack_units=40)])
def test_what_is_not_known_is_not_inside(wish: SiteWishes) -> None:
    """Apple prints no power of an M5 Max, and nobody lists a machine with a height for it."""
    request = asked("m5-max", 1, "llama-3.1-8b", site=wish)
    assert not keeps_all(plan_of(request, CATALOGUE, FACTS), request)
