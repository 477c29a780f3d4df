"""Activations and runtime overhead, from the measured ranges of data/engines.toml."""

from __future__ import annotations

import pytest

from sizing.answer import PerGpu
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.overhead import NOTHING, outside_budget, runtime
from sizing.request import GpuChoice, SizingRequest
from sizing.units import gib_to_bytes

SMALL_CARD, LARGE_CARD = "l40s", "h200-sxm"


def on(catalogue: Catalogue, model_id: str, gpus: int, card: str, **more: object) -> PerGpu:
    request = SizingRequest(model_id=model_id, gpus=(GpuChoice(gpu=card, count=gpus),), **more)
    return size(request, catalogue).options[0].per_gpu


def test_activations_follow_the_vocabulary(catalogue: Catalogue) -> None:
    """128,256 entries of 7,230 bytes; of 12,800 where vLLM samples more requests at once."""
    assert on(catalogue, "llama-3.1-8b", 1, SMALL_CARD).activation_bytes == 927_290_880
    assert on(catalogue, "llama-3.1-8b", 1, LARGE_CARD).activation_bytes == 1_641_676_800
    assert on(catalogue, "llama-3.1-70b", 4, LARGE_CARD).activation_bytes == 1_641_676_800


def test_a_wide_layer_takes_more_than_a_small_vocabulary(catalogue: Catalogue) -> None:
    """2 bytes x 3 x (5,120 + 13,824) for each token; the sampler takes 32,000 x 7,230."""
    usual = on(catalogue, "llama-2-13b", 1, SMALL_CARD)
    asked = on(catalogue, "llama-2-13b", 1, SMALL_CARD, batched_tokens=8192)
    assert usual.activation_bytes == 2048 * 113_664 == 232_783_872
    assert asked.activation_bytes == 8192 * 113_664


def test_a_layer_is_cut_over_the_ranks(catalogue: Catalogue) -> None:
    """2 bytes x 3 x (5,120 + 13,824 / 2) for each token of two GPUs."""
    halves = on(catalogue, "llama-2-13b", 2, SMALL_CARD, batched_tokens=8192)
    assert halves.activation_bytes == 8192 * 2 * 3 * (5120 + 6912)


def test_experts_add_a_workspace(catalogue: Catalogue) -> None:
    """Two experts of 14,336 over two GPUs: 2 x 2 bytes x (14,336 + 7,168) for each token."""
    part = on(catalogue, "mixtral-8x7b", 2, LARGE_CARD, batched_tokens=2048)
    sampler_bytes = 32_000 * 12_800
    assert part.activation_bytes == sampler_bytes + 2048 * 86_016


def test_an_encoder_runs_before_the_rest(catalogue: Catalogue) -> None:
    """Its largest input takes 2 GiB, more than 152,064 entries of 7,230 bytes do."""
    part = on(catalogue, "qwen2.5-vl-7b", 1, SMALL_CARD)
    assert part.activation_bytes == gib_to_bytes(2.0)


@pytest.mark.parametrize(
    ("card", "bytes_per_entry"),
    [("h100-sxm", 12_800), ("mi300x", 12_800), ("a100-sxm-80", 7230), ("rtx-3090", 7230)],
)
def test_large_cards_sample_more_at_once(
    catalogue: Catalogue, card: str, bytes_per_entry: int
) -> None:
    """vLLM takes 1,024 requests at once from 70 GiB on, but on an A100."""
    part = on(catalogue, "llama-3.1-8b", 1, card)
    assert part.activation_bytes == bytes_per_entry * 128_256


@pytest.mark.parametrize(
    ("model_id", "tokens", "measured_gib"),
    [
        ("llama-3.1-8b", 20_000, 2.0712),  # vLLM 0.6.4 on an RTX 3090, the prompt in one step
        ("llama-3.1-8b", 29_000, 2.9912),
        ("qwen2.5-1.5b", 32_768, 2.02),  # vLLM 0.7
        ("qwen2.5-7b", 32_768, 4.35),  # vLLM 0.8.5 on a V100
    ],
)
def test_steps_meet_logs(
    catalogue: Catalogue, model_id: str, tokens: int, measured_gib: float
) -> None:
    part = on(catalogue, model_id, 1, SMALL_CARD, batched_tokens=tokens)
    assert part.activation_bytes == pytest.approx(gib_to_bytes(measured_gib), rel=0.06)


