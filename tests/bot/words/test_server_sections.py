"""Sections of a server spec: software, NIM and costs, as pages of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.environment import make_environment
from bot.labels import Labels
from bot.messages import LANGUAGES, load_messages
from sizing.catalogue import Catalogue, load_catalogue
from sizing.records import (
    ApiQuote,
    FacilityRecord,
    InstanceRecord,
    ModelKind,
    PriceBook,
    PriceListRecord,
    PurchaseRecord,
)
from sizing.request import Mode
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.money import plan_cost
from sizing.spec.money_plan import CostPlan, MoneyNeeds, TokenLoad
from sizing.spec.money_rows import rows_of
from sizing.spec.nim import nim_support
from sizing.spec.nim_facts import load_nim
from sizing.spec.software import plan_software
from sizing.spec.software_facts import load_software
from sizing.spec.software_plan import SoftwarePlan
from sizing.spec.upkeep_facts import load_upkeep
from sizing.spec.wishes import MoneyWishes, SoftwareWishes
from sizing.spending import Spending

TODAY = date(2026, 11, 30)
SOURCED = {"sources": ("a price page of a seller",), "checked": TODAY}


class MarkdownFile(SingleFileSnapshotExtension):
    """Keeps each page in a file of its own, readable in a review."""

    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def page(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(MarkdownFile)


@dataclass(frozen=True)
class Writer:
    """Writes a section in one language."""

    catalogue: Catalogue
    language: str

    def __call__(self, name: str, **values: object) -> str:
        messages = load_messages(self.language, Labels(self.catalogue))
        text = make_environment(messages).get_template(f"{name}.md.j2").render(**values)
        assert "None" not in text
        return text


@pytest.fixture(scope="module")
def facts() -> Catalogue:
    """Return the shipped catalogue: the folder's own holds a few samples."""
    return load_catalogue()


@pytest.fixture(params=LANGUAGES)
def write(request: pytest.FixtureRequest, facts: Catalogue) -> Writer:
    return Writer(facts, request.param)


BOOK = PriceBook(
    lists=(
        PriceListRecord(
            id="near-here", provider="Near", region="here", dated=date(2026, 11, 1),
            instances=(
                InstanceRecord(name="eight", gpu="h100-sxm", gpus=8, price_usd_per_hour=32.0),
            ),
            **SOURCED,
        ),
    ),
    purchases={
        "h100-sxm": PurchaseRecord(
            gpu="h100-sxm", low_usd=25_000, typical_usd=27_500, high_usd=30_000,
            dated=date(2026, 5, 25), **SOURCED,
        ),
    },
    facility=FacilityRecord(pue=1.5, electricity_usd_per_kwh=0.1, lifetime_years=3, **SOURCED),
)  # fmt: skip

QUOTE = ApiQuote(
    source="a table 1.0", dated=date(2026, 11, 1), hosts=3,
    input_low_usd_per_million_tokens=0.1, input_usd_per_million_tokens=0.6,
    input_high_usd_per_million_tokens=1.0, output_low_usd_per_million_tokens=0.2,
    output_usd_per_million_tokens=0.8, output_high_usd_per_million_tokens=2.0,
)  # fmt: skip


def load_of(
    facts: Catalogue, gpu: str, gpus: int, engine: str, *, servers: int = 1, spare: int = 0
) -> ServerLoad:
    model = ModelLoad(
        name="Llama 3.1 70B", model_id="llama-3.1-70b", kind=ModelKind.LLM, precision="fp8",
        engine=engine, mode=Mode.INFER, parameters=70_553_706_496, weights_bytes=70 * 10**9,
        checkpoint_bytes=72 * 10**9, copies=1, gpus_per_copy=gpus,
    )  # fmt: skip
    return ServerLoad(
        gpu=facts.gpus[gpu], gpus=gpus, servers=servers, spare_servers=spare, models=(model,)
    )


def software_of(load: ServerLoad, **wishes: object) -> SoftwarePlan:
    return plan_software(load, SoftwareWishes(**wishes), facts=load_software(), today=TODAY)


def cost_of(load: ServerLoad, needs: MoneyNeeds, **wishes: object) -> CostPlan:
    return plan_cost(
        load, needs, wishes=MoneyWishes(**wishes), spending=Spending(api_quote=QUOTE),
        prices=BOOK, upkeep=load_upkeep(), today=TODAY,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gpu", "gpus", "servers", "engine"),
    [("h100-sxm", 8, 2, "nim"), ("v100-sxm2-32", 4, 1, "vllm"), ("mi300x", 8, 1, "vllm")],
)
def test_software(write: Writer, page, gpu: str, gpus: int, servers: int, engine: str) -> None:
    software = software_of(load_of(write.catalogue, gpu, gpus, engine, servers=servers))
    assert write("spec_software", software=software) == page


def test_software_that_comes_with_the_machine(write: Writer, page) -> None:
    software = software_of(load_of(write.catalogue, "jetson-agx-orin-64", 1, "llamacpp"))
    assert write("spec_software", software=software) == page


@pytest.mark.parametrize("gpu", ["h100-sxm", "rtx-4090"])
def test_nim(write: Writer, page, gpu: str) -> None:
    card = write.catalogue.gpus[gpu]
    nim = nim_support("llama-3.1-8b", card, "fp8", load_nim(), parameters=8_030_261_248)
    assert write("spec_nim", nim=nim) == page


def test_costs_of_a_whole_plan(write: Writer, page) -> None:
    load = load_of(write.catalogue, "h100-sxm", 8, "nim", servers=3, spare=1)
    needs = MoneyNeeds(
        licenses=software_of(load).licenses,
        rack_units=32,
        growth_servers=1,
        tokens=TokenLoad(tokens_per_year=1e11, written_share=0.25),
    )
    plan = cost_of(load, needs, currency="EUR", usd_per_unit=1.1, tax_percent=21, budget_usd=1e6)
    assert write("spec_cost", plan=plan, rows=rows_of(plan)) == page


def test_costs_where_no_price_is_known(write: Writer, page) -> None:
    plan = cost_of(
        load_of(write.catalogue, "a100-sxm-80", 8, "vllm", servers=2), MoneyNeeds(), budget_usd=1e5
    )
    assert write("spec_cost", plan=plan, rows=rows_of(plan)) == page


def test_rows_sum_to_purchase_and_year(facts: Catalogue) -> None:
    load = load_of(facts, "h100-sxm", 8, "vllm")
    plan = cost_of(load, MoneyNeeds(rack_units=8), tax_percent=21)
    for place, key in enumerate(("once_usd", "year_usd")):
        amounts = [getattr(row, key) for row in rows_of(plan)]
        total = plan.years[place].total_usd
        assert total
        assert sum(each.typical for each in amounts if each) == pytest.approx(total.typical)
