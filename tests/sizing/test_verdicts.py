"""Verdicts at their bounds, and what stands on each GPU, on one dense model."""

from __future__ import annotations

import pytest

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.memory import Need
from sizing.overhead import BytesRange
from sizing.parallelism import Layout
from sizing.placement import Placement
from sizing.request import GpuChoice, SizingRequest
from sizing.request_cache import RequestCache
from sizing.units import gib_to_bytes

GPU = "l40s"


def asked(catalogue: Catalogue, fraction: float, **more: object) -> Option:
    request = SizingRequest(
        model_id="llama-2-13b",
        precision="int8",
        memory_fraction=fraction,
        gpus=(GpuChoice(gpu=GPU, count=1),),
        **more,
    )
    return size(request, catalogue).options[0]


@pytest.fixture(scope="module")
def bounds(catalogue: Catalogue) -> tuple[float, float]:
    """Return the fractions at which the typical and the high need are the whole budget.

    The driver keeps its part of every share: (need - kept) / (usable - kept).
    """
    part = asked(catalogue, 1.0).per_gpu
    kept = catalogue.engines["vllm"].overhead.reserved
    typical, high = gib_to_bytes(kept.typical_gib), gib_to_bytes(kept.high_gib)
    return (
        (part.need_bytes - typical) / (part.usable_bytes - typical),
        (part.need_high_bytes - high) / (part.usable_bytes - high),
    )


@pytest.mark.parametrize(
    ("bound", "step", "verdict"),
    [
        (0, -1e-9, Verdict.DOES_NOT_FIT),
        (0, 1e-9, Verdict.TIGHT),
        (1, -1e-9, Verdict.TIGHT),
        (1, 1e-9, Verdict.FITS),
    ],
)
def test_verdict_below_and_above_each_bound(
    catalogue: Catalogue, bounds: tuple[float, float], bound: int, step: float, verdict: Verdict
) -> None:
    """Tight from the typical need on, fits from the high bound on: 1e-9 of the card is 48 bytes."""
    assert asked(catalogue, bounds[bound] + step).verdict is verdict


@pytest.mark.parametrize(
    ("budget_bytes", "verdict"),
    [(99, Verdict.DOES_NOT_FIT), (100, Verdict.TIGHT), (119, Verdict.TIGHT), (120, Verdict.FITS)],
)
def test_verdict_at_each_bound(catalogue: Catalogue, budget_bytes: int, verdict: Verdict) -> None:
    """A need of exactly the budget is inside it: 90 of weights, 10 of activations, 30 at worst."""
    need = Need(
        weights_bytes=90,
        kv_cache_bytes=0,
        request_cache=RequestCache(bytes_per_token=1),
        adapter_bytes=0,
        activation=BytesRange(5, 10, 30),
        runtime=BytesRange(0, 0, 0),
    )
    placement = Placement(
        gpu=catalogue.gpus[GPU],
        layout=Layout(),
        need=need,
        budget_bytes=budget_bytes,
        notes=(),
        unsupported=False,
        starts=True,
    )
    assert placement.verdict is verdict


@pytest.mark.parametrize(
    ("outside_bytes", "verdict"),
    [(20, Verdict.FITS), (21, Verdict.TIGHT), (40, Verdict.TIGHT), (41, Verdict.DOES_NOT_FIT)],
)
def test_what_stands_beside_the_budget_needs_room_too(
    catalogue: Catalogue, outside_bytes: int, verdict: Verdict
) -> None:
    """The budget is the whole card; the need leaves 40 bytes of it, 20 at worst."""
    gpu = catalogue.gpus[GPU].model_copy(update={"usable_mib": 1})
    size_bytes = gpu.usable_bytes
    need = Need(
        weights_bytes=size_bytes - 50,
        kv_cache_bytes=0,
        request_cache=RequestCache(bytes_per_token=1),
        adapter_bytes=0,
        activation=BytesRange(5, 10, 30),
        runtime=BytesRange(0, 0, 0),
        outside=BytesRange(0, outside_bytes, outside_bytes),
    )
    placement = Placement(
        gpu=gpu,
        layout=Layout(),
        need=need,
        budget_bytes=size_bytes,
        notes=(),
        unsupported=False,
        starts=True,
    )
    assert placement.verdict is verdict


def test_no_fraction_is_named_where_the_whole_card_is_too_small(catalogue: Catalogue) -> None:
    request = SizingRequest(model_id="llama-3.1-405b", gpus=(GpuChoice(gpu="h100-sxm", count=8),))
    option = size(request, catalogue).options[0]
    assert option.verdict is Verdict.DOES_NOT_FIT
    assert option.minimum_memory_fraction is None


def test_minimum_fraction_starts_and_a_thousandth_less_does_not(catalogue: Catalogue) -> None:
    least = asked(catalogue, 0.9).minimum_memory_fraction
    assert asked(catalogue, least).verdict is not Verdict.DOES_NOT_FIT
    assert asked(catalogue, least - 0.001).verdict is Verdict.DOES_NOT_FIT


def test_pool_is_cut_into_whole_blocks(catalogue: Catalogue) -> None:
    """819,200 bytes a token, blocks of 16: the rest of the pool is smaller than one block."""
    option = asked(catalogue, 0.9)
    assert option.kv_pool_tokens % 16 == 0
    rest = option.per_gpu.kv_pool_bytes - option.kv_pool_tokens * 819_200
    assert 0 <= rest < 16 * 819_200


