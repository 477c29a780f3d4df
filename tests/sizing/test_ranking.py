"""Which sets an answer names, and in what order."""

from __future__ import annotations

import pytest

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import InvalidRequestError, NotCoveredError, UnknownGpuError
from sizing.records import Attention
from sizing.request import GpuChoice, Mode, SizingRequest


def answer(catalogue: Catalogue, **fields: object) -> SizingAnswer:
    return size(SizingRequest(**fields), catalogue)


def with_reason(found: SizingAnswer, code: str) -> list[Option]:
    return [
        option for option in found.options if any(reason.code == code for reason in option.reasons)
    ]


def test_the_asked_set_comes_first_then_what_is_safe_on_the_same_card(catalogue) -> None:
    """70B in BF16 on two A100 80 GB: 75.0 GB of 77.3 GB on each, 80.8 GB at worst."""
    found = answer(
        catalogue,
        model_id="llama-3-70b",
        precision="bf16",
        gpus=(GpuChoice(gpu="a100-sxm-80", count=2),),
    )
    first, second = found.options[:2]
    assert (first.gpus, first.verdict) == (2, Verdict.TIGHT)
    assert (second.gpu, second.gpus, second.verdict) == ("a100-sxm-80", 4, Verdict.FITS)


def test_an_open_number_is_answered_with_the_fewest_that_fit(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-405b", gpus=(GpuChoice(gpu="h100-sxm"),))
    assert with_reason(found, "smallest") == [found.options[0]]
    first = found.options[0]
    assert (first.gpu, first.gpus, first.nodes) == ("h100-sxm", 16, 2)
    assert (first.tensor_parallel, first.pipeline_parallel) == (8, 2)


def test_many_users_are_shared_by_replicas(catalogue) -> None:
    found = answer(
        catalogue,
        model_id="llama-3.1-8b",
        concurrent_requests=200,
        context_tokens=8192,
        gpus=(GpuChoice(gpu="l4"),),
    )
    first = with_reason(found, "smallest")[0]
    assert first.verdict is Verdict.FITS
    assert first.max_concurrent_requests >= 200
    assert first.gpus == first.replicas * first.tensor_parallel * first.pipeline_parallel


def test_order_is_fewer_cards_then_less_memory_then_fewer_watts(catalogue) -> None:
    found = answer(catalogue, model_id="llama-2-13b", precision="int8")
    rest = [option for option in found.options[2:] if option.verdict is Verdict.FITS]
    keys = [(o.gpus, catalogue.gpus[o.gpu].memory_gb * o.gpus, o.power_w, o.gpu) for o in rest]
    assert keys == sorted(keys)


def test_modules_are_proposed_in_whole_boards_only(catalogue) -> None:
    for model_id in ("llama-2-13b", "llama-3.3-70b", "llama-3.1-405b", "mixtral-8x22b"):
        for option in answer(catalogue, model_id=model_id).options:
            assert catalogue.gpus[option.gpu].is_sold_as(option.gpus)


def test_a_named_module_may_be_any_number_and_says_how_it_is_sold(catalogue) -> None:
    gpus = (GpuChoice(gpu="h100-sxm", count=1),)
    found = answer(catalogue, model_id="llama-2-13b", gpus=gpus)
    assert found.options[0] in with_reason(found, "sold_on_boards")


def test_no_more_cards_than_the_asker_takes(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.3-70b", max_gpus=2)
    assert found.options
    assert max(option.gpus for option in found.options) <= 2


def test_nothing_that_cannot_run_the_format_is_proposed(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-8b", precision="nvfp4")
    assert {option.verdict for option in found.options} == {Verdict.FITS}


def test_memory_alone_stands_for_the_least_usable_card(catalogue) -> None:
    """24 GB: an L4 or A10 shows 22.5 GiB, an RTX 3090 24.0."""
    found = answer(catalogue, model_id="llama-2-13b", gpus=(GpuChoice(memory_gb=24, count=1),))
    assert found.options[0].gpu == "any-24gb"
    assert found.options[0].per_gpu.usable_bytes < 23 * 2**30


def test_a_memory_that_no_card_has_is_an_error(catalogue) -> None:
    with pytest.raises(UnknownGpuError):
        answer(catalogue, model_id="llama-2-13b", gpus=(GpuChoice(memory_gb=23.5),))


def test_unequal_counts_follow_the_asked_parallel_degree(catalogue) -> None:
    found = answer(
        catalogue,
        model_id="llama-2-13b",
        tensor_parallel=4,
        gpus=(GpuChoice(gpu="l40s", count=2),),
    )
    assert found.options[0].gpus == 4
    assert any(note.code == "count_below_parallel" for note in found.warnings)


class TestUnsupportedArchitectures:
    def test_no_total_and_no_sets(self, catalogue) -> None:
        found = answer(catalogue, model_id="deepseek-v3")
        assert not found.supported
        assert found.options == ()
        assert found.memory.kv_bytes_per_token is None
        assert found.memory.weights_bytes > 600 * 10**9

    def test_weights_alone_can_rule_a_set_out(self, catalogue) -> None:
        """671 B parameters in FP8 are 673 GB; eight 80 GB cards offer 616 GB."""
        gpus = (GpuChoice(gpu="h100-sxm", count=8), GpuChoice(gpu="h200-sxm", count=8))
        found = answer(catalogue, model_id="deepseek-v3", gpus=gpus)
        assert [(o.gpu, o.verdict) for o in found.options] == [("h100-sxm", Verdict.DOES_NOT_FIT)]
        assert with_reason(found, "weights_alone_exceed")


class TestBareSizes:
    def test_groups_sum_to_the_asked_size(self, catalogue) -> None:
        for parameters in (1_300_000, 500_000_000, 13 * 10**9, 10**12):
            found = answer(catalogue, parameters=parameters)
            assert found.understood.parameters == parameters
            assert sum(group.parameters for group in found.memory.groups) == parameters

    def test_shape_is_borrowed_and_said(self, catalogue) -> None:
        found = answer(catalogue, parameters=70 * 10**9)
        note = next(note for note in found.assumptions if note.code == "dense_size")
        assert "70B" in note.values["shape_of"]
        assert found.memory.kv_bytes_per_token == 327_680

    def test_attention_can_be_said(self, catalogue) -> None:
        """A 13B of the first generation caches 800 KiB a token, a grouped one far less."""
        mha = answer(catalogue, parameters=13 * 10**9, attention=Attention.MHA)
        gqa = answer(catalogue, parameters=13 * 10**9)
        assert mha.memory.kv_bytes_per_token == 819_200
        assert gqa.memory.kv_bytes_per_token < 819_200 / 3

    def test_attention_without_a_dense_model_is_an_error(self, catalogue) -> None:
        with pytest.raises(InvalidRequestError) as caught:
            answer(catalogue, parameters=13 * 10**9, attention=Attention.MLA)
        assert caught.value.values["reason"] == "no_shape"


def test_training_is_not_covered(catalogue) -> None:
    with pytest.raises(NotCoveredError):
        answer(catalogue, model_id="llama-3-8b", mode=Mode.LORA)


def test_two_figures_that_disagree_are_an_error(catalogue) -> None:
    with pytest.raises(InvalidRequestError):
        answer(
            catalogue,
            model_id="llama-3-8b",
            context_tokens=8192,
            input_tokens=1000,
            output_tokens=500,
        )