def test_llamacpp_keeps_the_logits_of_every_token_of_a_step(catalogue: Catalogue) -> None:
    """2,160 bytes for each of 128,256 entries at 512 tokens; 2,048 tokens take four times that."""
    usual = on(catalogue, "llama-3.1-8b", 1, SMALL_CARD, precision="q8-0")
    larger = on(catalogue, "llama-3.1-8b", 1, SMALL_CARD, precision="q8-0", batched_tokens=2048)
    assert usual.activation_bytes == 2160 * 128_256
    assert larger.activation_bytes == 4 * 2160 * 128_256


def test_runtime_is_buffers_and_a_share_of_what_the_driver_keeps(catalogue: Catalogue) -> None:
    """0.2 GiB of buffers and 0.9 x 0.51 GiB; 1.11 GiB of buffers where GPUs talk to each other."""
    kept_bytes = round(0.9 * gib_to_bytes(0.51))
    single = on(catalogue, "llama-3.1-8b", 1, SMALL_CARD).runtime_bytes
    double = on(catalogue, "llama-3.1-8b", 2, SMALL_CARD).runtime_bytes
    assert single == gib_to_bytes(0.2) + kept_bytes
    assert double == gib_to_bytes(1.11) + kept_bytes


@pytest.mark.parametrize(("eager", "outside_gib"), [(False, 0.6 + 0.51), (True, 0.6)])
def test_context_and_graphs_stand_outside_the_budget_of_vllm(
    catalogue: Catalogue, *, eager: bool, outside_gib: float
) -> None:
    overhead = catalogue.engines["vllm"].overhead
    outside = outside_budget(overhead, parallel_gpus=1, eager=eager)
    assert outside.typical_bytes == pytest.approx(gib_to_bytes(outside_gib), abs=1)


def test_graphs_are_inside_at_worst(catalogue: Catalogue) -> None:
    """Versions differ: only the high bound counts 1.22 GiB of graphs against the budget."""
    overhead = catalogue.engines["vllm"].overhead
    captured, eager = (
        runtime(overhead, parallel_gpus=1, eager=eager, memory_fraction=0.9)
        for eager in (False, True)
    )
    assert captured.typical_bytes == eager.typical_bytes
    assert captured.high_bytes - eager.high_bytes == gib_to_bytes(1.22)


def test_other_engines_hold_their_context_inside(catalogue: Catalogue) -> None:
    overhead = catalogue.engines["transformers"].overhead
    assert outside_budget(overhead, parallel_gpus=1, eager=False) == NOTHING
    inside = runtime(overhead, parallel_gpus=1, eager=False, memory_fraction=1.0)
    assert inside.typical_bytes == gib_to_bytes(0.51) + gib_to_bytes(0.6)


def test_decoding_in_transformers_takes_next_to_nothing(catalogue: Catalogue) -> None:
    """Logits of one token and work space; a long prompt is in the high bound alone.

    Qwen3 32B: 8,192 tokens x 2 bytes x (4 x 5,120 + 3 x 25,600).
    """
    request = SizingRequest(model_id="qwen3-32b", engine="transformers")
    memory = size(request, catalogue).memory
    assert memory.activation_bytes == gib_to_bytes(0.04)
    assert memory.activation_high_bytes == 8192 * 2 * (4 * 5120 + 3 * 25_600)


@pytest.mark.parametrize(
    ("model_id", "published_gb"), [("llama-3.1-8b", 4.92), ("llama-3.1-70b", 42.52)]
)
def test_gguf_files_are_as_large_as_published(
    catalogue: Catalogue, model_id: str, published_gb: float
) -> None:
    """Q4_K_M files on the Hub: 4.92 GB of Llama 3.1 8B, 42.52 GB of Llama 3.1 70B."""
    request = SizingRequest(model_id=model_id, precision="q4-k-m")
    weights = size(request, catalogue).memory.weights_bytes
    assert weights == pytest.approx(published_gb * 1e9, rel=0.002)
