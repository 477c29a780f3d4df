"""Speculative decoding: tokens of a step, what drafting costs, and where it stops paying."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.performance import Confidence
from sizing.records import TensorGroup
from sizing.request import GpuChoice, SizingRequest
from sizing.speculation import PUBLISHED_ACCEPTANCE, SpecMethod, Speculation, tokens_of_step


def asked(
    catalogue: Catalogue, gpus: str, model: str = "llama-3.1-8b", users: int = 1, **drafting: object
):
    """Return the answer about `4 h100-sxm` with so many users, with and without drafting."""
    count, gpu = gpus.split()
    request = SizingRequest(
        model_id=model,
        gpus=(GpuChoice(gpu=gpu, count=int(count)),),
        concurrent_requests=users,
        input_tokens=200,
        output_tokens=400,
        speculation=Speculation(**drafting),
    )
    alone = request.model_copy(update={"speculation": Speculation()})
    return size(request, catalogue), size(alone, catalogue)


def speeds(catalogue: Catalogue, *arguments: object, **drafting: object):
    return [answer.options[0].performance for answer in asked(catalogue, *arguments, **drafting)]


@pytest.mark.parametrize(
    ("acceptance", "drafted", "tokens"),
    [
        # 1 + 0.5; 1 + 0.5 + 0.25; 1 + 0.8 + 0.64 + 0.512
        (0.5, 1, 1.5),
        (0.5, 2, 1.75),
        (0.8, 3, 2.952),
        # Leviathan et al. 2023, table 1: 3.69 tokens at 0.8 and five drafts
        (0.8, 5, 3.69),
    ],
)
def test_a_step_gives_one_token_and_those_that_are_accepted(acceptance, drafted, tokens) -> None:
    assert tokens_of_step(acceptance, drafted) == pytest.approx(tokens, abs=0.005)


def test_the_usual_acceptance_of_eagle_3_gives_the_published_length() -> None:
    """2.77 and 2.88 tokens a step at seven drafts, on MT-bench."""
    assert 2.7 < tokens_of_step(PUBLISHED_ACCEPTANCE[SpecMethod.EAGLE3], 7) < 2.9


def test_a_head_for_llama_8b_is_as_large_as_published(catalogue) -> None:
    """850 MB in 16 bits (yuhuili/EAGLE3-LLaMA3.1-Instruct-8B)."""
    answer, alone = asked(catalogue, "1 h100-sxm", spec=SpecMethod.EAGLE3)
    [draft] = [each for each in answer.memory.groups if each.group is TensorGroup.DRAFT]
    assert draft.weights_bytes == pytest.approx(850e6, rel=0.01)
    assert answer.memory.weights_bytes - alone.memory.weights_bytes == draft.weights_bytes
    here, there = answer.options[0].per_gpu, alone.options[0].per_gpu
    assert here.weights_bytes - there.weights_bytes == draft.weights_bytes
    assert here.kv_pool_bytes < there.kv_pool_bytes


def test_prediction_layers_are_loaded_for_it(catalogue) -> None:
    answer, alone = asked(catalogue, "8 h200-sxm", "deepseek-v3", spec=SpecMethod.MTP)
    added = answer.memory.weights_bytes - alone.memory.weights_bytes
    assert added == alone.memory.mtp_weights_bytes > 0


def test_two_tokens_of_85_percent_are_almost_twice_as_fast_alone(catalogue) -> None:
    """1.85 tokens a step of DeepSeek-V3, which reads one of 61 layers more, and more experts."""
    found, alone = speeds(catalogue, "8 h200-sxm", "deepseek-v3", spec=SpecMethod.MTP)
    assert found.speculation.step_tokens == pytest.approx(1.85)
    assert 1.4 < found.speculation.speedup < 1.85
    assert alone.itl_ms.typical / found.itl_ms.typical == pytest.approx(found.speculation.speedup)
    assert found.confidence is Confidence.LOW
    assert alone.speculation is None


def test_it_stops_paying_where_arithmetic_is_what_takes_time(catalogue) -> None:
    """Six tokens are verified for 2.6 that are kept."""
    drafting = {"spec": SpecMethod.EAGLE3, "draft_tokens": 5}
    few, many = (
        speeds(catalogue, "4 h100-sxm", "llama-3.3-70b", users, **drafting) for users in (1, 700)
    )
    assert few[0].speculation.speedup > 1.5
    assert many[0].speculation.speedup < 1
    assert many[0].output_tokens_per_s.typical < many[1].output_tokens_per_s.typical
    most = few[0].speculation.most_paying_requests
    assert most == many[0].speculation.most_paying_requests
    for users, pays in ((most, True), (most + 1, False)):
        found, alone = speeds(catalogue, "4 h100-sxm", "llama-3.3-70b", users, **drafting)
        assert (found.itl_ms.typical < alone.itl_ms.typical) is pays


def test_prompts_are_read_as_without_it(catalogue) -> None:
    for gpus, model in (("4 h100-sxm", "llama-3.3-70b"), ("8 l40s", "llama-3.3-70b")):
        found, alone = speeds(catalogue, gpus, model, spec=SpecMethod.EAGLE3)
        before, after = alone.prefill_tokens_per_s.typical, found.prefill_tokens_per_s.typical
        assert after == pytest.approx(before)


@pytest.mark.parametrize(
    ("model", "fields", "code"),
    [
        ("llama-3.1-8b", {"spec": SpecMethod.MTP}, "speed_no_mtp"),
        ("llama-3.1-8b", {"spec": SpecMethod.DRAFT, "acceptance": 0.7}, "speed_draft_unknown"),
        (
            "llama-3.1-8b",
            {"spec": SpecMethod.DRAFT, "draft_parameters": 10**9},
            "speed_acceptance_unknown",
        ),
    ],
)
def test_no_number_where_what_drafts_is_not_known(catalogue, model, fields, code) -> None:
    option = asked(catalogue, "1 h100-sxm", model, **fields)[0].options[0]
    assert option.performance is None
    assert code in {reason.code for reason in option.reasons}


@pytest.mark.parametrize("engine", ["transformers", "llamacpp", "tgi"])
def test_no_number_with_engines_that_are_not_covered(catalogue, engine) -> None:
    request = SizingRequest(
        model_id="llama-3.1-8b",
        engine=engine,
        gpus=(GpuChoice(gpu="h100-sxm", count=1),),
        speculation=Speculation(spec=SpecMethod.EAGLE3),
    )
    option = size(request, catalogue).options[0]
    assert option.performance is None
    expected = {"speed_engine_unmeasured", "speed_speculation_engine"}
    assert expected & {reason.code for reason in option.reasons}


def test_what_is_not_measured_and_not_asked_is_said(catalogue) -> None:
    answer, alone = asked(catalogue, "1 h100-sxm", spec=SpecMethod.EAGLE3)
    assert "speculation_unmeasured" in {note.code for note in answer.warnings}
    assert "published_acceptance" in {note.code for note in answer.assumptions}
    told, _ = asked(catalogue, "1 h100-sxm", spec=SpecMethod.EAGLE3, acceptance=0.8)
    assert "published_acceptance" not in {note.code for note in told.assumptions}
    assert "speculation_unmeasured" not in {note.code for note in alone.warnings}


@settings(max_examples=40, deadline=None)
@given(
    acceptance=st.floats(0.05, 0.95), drafted=st.integers(1, 8), users=st.integers(1, 100),
    more=st.floats(0.01, 0.04),
)  # fmt: skip
def test_more_that_is_accepted_is_never_slower_and_never_faster_than_the_tokens_of_a_step(
    catalogue, acceptance, drafted, users, more
) -> None:
    first, second = (
        speeds(
            catalogue,
            "1 h100-sxm",
            "llama-3.1-8b",
            users,
            spec=SpecMethod.EAGLE3,
            acceptance=each,
            draft_tokens=drafted,
        )[0].speculation
        for each in (acceptance, acceptance + more)
    )
    assert first.speedup <= second.speedup <= second.step_tokens <= drafted + 1
