"""Experts shared out whole, and attention copied beside them."""

from __future__ import annotations

import pytest

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest


def answer(catalogue: Catalogue, **fields: object) -> SizingAnswer:
    return size(SizingRequest(**fields), catalogue)


def codes(option: Option) -> set[str]:
    return {reason.code for reason in option.reasons}


def deepseek(catalogue: Catalogue, **fields: object) -> Option:
    gpus = (GpuChoice(gpu="h200-sxm", count=8),)
    return answer(
        catalogue,
        model_id="deepseek-v3",
        gpus=gpus,
        concurrent_requests=32,
        context_tokens=8_192,
        **fields,
    ).options[0]


def weights(catalogue: Catalogue, group: str) -> int:
    memory = answer(catalogue, model_id="deepseek-v3").memory
    return next(part.weights_bytes for part in memory.groups if part.group == group)


def test_copies_of_the_attention_share_out_the_requests(catalogue) -> None:
    """Each of 8 copies keeps 4 of 32 requests, the whole attention and an eighth of the experts.

    Where the attention is cut, 15,138,816 of its 187,105,280 parameters a layer are copied.
    """
    copied = deepseek(catalogue, data_parallel=8)
    cut = deepseek(catalogue, tensor_parallel=8)
    assert (copied.tensor_parallel, copied.data_parallel, copied.expert_parallel) == (1, 8, 8)
    assert (copied.gpus, copied.replicas) == (8, 1)
    assert copied.per_gpu.kv_cache_bytes == 4 * 8_192 * 61 * 576 * 2
    assert cut.per_gpu.kv_cache_bytes == 32 * 8_192 * 61 * 576 * 2
    attention = weights(catalogue, "attention") * (1 - 15_138_816 / 187_105_280)
    whole = attention + sum(weights(catalogue, group) for group in ("shared_experts", "ffn"))
    ends = weights(catalogue, "embedding") + weights(catalogue, "head")
    more = (whole + ends) * 7 / 8
    assert copied.per_gpu.weights_bytes - cut.per_gpu.weights_bytes == pytest.approx(more, rel=0.01)
    assert copied.max_concurrent_requests > cut.max_concurrent_requests
    assert "attention_copied" in codes(copied)
    assert "latents_replicated" in codes(cut)


def test_expert_parallel_alone_cuts_the_attention(catalogue) -> None:
    option = deepseek(catalogue, expert_parallel=8)
    assert (option.tensor_parallel, option.expert_parallel, option.data_parallel) == (8, 8, 1)
    assert "experts_whole" in codes(option)


def test_what_tensor_parallel_leaves_are_copies(catalogue) -> None:
    option = deepseek(catalogue, expert_parallel=8, tensor_parallel=2)
    assert (option.tensor_parallel, option.expert_parallel, option.data_parallel) == (2, 8, 4)
    assert option.per_gpu.kv_cache_bytes == 8 * 8_192 * 61 * 576 * 2


def test_expert_parallel_is_tensor_times_data_parallel(catalogue) -> None:
    option = deepseek(catalogue, expert_parallel=6, tensor_parallel=4)
    assert option.verdict is Verdict.UNSUPPORTED
    assert "expert_parallel_illegal" in codes(option)


def test_copies_of_a_dense_model_are_replicas(catalogue) -> None:
    gpus = (GpuChoice(gpu="h100-sxm", count=4),)
    found = answer(catalogue, model_id="llama-3.1-8b", gpus=gpus, data_parallel=4)
    option = found.options[0]
    assert (option.replicas, option.data_parallel, option.tensor_parallel) == (4, 1, 1)


def test_a_dense_model_has_no_experts(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-8b", expert_parallel=8)
    assert "no_experts" in {warning.code for warning in found.warnings}


def test_experts_whose_width_cannot_be_cut_stay_whole(catalogue) -> None:
    """2,560 / 8 = 320 parts a block of 128: Qwen3-Coder-480B FP8 starts with whole experts."""
    gpus = (GpuChoice(gpu="h200-sxm", count=8),)
    found = answer(catalogue, model_id="qwen3-coder-480b-a35b", precision="fp8-block", gpus=gpus)
    option = found.options[0]
    assert (option.tensor_parallel, option.expert_parallel) == (8, 8)
    assert option.verdict is Verdict.FITS
    assert "experts_whole" in codes(option)


def test_a_quantised_model_is_not_proposed_where_scales_part(catalogue) -> None:
    """29,568 is 231 groups of 128: no 2, 4 or 8 GPUs share them evenly."""
    asked = {"model_id": "qwen2.5-72b", "precision": "gptq-int4"}
    gpus = (GpuChoice(gpu="a100-sxm-80", count=2),)
    cut = answer(catalogue, **asked, tensor_parallel=2, gpus=gpus)
    assert "scales_parted" in codes(cut.options[0])
    proposed = answer(catalogue, **asked, concurrent_requests=8).options
    assert {option.tensor_parallel for option in proposed} == {1}


def test_a_named_count_shares_the_cache_out_where_copying_it_does_not_fit(catalogue) -> None:
    """64 requests of 16,384 tokens: 73.7 GB on each of 8 ranks, or an eighth of that."""
    gpus = (GpuChoice(gpu="h200-sxm", count=8),)
    found = answer(
        catalogue,
        model_id="deepseek-v3",
        gpus=gpus,
        concurrent_requests=64,
        context_tokens=16_384,
    )
    option = found.options[0]
    assert (option.tensor_parallel, option.data_parallel) == (1, 8)
    assert option.verdict is Verdict.FITS
    assert option.per_gpu.kv_cache_bytes == 8 * 16_384 * 61 * 576 * 2
