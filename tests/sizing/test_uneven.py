"""Sets of unequal cards: what an even cut leaves, and what a split by layers uses."""

from __future__ import annotations

import pytest

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest
from sizing.units import MIB


def answer(catalogue: Catalogue, *cards: tuple[str, int], **fields: object) -> SizingAnswer:
    gpus = tuple(GpuChoice(gpu=gpu, count=count) for gpu, count in cards)
    return size(SizingRequest(gpus=gpus, mixed_gpus=len(cards) > 1, **fields), catalogue)


def mixed(found: SizingAnswer) -> list[Option]:
    return [option for option in found.options if option.cards]


def codes(option: Option) -> set[str]:
    return {reason.code for reason in option.reasons}


def test_an_even_cut_takes_of_each_card_what_the_smallest_has(catalogue: Catalogue) -> None:
    """70 B in FP8 as 2 x 36.4 GB: 40 GB x 0.9 = 38.7 leave no room for the overheads."""
    found = answer(
        catalogue, ("a100-sxm-80", 1), ("a100-sxm-40", 1),
        model_id="llama-3.3-70b", precision="fp8",
    )  # fmt: skip
    by_layers, even = mixed(found)
    assert (even.tensor_parallel, even.gpu, even.verdict) == (
        2, "a100-sxm-40", Verdict.DOES_NOT_FIT,
    )  # fmt: skip
    assert even.per_gpu is not None
    assert even.per_gpu.usable_bytes == 40_960 * MIB
    assert [share.layers for share in even.cards] == [None, None]
    assert (by_layers.pipeline_parallel, by_layers.verdict) == (2, Verdict.FITS)


def test_layers_are_shared_out_by_the_room_of_each_card(catalogue: Catalogue) -> None:
    """Of 80 layers each card holds its share of the room, to less than one layer.

    Room: 0.9 of 81,920 and 40,960 MiB, less the overheads at worst and one end of the model each,
    128,256 x 8,192 x 2 bytes = 2.1 GB.
    """
    found = answer(
        catalogue, ("a100-sxm-80", 1), ("a100-sxm-40", 1),
        model_id="llama-3.3-70b", precision="fp8",
    )  # fmt: skip
    first = found.options[0]
    part = first.per_gpu
    assert part is not None
    overhead_bytes = part.need_high_bytes - part.weights_bytes - part.kv_cache_bytes
    rooms = [
        int(mib * MIB * 0.9) - overhead_bytes - 128_256 * 8_192 * 2 for mib in (81_920, 40_960)
    ]
    shares = {share.gpu: share.layers for share in first.cards}
    assert sum(shares.values()) == 80
    assert shares["a100-sxm-80"] == pytest.approx(80 * rooms[0] / sum(rooms), abs=1)
    named = {reason.code: reason.values for reason in first.reasons}
    counts = ",".join(str(count) for count in shares.values())
    assert named["layers_by_memory"]["setting"] == f"VLLM_PP_LAYER_PARTITION={counts}"


@pytest.mark.parametrize(
    ("engine", "precision", "setting"),
    [
        ("llamacpp", "q4-k-m", "--tensor-split "),
        ("vllm", "fp8", "VLLM_PP_LAYER_PARTITION="),
        ("sglang", "fp8", "SGLANG_PP_LAYER_PARTITION="),
        ("trtllm", "fp8", None),
    ],
)
def test_each_engine_is_told_in_its_own_way(
    catalogue: Catalogue, engine: str, precision: str, setting: str | None
) -> None:
    found = answer(
        catalogue, ("rtx-4090", 2), ("rtx-5090", 1),
        model_id="qwen2.5-32b", precision=precision, engine=engine,
    )  # fmt: skip
    by_layers = next(option for option in mixed(found) if option.cards[0].layers)
    told = {reason.code: reason.values for reason in by_layers.reasons}["layers_by_memory"]
    assert sum(map(int, told["layers"])) == 64
    if setting is None:
        assert told["setting"] is None
    else:
        assert told["setting"] == setting + ",".join(told["layers"])


