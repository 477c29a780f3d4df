"""Activations and runtime overhead, from the measured ranges of data/engines.toml."""

from __future__ import annotations

import pytest

from sizing.answer import PerGpu
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest
from sizing.units import gib_to_bytes


def on(catalogue: Catalogue, model_id: str, gpus: int, **more: object) -> PerGpu:
    request = SizingRequest(
        model_id=model_id, gpus=(GpuChoice(gpu="h200-sxm", count=gpus),), **more
    )
    return size(request, catalogue).options[0].per_gpu


def test_activations_follow_the_vocabulary(catalogue: Catalogue) -> None:
    """10,000 bytes for each of 128,256 entries, however many GPUs."""
    assert on(catalogue, "llama-3.1-8b", 1).activation_bytes == 1_282_560_000
    assert on(catalogue, "llama-3.1-70b", 4).activation_bytes == 1_282_560_000


def test_a_small_vocabulary_has_a_floor(catalogue: Catalogue) -> None:
    """32,000 entries would be 0.32 GB; the floor is 0.35 GiB."""
    assert on(catalogue, "llama-2-13b", 1).activation_bytes == gib_to_bytes(0.35)


def test_experts_split_over_a_few_gpus_take_more(catalogue: Catalogue) -> None:
    """Measured over 2 to 4 GPUs: 2.65 GiB; alone or over 8 the vocabulary decides."""
    seen = {gpus: on(catalogue, "mixtral-8x7b", gpus).activation_bytes for gpus in (1, 2, 4, 8)}
    assert seen[2] == seen[4] == gib_to_bytes(2.65)
    assert seen[1] == seen[8] == gib_to_bytes(0.35)


def test_an_image_encoder_adds_its_own(catalogue: Catalogue) -> None:
    """Qwen2.5-VL 7B: 10,000 bytes for each of 152,064 entries and 3 GiB."""
    part = on(catalogue, "qwen2.5-vl-7b", 1)
    assert part.activation_bytes == 1_520_640_000 + gib_to_bytes(3.0)


@pytest.mark.parametrize(
    ("tokens", "activation_bytes"),
    [
        # 2 bytes x 3 x (14,336 + 4,096) = 110,592 a token; the logits' buffers are 1,282,560,000.
        (8192, 1_282_560_000),
        (11_597, 1_282_560_000),  # 11,597 x 110,592 = 1,282,535,424
        (11_598, 1_282_646_016),
        (32_768, 3_623_878_656),
    ],
)
def test_a_step_of_many_tokens_needs_more_for_its_layers(
    catalogue: Catalogue, tokens: int, activation_bytes: int
) -> None:
    part = on(catalogue, "llama-3.1-8b", 1, batched_tokens=tokens)
    assert part.activation_bytes == activation_bytes


@pytest.mark.parametrize(
    ("model_id", "tokens", "measured_gib"),
    [
        ("llama-3.1-8b", 20_000, 2.0712),  # vLLM 0.6.4 on an RTX 3090, the prompt in one step
        ("llama-3.1-8b", 29_000, 2.9912),
        ("qwen2.5-1.5b", 32_768, 2.02),  # vLLM 0.7
    ],
)
def test_steps_meet_logs(
    catalogue: Catalogue, model_id: str, tokens: int, measured_gib: float
) -> None:
    part = on(catalogue, model_id, 1, batched_tokens=tokens)
    assert part.activation_bytes == pytest.approx(gib_to_bytes(measured_gib), rel=0.06)


def test_gpus_share_the_ffn_of_a_step(catalogue: Catalogue) -> None:
    """Over two GPUs 2 x 3 x (7,168 + 4,096) = 67,584 bytes a token."""
    part = on(catalogue, "llama-3.1-8b", 2, batched_tokens=32_768)
    assert part.activation_bytes == 32_768 * 67_584


def test_a_token_passes_several_experts(catalogue: Catalogue) -> None:
    """Mixtral 8x7B, 2 of 8 experts: 2 x (3 x 2 x 14,336 + 3 x 4,096 + 2 x 4,096) = 212,992."""
    part = on(catalogue, "mixtral-8x7b", 1, batched_tokens=32_768)
    assert part.activation_bytes == 32_768 * 212_992


def test_the_range_of_a_step(catalogue: Catalogue) -> None:
    """0.9 and 1.5 times 32,768 x 110,592 bytes, beside a runtime that does not change."""
    step = 32_768 * 110_592
    part = on(catalogue, "llama-3.1-8b", 1, batched_tokens=32_768)
    runtime = on(catalogue, "llama-3.1-8b", 1)
    spread_low = runtime.need_bytes - runtime.need_low_bytes
    spread_high = runtime.need_high_bytes - runtime.need_bytes
    entries = 128_256
    low = spread_low - entries * 6100 + step / 10
    high = spread_high - entries * 5000 + step / 2
    assert part.need_bytes - part.need_low_bytes == pytest.approx(low, abs=1)
    assert part.need_high_bytes - part.need_bytes == pytest.approx(high, abs=1)


def test_llamacpp_keeps_the_logits_of_every_token_of_a_step(catalogue: Catalogue) -> None:
    """2,160 bytes for each of 128,256 entries at 512 tokens; 2,048 tokens take four times that."""
    usual = on(catalogue, "llama-3.1-8b", 1, precision="q8-0")
    larger = on(catalogue, "llama-3.1-8b", 1, precision="q8-0", batched_tokens=2048)
    assert usual.activation_bytes == 2160 * 128_256
    assert larger.activation_bytes == 4 * 2160 * 128_256


def test_runtime_is_context_buffers_and_graphs(catalogue: Catalogue) -> None:
    overhead = catalogue.engines["vllm"].overhead
    alone = (
        overhead.context.typical_gib,
        overhead.communication_single.typical_gib,
        overhead.graphs_single.typical_gib,
    )
    joined = (
        overhead.context.typical_gib,
        overhead.communication_parallel.typical_gib,
        overhead.graphs_parallel.typical_gib,
    )
    single = on(catalogue, "llama-3.1-8b", 1).runtime_bytes
    double = on(catalogue, "llama-3.1-8b", 2).runtime_bytes
    assert single == sum(map(gib_to_bytes, alone))
    assert double == sum(map(gib_to_bytes, joined))
    assert single < double


def test_eager_mode_captures_no_graphs(catalogue: Catalogue) -> None:
    graphs = catalogue.engines["vllm"].overhead.graphs_single.typical_gib
    captured = on(catalogue, "llama-3.1-8b", 1).runtime_bytes
    eager = on(catalogue, "llama-3.1-8b", 1, eager=True).runtime_bytes
    assert captured - eager == gib_to_bytes(graphs)


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