@pytest.mark.parametrize(("context", "reserved"), [(4096, 4096), (4097, 4112), (4111, 4112)])
def test_a_request_reserves_whole_blocks(catalogue: Catalogue, context: int, reserved: int) -> None:
    request = SizingRequest(model_id="llama-2-13b", context_tokens=context)
    assert size(request, catalogue).memory.kv_cache_bytes == reserved * 819_200


def test_capacity_is_the_pool_divided_by_the_context(catalogue: Catalogue) -> None:
    option = asked(catalogue, 0.9, context_tokens=2048, concurrent_requests=3)
    assert option.max_concurrent_requests == option.kv_pool_tokens // 2048
    assert option.max_context_tokens == 4096


def test_longest_context_is_whole_blocks_of_a_share(catalogue: Catalogue) -> None:
    """Llama 3.1 8B for 20 requests: the pool's blocks divided by 20, each of 16 tokens."""
    request = SizingRequest(
        model_id="llama-3.1-8b",
        concurrent_requests=20,
        gpus=(GpuChoice(gpu="h200-nvl", count=1),),
    )
    option = size(request, catalogue).options[0]
    assert option.max_context_tokens == option.kv_pool_tokens // 16 // 20 * 16
    assert option.max_context_tokens < 131_072


def halves(catalogue: Catalogue, **layout: int) -> Option:
    gpus = (GpuChoice(gpu="h100-sxm", count=2),)
    request = SizingRequest(model_id="llama-3.1-70b", precision="bf16", gpus=gpus, **layout)
    return size(request, catalogue).options[0]


def test_tensor_parallel_halves_matrices_and_copies_norms(catalogue: Catalogue) -> None:
    """Llama 3.1 70B: 70,553,706,496 parameters, of which 161 norms of 8,192 stay whole."""
    norms = 161 * 8192
    option = halves(catalogue, tensor_parallel=2)
    assert option.per_gpu.weights_bytes == 2 * ((70_553_706_496 - norms) // 2 + norms)
    assert option.kv_pool_tokens * 327_680 // 2 <= option.per_gpu.kv_pool_bytes


def test_pipeline_parallel_puts_the_head_on_the_last_stage(catalogue: Catalogue) -> None:
    """Half of the 80 layers, and one of the two 128,256 x 8,192 tables."""
    table = 128_256 * 8192
    layers = 70_553_706_496 - 2 * table
    option = halves(catalogue, pipeline_parallel=2)
    assert option.per_gpu.weights_bytes == pytest.approx(2 * (layers / 2 + table), rel=1e-6)
    assert (option.tensor_parallel, option.pipeline_parallel) == (1, 2)


def test_kv_heads_are_copied_beyond_their_number(catalogue: Catalogue) -> None:
    """8 KV heads on 16 ranks: each holds one, an eighth of 327,680 bytes a token, not a 16th."""
    gpus = (GpuChoice(gpu="h100-sxm", count=16),)
    request = SizingRequest(model_id="llama-3.1-70b", tensor_parallel=16, gpus=gpus)
    option = size(request, catalogue).options[0]
    per_token = option.per_gpu.kv_cache_bytes / 4096
    assert per_token == 327_680 / 8
    codes = {reason.code for reason in option.reasons}
    assert {"kv_heads_replicated", "tensor_parallel_across_servers"} <= codes


def reasons(answer: SizingAnswer) -> set[str]:
    return {reason.code for reason in answer.options[0].reasons}


@pytest.mark.parametrize(
    ("precision", "gpu", "engine", "verdict", "reason"),
    [
        ("bf16", "t4", None, Verdict.UNSUPPORTED, "unsupported_precision"),
        ("bf16", "v100-sxm2-32", None, Verdict.UNSUPPORTED, "unsupported_precision"),
        ("fp8", "a100-sxm-80", "trtllm", Verdict.UNSUPPORTED, "unsupported_precision"),
        ("fp8", "a100-sxm-80", "vllm", Verdict.FITS, "storage_only"),
        ("nvfp4", "h100-sxm", "vllm", Verdict.FITS, "storage_only"),
        ("awq", "v100-sxm2-32", None, Verdict.UNSUPPORTED, "unsupported_precision"),
        ("fp16", "p100-pcie-16", "vllm", Verdict.UNSUPPORTED, "unsupported_engine"),
        ("awq", "l40s", "llamacpp", Verdict.UNSUPPORTED, "unsupported_engine_precision"),
    ],
)
def test_formats_that_a_card_refuses_or_only_stores(
    catalogue: Catalogue, precision: str, gpu: str, engine: str, verdict: Verdict, reason: str
) -> None:
    request = SizingRequest(
        model_id="llama-3.1-8b",
        precision=precision,
        engine=engine,
        gpus=(GpuChoice(gpu=gpu, count=1),),
    )
    found = size(request, catalogue)
    assert found.options[0].verdict is verdict
    assert reason in reasons(found)


def test_a_refused_format_names_one_that_runs(catalogue: Catalogue) -> None:
    request = SizingRequest(
        model_id="llama-3.1-8b", precision="bf16", gpus=(GpuChoice(gpu="t4", count=1),)
    )
    refusal = next(
        reason
        for reason in size(request, catalogue).options[0].reasons
        if reason.code == "unsupported_precision"
    )
    assert refusal.values["other"] == "fp16"


def test_a_kv_format_that_a_card_refuses(catalogue: Catalogue) -> None:
    request = SizingRequest(
        model_id="llama-3.1-8b",
        precision="fp16",
        kv_precision="fp8",
        gpus=(GpuChoice(gpu="v100-sxm2-32", count=1),),
    )
    assert "unsupported_kv_precision" in reasons(size(request, catalogue))
