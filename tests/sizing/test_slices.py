"""Placement on MIG slices: each is one device, none are added up."""

from __future__ import annotations

import pytest

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import UnknownGpuError
from sizing.parallelism import Layout
from sizing.request import GpuChoice, SizingRequest
from sizing.slices import GpuSlice, slice_of, slice_would_do, slices_of
from sizing.units import MIB

MODEL = "llama-3.1-8b"


def asked(
    catalogue: Catalogue, gpu: str, profile: str | None, count: int | None = None, **more: object
) -> SizingAnswer:
    choice = GpuChoice(gpu=gpu, mig_profile=profile, count=count)
    return size(SizingRequest(model_id=MODEL, gpus=(choice,), **more), catalogue)


def codes(option: Option) -> set[str]:
    return {reason.code for reason in option.reasons}


def sliced(catalogue: Catalogue, gpu: str, name: str) -> GpuSlice:
    profile = catalogue.gpus[gpu].mig_profile(name)
    assert profile is not None
    return slice_of(catalogue.gpus[gpu], profile)


def test_a_slice_is_a_device_with_its_share_of_the_card(catalogue: Catalogue) -> None:
    """3g.40gb of an H100: half of 3,350 GB/s, 60 of 132 multiprocessors, no link."""
    part = sliced(catalogue, "h100-sxm", "3g.40gb")
    assert (part.id, part.memory_gb, part.usable_mib) == ("h100-sxm", 40, 40_448)
    assert part.bandwidth_gb_per_s == 1675
    assert part.bf16_dense_tflops == pytest.approx(989 * 60 / 132, rel=0.002)
    assert (part.link_gb_per_s, part.link_max_gpus) == (None, None)


def test_the_budget_is_that_of_the_slice(catalogue: Catalogue) -> None:
    """8.03 B parameters in BF16 take 16.1 GB; 39.5 GiB x 0.9 = 38.2 GB hold them, 9.4 do not."""
    holds, lacks = (
        asked(catalogue, "h100-sxm", name, 1).options[0] for name in ("3g.40gb", "1g.10gb")
    )
    assert (holds.verdict, holds.mig_profile) == (Verdict.FITS, "3g.40gb")
    assert holds.per_gpu is not None
    assert holds.per_gpu.usable_bytes == 40_448 * MIB
    assert holds.per_gpu.budget_bytes == int(40_448 * MIB * 0.9)
    assert (lacks.verdict, lacks.mig_profile) == (Verdict.DOES_NOT_FIT, "1g.10gb")


def test_what_a_slice_does_not_hold_goes_to_the_next_larger_of_the_card(
    catalogue: Catalogue,
) -> None:
    found = asked(catalogue, "h100-sxm", "1g.20gb", 1)
    second = found.options[1]
    assert (second.gpu, second.mig_profile, second.gpus) == ("h100-sxm", "3g.40gb", 1)
    assert second.verdict is Verdict.FITS


def test_several_slices_hold_copies_never_one_model(catalogue: Catalogue) -> None:
    """2 x 19.6 GiB would hold 19.8 GB if they could be added up: they cannot."""
    first = asked(catalogue, "h100-sxm", "1g.20gb", 2, context_tokens=16_384).options[0]
    assert (first.gpus, first.replicas, first.tensor_parallel) == (2, 2, 1)
    assert first.verdict is Verdict.DOES_NOT_FIT
    assert {"slice", "slices_hold_copies"} <= codes(first)


@pytest.mark.parametrize("split", [{"tensor_parallel": 2}, {"pipeline_parallel": 2}])
@pytest.mark.parametrize("engine", ["vllm", "llamacpp"])
def test_a_split_over_slices_is_refused(
    catalogue: Catalogue, split: dict[str, int], engine: str
) -> None:
    precision = "q4_k_m" if engine == "llamacpp" else "bf16"
    precision = catalogue.precisions[precision.replace("_", "-")].id
    found = asked(catalogue, "h100-sxm", "3g.40gb", 2, precision=precision, engine=engine, **split)
    assert found.options[0].verdict is Verdict.UNSUPPORTED
    assert "slices_not_pooled" in codes(found.options[0])
    assert found.options[1].verdict is Verdict.FITS


