"""The question turned round agrees with the question, model by model."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Verdict
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.errors import InvalidRequestError
from sizing.fits import FitsAnswer
from sizing.inverse import CLASS_PARAMETERS, TEXT_KINDS, Finder, what_fits
from sizing.records import ModelKind
from sizing.request import Goal, GpuChoice, SizingRequest

CATALOGUE = load_catalogue()
FINDER = Finder(CATALOGUE)
RUNS = {Verdict.FITS, Verdict.TIGHT}


def asked(gpu: str | None, count: int | None = 1, **fields: object) -> SizingRequest:
    choice = GpuChoice(gpu=gpu, count=count) if gpu else GpuChoice(memory_gb=24.0, count=count)
    return SizingRequest(goal=Goal.WHAT_FITS, gpus=(choice,), **fields)


def found(gpu: str | None, count: int | None = 1, **fields: object) -> FitsAnswer:
    return FINDER.what_fits(asked(gpu, count, **fields))


def best(answer: FitsAnswer) -> dict[str, str]:
    return {model.model_id: model.best.precision for model in answer.models}


@given(
    st.sampled_from(["t4", "l40s", "rtx-4090", "h100-sxm", "mi300x", "m3-ultra", None]),
    st.sampled_from([1, 2, 3, 4, 8, 16]),
    st.sampled_from([None, 8192, 32768]),
    st.sampled_from([None, 1, 20]),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_each_row_is_what_the_question_itself_answers(gpu, count, context, users, data):
    """Verdict, context and requests are those of the first option of the plain question."""
    request = asked(gpu, count, context_tokens=context, concurrent_requests=users)
    answer = FINDER.what_fits(request)
    if not answer.models:
        return
    model = data.draw(st.sampled_from(answer.models))
    shown = data.draw(st.sampled_from(model.formats))
    named = {"precision": shown.precision, "engine": shown.engine, "goal": Goal.SIZE}
    plain = request.model_copy(update={"model_id": model.model_id} | named)
    option = size(plain, CATALOGUE).options[0]
    assert (shown.verdict, shown.max_context_tokens, shown.max_concurrent_requests) == (
        option.verdict,
        option.max_context_tokens,
        option.max_concurrent_requests,
    )
    assert shown.safe_max_context_tokens == option.safe_max_context_tokens
    assert shown.safe_max_concurrent_requests == option.safe_max_concurrent_requests
    assert shown.safe_max_context_tokens <= shown.max_context_tokens
    assert shown.safe_max_concurrent_requests <= shown.max_concurrent_requests


@given(st.sampled_from(["t4", "l40s", "h100-sxm"]), st.sampled_from([1, 2, 8]), st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_missing_does_not_fit(gpu, count, data):
    """A model that is not listed does not run in its published precision either."""
    answer = found(gpu, count)
    listed = {model.model_id for model in answer.models}
    missing = [
        model.id
        for model in CATALOGUE.models.values()
        if model.id not in listed and model.kind in TEXT_KINDS
    ]
    if not missing:
        return
    plain = asked(gpu, count).model_copy(
        update={"model_id": data.draw(st.sampled_from(missing)), "goal": Goal.SIZE}
    )
    sized = size(plain, CATALOGUE)
    assert not sized.supported or sized.options[0].verdict not in RUNS


@pytest.mark.parametrize(
    ("gpu", "precision"),
    [
        # 13.0 B parameters: 26.0 GB in 16 bits, 13.4 in 8, 7.0 in 4, and 3.4 GB of KV cache for
        # 4,096 tokens. Budgets of 0.9: L40S 43.5 GB, L4 21.7 GB, T4 14.2 GB.
        ("l40s", "fp16"),
        ("l4", "fp8"),
        ("t4", "int4"),
    ],
)
def test_a_model_stands_in_the_widest_precision_that_fits(gpu, precision):
    assert best(found(gpu))["llama-2-13b"] == precision


def test_a_card_without_bf16_gets_its_twin():
    assert best(found("t4"))["qwen2.5-0.5b"] == "fp16"


def test_a_mac_is_answered_for_its_own_engine():
    answer = found("m3-ultra")
    assert answer.understood.engine == "llamacpp"
    precisions = {shown.precision for model in answer.models for shown in model.formats}
    assert {"q8-0", "q4-k-m"} <= precisions
    assert not {"int4", "fp8", "int8"} & precisions


def test_an_asked_precision_is_the_only_one_and_may_be_narrow():
    answer = found("rtx-4090", precision="q2-k")
    assert answer.understood.engine == "llamacpp"
    assert {shown.precision for model in answer.models for shown in model.formats} == {"q2-k"}


def test_larger_classes_stand_first_then_safe_ones_then_newer_ones():
    answer = found("l40s", 2)
    keys = [
        (-model.class_parameters, model.best.verdict is Verdict.TIGHT, model.release)
        for model in answer.models
    ]
    assert [key[:2] for key in keys] == sorted(key[:2] for key in keys)
    for (size_class, tight, release), following in pairwise(keys):
        if following[:2] == (size_class, tight):
            assert following[2] <= release


def test_classes_go_by_all_parameters_of_a_mixture():
    """Mixtral 8x7B has 46.7 B, DeepSeek R1 671 B."""
    classes = {model.model_id: model.class_parameters for model in found("b300-sxm", 8).models}
    assert classes["mixtral-8x7b"] == 30 * 10**9
    assert classes["llama-3.1-405b"] == 400 * 10**9
    assert set(classes.values()) <= set(CLASS_PARAMETERS)


def test_formats_that_fit_stand_before_tight_ones_and_wide_before_narrow():
    bits = {one.id: one.nominal_bits for one in CATALOGUE.precisions.values()}
    for model in found("l40s", 2).models:
        keys = [(one.verdict is Verdict.TIGHT, -bits[one.precision]) for one in model.formats]
        assert keys == sorted(keys)


def test_kinds_and_families_narrow_the_search():
    answer = found("l40s", 2, kinds=(ModelKind.VLM,), families=("qwen",))
    assert {(model.kind, model.family) for model in answer.models} == {(ModelKind.VLM, "qwen")}
    everything = found("l40s", 2)
    assert {model.model_id for model in answer.models} < {m.model_id for m in everything.models}


def test_models_that_do_not_take_the_asked_context_are_left_out():
    """Llama 2 takes 4,096 tokens."""
    ids = {model.model_id for model in found("l40s", 2, context_tokens=4096).models}
    assert "llama-2-13b" in ids
    longer = found("l40s", 2, context_tokens=4097)
    assert "llama-2-13b" not in {model.model_id for model in longer.models}
    assert longer.too_short > 0


def test_every_model_is_counted_once():
    answer = found("l40s", 2, context_tokens=16384)
    counted = len(answer.models) + answer.too_large + answer.too_short + answer.not_sized
    texts = [model for model in CATALOGUE.models.values() if model.kind in TEXT_KINDS]
    assert counted == len(texts)


@given(st.sampled_from(["l4", "l40s", "h100-sxm"]), st.integers(1, 64), st.integers(1, 64))
@settings(max_examples=30, deadline=None)
def test_more_users_never_bring_a_model(gpu, one, other):
    fewer, more = sorted((one, other))
    wide = {model.model_id for model in found(gpu, concurrent_requests=fewer).models}
    assert {model.model_id for model in found(gpu, concurrent_requests=more).models} <= wide


def test_unequal_cards_stand_as_the_plain_question_has_them():
    choices = (GpuChoice(gpu="rtx-3090", count=1), GpuChoice(gpu="rtx-3070", count=1))
    mixed = FINDER.what_fits(SizingRequest(goal=Goal.WHAT_FITS, gpus=choices, mixed_gpus=True))
    assert (mixed.understood.gpu, mixed.understood.gpu_count) == ("rtx-3070", 2)
    assert [note.code for note in mixed.warnings] == ["mixed_gpus"]
    assert mixed.understood.usable_bytes == sum(
        CATALOGUE.gpus[name].usable_bytes for name in ("rtx-3090", "rtx-3070")
    )
    for model in mixed.models[::20]:
        plain = SizingRequest(
            model_id=model.model_id,
            precision=model.best.precision,
            engine=model.best.engine,
            gpus=choices,
            mixed_gpus=True,
        )
        option = size(plain, CATALOGUE).options[0]
        assert option.verdict == model.best.verdict
        assert option.max_context_tokens == model.best.max_context_tokens


def test_a_card_known_by_its_memory_is_enough():
    answer = found(None, 2)
    assert (answer.understood.gpu, answer.understood.gpu_count) == ("any-24gb", 2)
    assert answer.models


def test_an_open_number_means_one_or_what_the_split_takes():
    assert found("l40s", None).understood.gpu_count == 1
    assert found("l40s", None, tensor_parallel=4).understood.gpu_count == 4


def test_an_engine_that_does_not_run_there_is_the_reason():
    answer = found("m3-ultra", engine="vllm")
    assert answer.models == ()
    assert [note.code for note in answer.warnings] == ["unsupported_engine"]


def test_without_gpus_or_with_a_choice_of_them_there_is_no_answer():
    with pytest.raises(InvalidRequestError) as nothing:
        what_fits(SizingRequest(goal=Goal.WHAT_FITS), CATALOGUE)
    assert nothing.value.values["reason"] == "no_gpus"
    two = (GpuChoice(gpu="l4", count=1), GpuChoice(gpu="l40s", count=2))
    with pytest.raises(InvalidRequestError) as several:
        what_fits(SizingRequest(goal=Goal.WHAT_FITS, gpus=two), CATALOGUE)
    assert several.value.values["reason"] == "two_gpu_sets"


def test_a_fresh_finder_answers_the_same():
    assert what_fits(asked("l4"), CATALOGUE) == found("l4")