def test_llamacpp_splits_by_layers_only(catalogue: Catalogue) -> None:
    found = answer(
        catalogue, ("rtx-3090", 1), ("rtx-4090", 1),
        model_id="llama-3.3-70b", precision="q4-k-m",
    )  # fmt: skip
    (only,) = mixed(found)
    assert (only.tensor_parallel, only.pipeline_parallel) == (1, 2)


def test_equal_neighbours_are_counted_together(catalogue: Catalogue) -> None:
    found = answer(
        catalogue, ("rtx-3090", 2), ("rtx-3060-12", 1),
        model_id="llama-3.3-70b", precision="q4-k-m",
    )  # fmt: skip
    cards = [(share.gpu, share.gpus) for share in mixed(found)[0].cards]
    assert sum(count for _, count in cards) == 3
    assert {gpu for gpu, _ in cards} == {"rtx-3090", "rtx-3060-12"}
    assert mixed(found)[0].power_w == 2 * 350 + 170


def test_a_model_that_one_card_holds_says_so_beside_the_set(catalogue: Catalogue) -> None:
    """Mistral 7B on 24 + 8 GB: the 24 GB card alone is enough."""
    found = answer(catalogue, ("rtx-3090", 1), ("rtx-3070", 1), model_id="mistral-7b-v0.3")
    alone = [o for o in found.options if o.gpu == "rtx-3090" and not o.cards]
    assert alone[0].verdict is Verdict.FITS
    assert [warning.code for warning in found.warnings if warning.code == "mixed_gpus"]


def test_a_card_that_cannot_run_the_format_stops_the_set(catalogue: Catalogue) -> None:
    """vLLM does not run on a P100, whatever stands beside it."""
    found = answer(
        catalogue, ("rtx-3090", 1), ("p100-pcie-16", 1), model_id="llama-3.1-8b", engine="vllm"
    )
    for option in mixed(found):
        assert option.verdict is Verdict.UNSUPPORTED
        assert "unsupported_engine" in codes(option)


def test_a_named_degree_is_kept(catalogue: Catalogue) -> None:
    cards = (("a100-sxm-80", 1), ("a100-sxm-40", 1))
    model = {"model_id": "llama-3.3-70b", "precision": "fp8"}
    (even,) = mixed(answer(catalogue, *cards, tensor_parallel=2, **model))
    assert even.tensor_parallel == 2
    by_layers = mixed(answer(catalogue, *cards, pipeline_parallel=2, **model))
    assert [option.pipeline_parallel for option in by_layers] == [2]


def test_a_larger_second_card_never_holds_less(catalogue: Catalogue) -> None:
    """Requests held by layers grow with the memory of one card of the set."""
    held = []
    for other in ("rtx-3060-12", "rtx-4080", "rtx-a4500", "rtx-4090", "rtx-5090", "rtx-6000-ada"):
        found = answer(
            catalogue, ("rtx-3090", 1), (other, 1), model_id="qwen2.5-32b", precision="q4-k-m"
        )
        held.append(mixed(found)[0].max_concurrent_requests or 0)
    assert held == sorted(held)
    assert held[-1] > held[0]


@pytest.mark.parametrize("model_id", ["gemma-3-27b", "deepseek-v3", "granite-4.0-h-small"])
def test_windows_latents_and_states_are_shared_out_too(catalogue: Catalogue, model_id: str) -> None:
    found = answer(
        catalogue, ("h100-sxm", 4), ("h200-sxm", 4), model_id=model_id, concurrent_requests=4
    )
    for option in mixed(found):
        assert option.per_gpu is not None
        part = option.per_gpu
        assert part.need_bytes == (
            part.weights_bytes + part.kv_cache_bytes + part.adapter_bytes
            + part.activation_bytes + part.runtime_bytes
        )  # fmt: skip
