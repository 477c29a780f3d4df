"""What a purchase takes from a plan, with the real catalogue."""

from __future__ import annotations

import pytest

from bot.command import Grammar
from sizing.spec.checklist import checklist_of
from sizing.spec.checklist_records import State
from sizing.spec.plan import spec_of
from sizing.spec.plan_facts import facts_of


@pytest.fixture(scope="module")
def planned(catalogue):
    grammar = Grammar(catalogue)

    def plan(text):
        return spec_of(grammar.parse(text).request, catalogue)

    return plan


@pytest.fixture(scope="module")
def h100(planned, catalogue):
    spec = planned(
        "spec llama-3.1-70b fp8 4xh100 users=8 ctx=8k growth=20% spare=1 ttft<2s + bge-m3"
    )
    return spec, facts_of(spec, catalogue)


def test_the_load_is_that_of_all_models(h100):
    """8 requests x 1.2^3 = 13.8, rounded up, beside those of the embedder."""
    spec, facts = h100
    asked = [one.answer.understood for one in spec.workloads]
    assert facts.models == ("Llama 3.1 70B · FP8", f"BGE-M3 · {asked[1].precision.upper()}")
    assert (facts.serves, facts.trains, facts.context_tokens) == (True, False, 8192)
    assert facts.concurrent_requests == 14 + asked[1].concurrent_requests
    assert facts.ttft_target_ms == 2000


def test_growth_is_that_of_the_plan(h100):
    _, facts = h100
    assert (facts.growth_percent, facts.horizon_years) == (20, 3)
    assert facts.reserve_percent == pytest.approx(72.8)  # 1.2^3 = 1.728


def test_cards_and_servers(h100):
    spec, facts = h100
    assert facts.gpu == "H100 SXM 80 GB"
    assert facts.total_servers == spec.servers.servers + 1
    assert facts.server_memory_gb == 80 * facts.gpus_per_server
    assert (facts.gpu_has_link, facts.gpu_link, facts.gpu_link_gb_per_s) == (True, "NVLink", 900)
    assert (facts.gpu_is_nvidia, facts.gpu_is_datacenter, facts.gpu_power_w) == (True, True, 700)
    assert facts.needs_gpu_link is True
    assert "FP8" in facts.precisions


def test_the_need_is_the_high_bound_of_all_copies(h100):
    """Four cards of the 70B, and one copy of the embedder wherever it stands."""
    spec, facts = h100
    shares = [one.answer.options[0].per_gpu for one in spec.workloads]
    cards = [sum(len(seat.cards) for seat in one.seats) for one in spec.workloads]
    expected = sum(s.need_high_bytes * n for s, n in zip(shares, cards, strict=True)) / 1e9
    assert facts.needed_memory_gb == pytest.approx(expected)
    assert facts.needed_memory_gb <= facts.total_servers * facts.server_memory_gb


def test_what_models_must_reach_is_the_weak_end_of_the_estimate(h100):
    spec, facts = h100
    speed = spec.workloads[0].answer.options[0].performance
    run = facts.runs[0]
    assert run.model == "Llama 3.1 70B · FP8"
    assert run.concurrent_requests == speed.concurrent_requests
    assert run.least_output_tokens_per_s == speed.output_tokens_per_s.low
    assert (run.most_ttft_ms, run.most_itl_ms) == (speed.ttft_ms.high, speed.itl_ms.high)
    assert speed.output_tokens_per_s.low < speed.output_tokens_per_s.typical
    assert run.reference_precision == "BF16"


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("spec llama-3.1-8b bf16 l40s", None),
        ("spec llama-3.1-8b int4 l40s", "BF16"),
        ("spec 13b int8 l40s", "BF16"),
        ("spec 13b fp16 l40s", None),
    ],
)
def test_a_lower_precision_is_held_against_the_published_one(planned, catalogue, text, reference):
    (run,) = facts_of(planned(text), catalogue).runs
    assert run.reference_precision == reference


def test_training_is_told_apart_and_has_no_answers_to_wait_for(planned, catalogue):
    facts = facts_of(planned("spec llama-3.1-8b qlora l40s"), catalogue)
    assert (facts.serves, facts.trains, facts.runs) == (False, True, ())


def test_cards_without_a_link_of_their_own(planned, catalogue):
    facts = facts_of(planned("spec llama-3.1-70b fp8 4xl40s"), catalogue)
    assert (facts.gpu_has_link, facts.gpu_link) == (False, None)
    item = next(i for i in checklist_of(facts).items if i.id == "gpu_interconnect")
    assert [line.code for line in item.lines] == ["over_pcie"]


def test_the_plan_fills_what_it_knows(h100):
    _, facts = h100
    states = {item.id: item.state for item in checklist_of(facts).items}
    for name in (
        "workload_statement", "workload_kind", "growth", "gpu_memory", "gpu_bandwidth",
        "gpu_precisions", "gpu_interconnect", "pcie", "benchmark", "quality", "health_checks",
        "circuits", "ram", "heat", "tco",
    ):  # fmt: skip
        assert states[name] is State.FILLED, name
    for name in ("ups", "noise", "delivery_path"):
        assert states[name] is State.OPEN, name


def test_other_cards_that_hold_the_load(h100, catalogue):
    """Each of them carries both models with room to spare; none is the planned one."""
    spec, facts = h100
    assert 1 <= len(spec.servers.equivalents) <= 3
    assert "h100-sxm" not in {one.gpu for one in spec.servers.equivalents}
    assert all(name.split(" × ")[0].isdigit() for name in facts.gpu_equivalents)
    item = next(i for i in checklist_of(facts).items if i.id == "gpu_memory")
    assert "equivalents" in {line.code for line in item.lines}


def test_a_cable_for_each_data_port(h100, planned, catalogue):
    """Two servers with two ports each; over two servers, eight fabric ports each as well."""
    _, facts = h100
    assert facts.network_cables == facts.total_servers * 2
    wide = facts_of(planned("spec deepseek-v3 fp8 16xh100"), catalogue)
    assert wide.network_cables == 2 * (2 + 8)


def test_containers_that_the_maker_lists(planned, catalogue):
    listed = facts_of(planned("spec llama-3.1-8b fp8 h100"), catalogue)
    assert [name.split()[0] for name in listed.containers] == ["meta/llama-3.1-8b-instruct"]
    assert facts_of(planned("spec qwen3-32b 2xl40s"), catalogue).containers is None


def test_support_and_tax_are_those_of_the_cost(planned, catalogue):
    facts = facts_of(planned("spec llama-3.1-8b l40s tax=21% years=4"), catalogue)
    assert (facts.support_years, facts.tax_percent) == (4, 21)
    assert facts_of(planned("spec llama-3.1-8b l40s"), catalogue).tax_percent is None
    states = {item.id: item.state for item in checklist_of(facts).items}
    assert (states["warranty"], states["currency"]) == (State.FILLED, State.OPEN)
