"""Weights in host memory: how much, and the speed that the link or the memory leaves at most."""

from __future__ import annotations

from math import ceil

import pytest

from bot.command import parse
from sizing.answer import Note, Option
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.host_link import link_gb_per_s

GIB = 2**30


def first(catalogue: Catalogue, question: str) -> Option:
    return size(parse(question, catalogue).request, catalogue).options[0]


def offload_of(option: Option) -> Note | None:
    found = [note for note in option.reasons if note.code.startswith("offload_")]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("gpu", "gb_per_s"),
    [
        ("rtx-3090", 31.504),  # PCIe 4.0 x16: 16 x 1.969
        ("h100-sxm", 63.008),  # PCIe 5.0 x16: 16 x 3.938
        ("v100-sxm2-32", 15.76),  # PCIe 3.0 x16: 16 x 0.985
        ("gh200-96", 450),  # NVLink-C2C: 900 GB/s, both directions together
        ("gb200", None),
    ],
)
def test_links(catalogue: Catalogue, gpu: str, gb_per_s: float | None) -> None:
    assert link_gb_per_s(catalogue.gpus[gpu]) == (
        None if gb_per_s is None else pytest.approx(gb_per_s)
    )


def test_vllm_reads_them_over_the_link_for_every_token(catalogue: Catalogue) -> None:
    """70B in 16 bits on two A100: 31.504 GB/s over what is missing at the high bound, in GiB."""
    option = first(catalogue, "llama 3.1 70b fp16 gpu=2xa100 ctx=32k users=4")
    note = offload_of(option)
    gpu = option.per_gpu
    gib = ceil((gpu.need_high_bytes - gpu.budget_bytes) / GIB)
    assert note.code == "offload_streamed"
    assert note.values["flag"] == f"--cpu-offload-gb {gib}"
    assert note.values["offload_bytes"] == gib * GIB
    assert note.values["link_gb_per_s"] == 32
    assert note.values["tokens_per_s"] == pytest.approx(31.504e9 / (gib * GIB), rel=0.05)


@pytest.mark.parametrize(("gpu", "gpus"), [("1xh100", 1), ("2x4090", 2)])
def test_transformers_is_told_what_each_device_keeps(
    catalogue: Catalogue, gpu: str, gpus: int
) -> None:
    """Of the weights of each GPU what is not missing, in whole GiB; the host takes the rest."""
    option = first(catalogue, f"llama 3.1 70b fp16 gpu={gpu} engine=transformers ctx=8k")
    note, one = offload_of(option), option.per_gpu
    gib = ceil((one.need_high_bytes - one.budget_bytes) / GIB)
    kept = one.weights_bytes // GIB - gib
    devices = ", ".join(f'{number}: "{kept}GiB"' for number in range(gpus))
    host = gpus * (gib + 1)
    assert note.code == "offload_streamed"
    assert note.values["flag"] == f'max_memory={{{devices}, "cpu": "{host}GiB"}}'
    assert gpus * (kept + gib + 1) * GIB >= gpus * one.weights_bytes


def test_a_token_reads_its_experts_only(catalogue: Catalogue) -> None:
    """Mixtral 8x7B passes 12.9 of 46.7 billion parameters: that share crosses the link."""
    option = first(catalogue, "mixtral 8x7b fp16 gpu=1xh100")
    note = offload_of(option)
    share = 12.88 / 46.70
    expected = 63.008e9 / (note.values["offload_bytes"] * share)
    assert note.values["tokens_per_s"] == pytest.approx(expected, rel=0.05)


def test_stages_read_one_after_the_other(catalogue: Catalogue) -> None:
    tensor = first(catalogue, "llama 3.1 70b fp16 gpu=2xa100 tp=2 ctx=32k users=4")
    stages = first(catalogue, "llama 3.1 70b fp16 gpu=2xa100 pp=2 tp=1 ctx=32k users=4")
    fast, slow = offload_of(tensor).values, offload_of(stages).values
    per_byte = fast["tokens_per_s"] * fast["offload_bytes"]
    assert slow["tokens_per_s"] * slow["offload_bytes"] * 2 == pytest.approx(per_byte, rel=0.1)


