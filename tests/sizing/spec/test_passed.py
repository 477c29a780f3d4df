"""Limits of room, host and machine that a plan passes: each is told, at its boundary."""

from __future__ import annotations

import pytest

from sizing.catalogue import load_catalogue
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.answer import Spec
from sizing.spec.passed import limits_passed, passed_notes, refused_notes
from sizing.spec.plan import spec_of
from sizing.spec.request import SpecRequest, Workload
from sizing.spec.wishes import HostWishes, MoneyWishes, SiteWishes

CATALOGUE = load_catalogue()


def planned(
    gpu: str = "h100-sxm", count: int = 8, *, power_w: float | None = None, **wishes: object
) -> Spec:
    asked = SizingRequest(
        model_id="llama-3.3-70b",
        gpus=(GpuChoice(gpu=gpu, count=count),),
        power_limit_w=power_w,
    )
    return spec_of(SpecRequest(workloads=(Workload(request=asked),), **wishes), CATALOGUE)


def passed(spec: Spec) -> tuple[str, ...]:
    return limits_passed(spec.around, spec.cost)


@pytest.mark.parametrize(
    ("wishes", "expected"),
    [
        ({"site": SiteWishes(limit_kw=10.2)}, ()),
        ({"site": SiteWishes(limit_kw=10.1)}, ("limit_kw",)),
        ({"power_w": 10_200}, ()),
        ({"power_w": 10_100}, ("limit_kw",)),
        ({"power_w": 5_000, "site": SiteWishes(limit_kw=11)}, ()),
        ({"site": SiteWishes(rack_kw=10)}, ("rack_kw",)),
        ({"site": SiteWishes(rack_units=6)}, ()),
        ({"site": SiteWishes(rack_units=5)}, ("rack_units",)),
        ({"site": SiteWishes(rack_height=5)}, ("rack_height",)),
        ({"site": SiteWishes(circuits=2)}, ()),
        ({"site": SiteWishes(circuits=1)}, ("circuits",)),
        ({"site": SiteWishes(inlet_c=35)}, ("inlet",)),
        ({"host": HostWishes(ram_gb=283)}, ()),
        ({"host": HostWishes(ram_gb=282)}, ("ram_gb",)),
        ({"host": HostWishes(cpu_cores=28)}, ()),
        ({"host": HostWishes(cpu_cores=27)}, ("cpu_cores",)),
        ({"host": HostWishes(platform="dgx-h100")}, ()),
        ({"host": HostWishes(platform="dgx-b200")}, ("platform",)),
        ({"money": MoneyWishes(budget_usd=10**6)}, ()),
        ({"money": MoneyWishes(budget_usd=1_000)}, ("budget",)),
    ],
)
def test_each_limit_at_its_boundary(wishes: dict[str, object], expected: tuple[str, ...]) -> None:
    """A DGX H100 or its like: 10.2 kW, 6 units or more, two feeds, at most 30 degrees.

    70.55 x 10^9 parameters of 2 bytes, twice, are 282.2 GB; 8 x 3 + 4 processes are 28 cores.
    """
    assert passed(planned(**wishes)) == expected


def test_liquid_that_the_room_has_not() -> None:
    spec = planned("gb200", 4, site=SiteWishes(liquid=False))
    assert "liquid" in passed(spec)


@pytest.mark.parametrize(
    ("platform", "codes"),
    [
        ("dgx-b200", ["platform_wanted_does_not_do", "platform_no_slots"]),
        ("some-box", ["platform_not_listed"]),
        ("dgx-h100", []),
    ],
)
def test_what_speaks_against_a_named_machine(platform: str, codes: list[str]) -> None:
    around = planned(host=HostWishes(platform=platform)).around
    assert [told.code for told in refused_notes(around)] == codes
    assert passed_notes(around) == ()
