"""What engines take when they start: shares of different wholes."""

from __future__ import annotations

import pytest

from sizing.answer import PerGpu
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest
from sizing.reservation import bytes_of_share, memory_setting

GB = 10**9

GPU = PerGpu(
    usable_bytes=80 * GB,
    budget_bytes=72 * GB,
    weights_bytes=30 * GB,
    kv_cache_bytes=5 * GB,
    adapter_bytes=2 * GB,
    activation_bytes=3 * GB,
    runtime_bytes=1 * GB,
    outside_bytes=2 * GB,
    need_bytes=41 * GB,
    need_low_bytes=40 * GB,
    need_high_bytes=42 * GB,
    kv_pool_bytes=36 * GB,
    free_bytes=31 * GB,
)
"""72 of 80 GB: weights 30, adapters 2, activations 3, runtime 1, and 36 left for the cache;
2 beside the budget."""


@pytest.mark.parametrize(
    ("engine", "setting"),
    [
        ("vllm", 0.9),
        ("nim", 0.9),
        ("tgi", 1.0),  # it fills nine tenths of its own setting: 0.9 / 0.9
        ("sglang", 0.85),  # (30 + 2 + 36) / 80
        ("trtllm", 0.857),  # 36 / (80 - 30 - 2 - 1 - 2 - 3) = 0.85714
        ("lmdeploy", 0.8),  # 36 / (80 - 30 - 2 - 1 - 2)
        ("llamacpp", None),
        ("transformers", None),
    ],
)
def test_each_engine_names_the_same_budget_in_its_own_share(
    catalogue: Catalogue, engine: str, setting: float | None
) -> None:
    assert memory_setting(catalogue.engines[engine], GPU, 0.9) == setting


@pytest.mark.parametrize(
    ("asked", "taken", "setting"),
    [
        (None, 0.9, 1.0),
        (0.45, 0.45, 0.5),  # 0.45 / 0.9
        (0.7, 0.7, 0.777),  # 0.7 / 0.9 = 0.7778, rounded down
        (0.9, 0.9, 1.0),
        (0.95, 0.9, 1.0),  # no setting fills more
    ],
)
def test_an_engine_that_fills_a_part_is_told_more(
    catalogue: Catalogue, asked: float | None, taken: float, setting: float
) -> None:
    gpus = (GpuChoice(gpu="l40s", count=1),)
    request = SizingRequest(model_id="llama-3.1-8b", engine="tgi", memory_fraction=asked, gpus=gpus)
    answer = size(request, catalogue)
    gpu = answer.options[0].per_gpu
    assert answer.understood.memory_fraction == taken
    assert gpu.budget_bytes == int(gpu.usable_bytes * taken)
    assert memory_setting(catalogue.engines["tgi"], gpu, taken) == setting
    told = [note.values for note in answer.warnings if note.code == "share_not_filled"]
    more = [{"engine": "tgi", "asked_fraction": asked, "memory_fraction": 0.9}]
    assert told == (more if asked == 0.95 else [])


@pytest.mark.parametrize("engine", ["vllm", "nim", "tgi", "sglang", "trtllm", "lmdeploy"])
def test_what_a_share_leaves_becomes_cache(catalogue: Catalogue, engine: str) -> None:
    assert bytes_of_share(catalogue.engines[engine], 72, 41) == 72


@pytest.mark.parametrize("engine", ["llamacpp", "transformers"])
@pytest.mark.parametrize(("need", "reserved"), [(71, 71), (72, 72), (73, 72)])
def test_others_take_what_the_load_needs(
    catalogue: Catalogue, engine: str, need: int, reserved: int
) -> None:
    assert bytes_of_share(catalogue.engines[engine], 72, need) == reserved


def test_a_monitor_shows_what_stands_beside_the_share_too(catalogue: Catalogue) -> None:
    """vLLM on an L4: its budget and the driver's context, never more than the card has."""
    request = SizingRequest(model_id="llama-3.1-8b", gpus=(GpuChoice(gpu="l4", count=1),))
    gpu = size(request, catalogue).options[0].per_gpu
    assert gpu.outside_bytes > 0
    assert gpu.reserved_bytes == gpu.budget_bytes + gpu.outside_bytes
    full = request.model_copy(update={"memory_fraction": 1.0})
    whole = size(full, catalogue).options[0].per_gpu
    assert whole.reserved_bytes == whole.usable_bytes
