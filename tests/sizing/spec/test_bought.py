"""What a purchase takes from the plans of software and of costs."""

from __future__ import annotations

from datetime import date

import pytest

from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec.checklist import checklist_of
from sizing.spec.checklist_records import State
from sizing.spec.costs_bought import cost_values
from sizing.spec.facts import ChecklistFacts
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.money import plan_cost
from sizing.spec.money_plan import MoneyNeeds
from sizing.spec.software import plan_software
from sizing.spec.software_bought import software_values
from sizing.spec.software_facts import load_software
from sizing.spec.upkeep_facts import load_upkeep
from sizing.spec.wishes import MoneyWishes, SoftwareWishes
from sizing.spending import Spending

TODAY = date(2026, 11, 30)


def server(catalogue, gpu, gpus=1, engine="vllm", precision="fp8"):
    model = ModelLoad(
        name="A model", model_id=None, kind=ModelKind.LLM, precision=precision, engine=engine,
        mode=Mode.INFER, parameters=10**9, weights_bytes=10**9, checkpoint_bytes=10**9, copies=1,
        gpus_per_copy=gpus,
    )  # fmt: skip
    return ServerLoad(gpu=catalogue.gpus[gpu], gpus=gpus, servers=1, models=(model,))


def software(catalogue, *asked, **more):
    load = server(catalogue, *asked, **more)
    return plan_software(load, SoftwareWishes(), facts=load_software(), today=TODAY)


def costs(catalogue, *asked, **wishes):
    return plan_cost(
        server(catalogue, *asked),
        MoneyNeeds(),
        wishes=MoneyWishes(**wishes),
        spending=Spending(),
        prices=catalogue.prices,
        upkeep=load_upkeep(),
        today=TODAY,
    )


def states(values):
    facts = ChecklistFacts().with_values(values)
    return {item.id: item.state for item in checklist_of(facts).items}


@pytest.mark.parametrize(("gpu", "stack"), [("h100-sxm", "CUDA"), ("mi300x", "ROCm")])
def test_software_of_each_maker(catalogue, gpu, stack):
    plan = software(catalogue, gpu, 8)
    values = software_values(plan, catalogue)
    assert values["compute_stack"].startswith(stack)
    assert values["driver"] == (plan.driver.least_version or plan.driver.advised_version)
    assert values["engines"][0].startswith("vLLM")
    assert values["systems"] == plan.operating_systems
    found = states(values)
    assert found["system_software"] is State.FILLED
    assert found["engine_compatibility"] is State.FILLED


def test_licences_are_counted_over_all_subscriptions(catalogue):
    nim = software(catalogue, "l40s", 4, engine="nim")
    values = software_values(nim, catalogue)
    assert values["licenses"] == sum(need.licenses for need in nim.licenses) == 4
    assert values["license_name"] == nim.licenses[0].name
    free = software_values(software(catalogue, "l40s", 4), catalogue)
    assert (free["licenses"], free["license_name"]) == (0, None)
    assert states(free)["licenses"] is State.FILLED


def test_fp8_asks_for_its_capability(catalogue):
    """FP8 tensor cores came with compute capability 8.9."""
    assert software_values(software(catalogue, "l40s"), catalogue)["compute_capability"] == "8.9"


def test_costs_of_a_whole_plan(catalogue):
    cost = costs(catalogue, "h100-sxm", 8)
    values = cost_values(cost)
    assert cost.is_complete
    assert values["purchase_low_usd"] == cost.years[0].total_usd.low
    assert values["purchase_low_usd"] <= values["purchase_high_usd"]
    assert values["purchase_low_usd"] < values["tco_usd"]
    assert values["tco_usd"] == cost.total_usd.typical
    assert values["tco_years"] == cost.horizon_years == 5
    assert values["price_date"] <= TODAY.isoformat()
    found = states(values)
    assert found["tco"] is State.FILLED
    assert found["price_breakdown"] is State.FILLED


def test_a_sum_without_the_servers_is_not_stated(catalogue):
    cost = costs(catalogue, "h100-sxm", 8).model_copy(update={"is_complete": False})
    assert cost_values(cost) == {}
    assert states(cost_values(cost))["tco"] is State.OPEN
