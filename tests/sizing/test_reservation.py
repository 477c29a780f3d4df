"""What engines take when they start: shares of different wholes."""

from __future__ import annotations

import pytest

from sizing.answer import PerGpu
from sizing.catalogue import Catalogue
from sizing.reservation import memory_setting, reserved_bytes

GB = 10**9

GPU = PerGpu(
    usable_bytes=80 * GB,
    budget_bytes=72 * GB,
    weights_bytes=30 * GB,
    kv_cache_bytes=5 * GB,
    adapter_bytes=2 * GB,
    activation_bytes=3 * GB,
    runtime_bytes=1 * GB,
    need_bytes=41 * GB,
    need_low_bytes=40 * GB,
    need_high_bytes=42 * GB,
    kv_pool_bytes=36 * GB,
    free_bytes=31 * GB,
)
"""72 of 80 GB: weights 30, adapters 2, activations 3, runtime 1, and 36 left for the cache."""


@pytest.mark.parametrize(
    ("engine", "setting"),
    [
        ("vllm", 0.9),
        ("nim", 0.9),
        ("tgi", 0.9),
        ("sglang", 0.85),  # (30 + 2 + 36) / 80
        ("trtllm", 0.818),  # 36 / (80 - 30 - 2 - 1 - 3) = 0.81818
        ("lmdeploy", 0.765),  # 36 / (80 - 30 - 2 - 1) = 0.76596
        ("llamacpp", None),
        ("transformers", None),
    ],
)
def test_each_engine_names_the_same_budget_in_its_own_share(
    catalogue: Catalogue, engine: str, setting: float | None
) -> None:
    assert memory_setting(catalogue.engines[engine], GPU, 0.9) == setting


@pytest.mark.parametrize("engine", ["vllm", "nim", "tgi", "sglang", "trtllm", "lmdeploy"])
def test_what_a_share_leaves_becomes_cache(catalogue: Catalogue, engine: str) -> None:
    reserved = reserved_bytes(catalogue.engines[engine], budget_bytes=72, need_bytes=41)
    assert reserved == 72


@pytest.mark.parametrize("engine", ["llamacpp", "transformers"])
@pytest.mark.parametrize(("need", "reserved"), [(71, 71), (72, 72), (73, 72)])
def test_others_take_what_the_load_needs(
    catalogue: Catalogue, engine: str, need: int, reserved: int
) -> None:
    record = catalogue.engines[engine]
    assert reserved_bytes(record, budget_bytes=72, need_bytes=need) == reserved