def test_an_unknown_link_has_no_speed(catalogue: Catalogue) -> None:
    option = first(catalogue, "llama 3.1 405b fp16 gpu=4xgb200")
    assert offload_of(option).values["tokens_per_s"] is None


def test_llamacpp_leaves_layers_to_the_processor(catalogue: Catalogue) -> None:
    """70B in Q4_K_M on 24 GB: whole layers, the cache of each with it; 89.6 GB/s of memory."""
    option = first(catalogue, "llama 3.1 70b q4_k_m gpu=1x4090")
    note, gpu = offload_of(option), option.per_gpu
    layer = (gpu.weights_bytes + gpu.kv_cache_bytes) / 80
    moved = ceil((gpu.need_high_bytes - gpu.budget_bytes) / layer)
    assert note.code == "offload_layers"
    assert (note.values["layers"], note.values["all_layers"]) == (moved, 80)
    assert note.values["flag"] == f"-ngl {80 - moved}"
    expected = 89.6e9 / (moved * gpu.weights_bytes / 80)
    assert note.values["tokens_per_s"] == pytest.approx(expected, rel=0.05)


def test_llamacpp_leaves_experts_first(catalogue: Catalogue) -> None:
    """Qwen3 30B A3B: 48 layers of 128 experts, 8 for each token."""
    option = first(catalogue, "qwen3 30b a3b q4_k_m gpu=1x4080")
    note, gpu = offload_of(option), option.per_gpu
    model = catalogue.models["qwen3-30b-a3b"].architecture
    assert note.code == "offload_experts"
    layers = note.values["layers"]
    assert note.values["flag"] == f"--n-cpu-moe {layers}"
    of_one = note.values["offload_bytes"] / layers
    missing = gpu.need_high_bytes - gpu.budget_bytes
    assert (layers - 1) * of_one < missing <= layers * of_one
    assert (model.moe.experts, model.moe.experts_per_token) == (128, 8)
    expected = 89.6e9 / (layers * of_one * 8 / 128)
    assert note.values["tokens_per_s"] == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(
    "question",
    [
        "llama-13b int8",  # fits
        "llama 3.1 70b fp8 gpu=1xh100",  # tight: it starts
        "llama 3.1 8b fp16 gpu=1x4090 ctx=64k users=40",  # the cache alone is too large
        "llama 3.1 70b fp16 gpu=1xh100 engine=tgi",  # moves nothing
    ],
)
def test_where_nothing_is_gained(catalogue: Catalogue, question: str) -> None:
    assert offload_of(first(catalogue, question)) is None


def test_shared_memory_has_no_other_to_go_to(catalogue: Catalogue) -> None:
    assert offload_of(first(catalogue, "deepseek-v4-flash q2_k m2 ultra 64gb")) is None


def test_llamacpp_may_keep_the_cache_in_host_memory(catalogue: Catalogue) -> None:
    """8B with 128k of context on 16 GB: 131,072 x 131,072 bytes are read for each token."""
    option = first(catalogue, "llama 3.1 8b q8_0 gpu=1xt4 ctx=128k")
    note = next(reason for reason in option.reasons if reason.code == "cache_in_host")
    assert note.values["cache_bytes"] == option.per_gpu.kv_cache_bytes == 131_072 * 131_072
    assert note.values["tokens_per_s"] == pytest.approx(89.6e9 / 131_072**2, rel=0.05)


def test_a_cache_is_not_moved_where_the_weights_are_too_large(catalogue: Catalogue) -> None:
    option = first(catalogue, "llama 3.1 70b q8_0 gpu=1xt4 ctx=8k")
    assert "cache_in_host" not in {reason.code for reason in option.reasons}