def test_slices_count_the_cards_behind_them(catalogue: Catalogue) -> None:
    """Nine 3g.40gb, two on a card: five cards of 700 W in one server; 17 fill nine cards, two."""
    nine, seventeen = (
        asked(catalogue, "h100-sxm", "3g.40gb", count).options[0] for count in (9, 17)
    )
    assert (nine.nodes, nine.power_w) == (1, 5 * 700)
    told = {reason.code: reason.values for reason in nine.reasons}
    assert told["slices_hold_copies"] == {"slices": 9, "cards": 5}
    assert (seventeen.nodes, seventeen.power_w) == (2, 9 * 700)


def test_an_open_number_of_slices_grows_with_the_users(catalogue: Catalogue) -> None:
    """At the high bound 19.9 GB come before the cache: (38.2 - 19.9) / 0.537 = 34 requests each."""
    found = asked(catalogue, "h100-sxm", "3g.40gb", concurrent_requests=100, context_tokens=4096)
    first = found.options[0]
    assert (first.mig_profile, first.verdict) == ("3g.40gb", Verdict.FITS)
    assert first.max_concurrent_requests is not None
    assert first.max_concurrent_requests >= 100
    assert first.gpus == first.replicas == 3


def test_a_slice_the_card_does_not_give_is_an_error(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownGpuError) as caught:
        asked(catalogue, "h100-sxm", "1g.12gb")
    assert caught.value.suggestions[0] == "h100-sxm:1g.10gb"


def test_a_card_of_which_half_is_idle_names_the_slice_that_would_do(catalogue: Catalogue) -> None:
    first = asked(catalogue, "h100-sxm", None, 1).options[0]
    named = [reason.values for reason in first.reasons if reason.code == "slice_would_do"]
    assert [values["mig_profile"] for values in named] == ["3g.40gb"]
    on_slice = asked(catalogue, "h100-sxm", "3g.40gb", 1).options[0]
    assert "slice_would_do" not in codes(on_slice)


@pytest.mark.parametrize(
    ("need_mib", "profile"),
    [
        # 1g.10gb shows 9,984 MiB; 0.5 of it is 4,992
        (4_992, "1g.10gb"),
        (4_993, "1g.20gb"),
        # 1g.20gb and 2g.20gb show 20,096: the one of fewer multiprocessors leaves more for others
        (10_048, "1g.20gb"),
        (10_049, "3g.40gb"),
        (20_224, "3g.40gb"),
        # half of the budget of the whole, 81,559 / 4 = 20,389.75
        (20_225, None),
        (20_389, None),
        (20_390, None),
    ],
)
def test_the_smallest_slice_that_holds_it(
    catalogue: Catalogue, need_mib: int, profile: str | None
) -> None:
    notes = slice_would_do(catalogue.gpus["h100-sxm"], need_mib * MIB, 0.5)
    assert [note.values["mig_profile"] for note in notes] == ([profile] if profile else [])


def test_half_of_the_budget_is_the_bound(catalogue: Catalogue) -> None:
    """An A100 80 GB at 0.9: half the budget is 36,864 MiB, the budget of its 3g.40gb 36,172."""
    gpu = catalogue.gpus["a100-sxm-80"]
    assert slice_would_do(gpu, int(40_192 * MIB * 0.9), 0.9)
    assert not slice_would_do(gpu, int(40_192 * MIB * 0.9) + 1, 0.9)
    assert not slice_would_do(gpu, 36_864 * MIB, 0.9)


def test_cards_without_slices_name_none(catalogue: Catalogue) -> None:
    assert slices_of(catalogue.gpus["l40s"]) == ()
    assert slice_would_do(catalogue.gpus["l40s"], MIB, 0.9) == ()


def test_every_slice_of_every_card_can_be_placed(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        for part in slices_of(gpu):
            assert part.cards(part.profile.most_instances) == 1
            assert part.cards(part.profile.most_instances + 1) == 2
            assert part.usable_mib < gpu.usable_mib
    assert Layout().gpus_per_replica == 1
