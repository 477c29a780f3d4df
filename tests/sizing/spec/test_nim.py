"""What NVIDIA's support matrix says of a model on a GPU."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from sizing.spec.nim import NimStatus, NimSupport, nim_support
from sizing.spec.nim_facts import Goal, NimCatalogue, load_nim


@pytest.fixture(scope="module")
def facts() -> NimCatalogue:
    return load_nim()


class Asker:
    """Asks about cards of the catalogue by their ids."""

    def __init__(self, catalogue: Catalogue, facts: NimCatalogue) -> None:
        self.catalogue = catalogue
        self.facts = facts

    def __call__(
        self, model: str | None, gpu: str, precision: str, *, parameters: int | None = None
    ) -> NimSupport:
        card = self.catalogue.gpus[gpu]
        return nim_support(model, card, precision, self.facts, parameters=parameters)


@pytest.fixture(scope="module")
def ask(catalogue: Catalogue, facts: NimCatalogue) -> Asker:
    return Asker(catalogue, facts)


def test_a_row_of_the_matrix_is_told_with_its_gpus_and_disk(ask: Asker) -> None:
    """Release 1.1, Llama 3.1 8B Base, H100 SXM: FP8, throughput, 1 GPU, 9.76 GB of disk."""
    found = ask("llama-3.1-8b", "h100-sxm", "fp8")
    assert found.status is NimStatus.LISTED
    rows = {(row.version, row.gpus, row.goal, row.disk_gb) for row in found.profiles}
    assert ("1.1", 1, Goal.THROUGHPUT, 9.76) in rows
    assert ("1.1", 2, Goal.LATENCY, 10.81) in rows


def test_what_was_read_first_hand_comes_first(ask: Asker) -> None:
    order = [row.is_secondhand for row in ask("llama-3.1-8b", "h100-sxm", "fp8").profiles]
    assert order == sorted(order)
    assert set(order) == {False, True}


@pytest.mark.parametrize(
    ("model", "gpu", "precision", "status"),
    [
        ("gpt-oss-120b", "l40s", "mxfp4", NimStatus.LISTED),  # among the verified GPUs
        ("gpt-oss-120b", "rtx-4090", "mxfp4", NimStatus.OTHER_GPU),
        ("gpt-oss-120b", "rtx-4090", "bf16", NimStatus.OTHER_GPU),
        ("gpt-oss-120b", "h100-sxm", "bf16", NimStatus.OTHER_PRECISION),
        ("flux.1-dev", "l40s", "bf16", NimStatus.OTHER_PRECISION),
        ("deepseek-v4-pro", "h200-sxm", "fp8", NimStatus.GPU_NOT_TOLD),
        ("qwen3.8-27b", "l40s", "bf16", NimStatus.GENERIC),
        ("qwen2.5-7b", "l40s", "bf16", NimStatus.NOT_LISTED),
        (None, "l40s", "bf16", NimStatus.NOT_LISTED),
        # 16 bits are one format for the matrices, and so is FP8 whatever its scales.
        ("llama-3.1-8b", "a10g", "bf16", NimStatus.LISTED),
        ("llama-3.1-8b", "h100-sxm", "fp8-block", NimStatus.LISTED),
    ],
)
def test_how_far_the_matrices_go(
    ask: Asker, model: str | None, gpu: str, precision: str, status: NimStatus
) -> None:
    found = ask(model, gpu, precision)
    assert found.status is status
    assert bool(found.profiles) == (status is not NimStatus.NOT_LISTED)


def test_a_generic_row_is_turned_into_a_number_of_cards(ask: Asker) -> None:
    """Qwen3.8 27B in BF16 asks for more than 64 GB together: 2 of 48 GB, 3 of 24 GB, 1 of 96."""
    for gpu, cards in (("l40s", 2), ("l4", 3), ("rtx-pro-6000-ws", 1)):
        assert {row.gpus for row in ask("qwen3.8-27b", gpu, "bf16").profiles} == {cards}


def test_a_named_card_counts_before_a_generic_row(ask: Asker) -> None:
    """H200 is named for Qwen3.8 27B in FP8: one GPU, not "any with 36 GB"."""
    found = ask("qwen3.8-27b", "h200-sxm", "fp8")
    assert found.status is NimStatus.LISTED
    assert [row.gpus for row in found.profiles] == [1]


def test_what_else_is_listed(ask: Asker) -> None:
    found = ask("flux.1-dev", "l40s", "bf16")
    assert found.other_precisions == ("fp8",)
    assert {"l40", "rtx-5090"} <= set(found.other_gpus)
    assert "l40s" not in found.other_gpus
    assert found.least_memory_gb == 16
    missing = ask("qwen2.5-7b", "l40s", "bf16")
    assert (missing.other_gpus, missing.releases, missing.rule_of_thumb) == ((), 0, None)


@pytest.mark.parametrize(
    ("billions", "gpu", "gpus"),
    [
        (70.0, "l40s", 2),  # the first band that holds a size counts
        (70.6, "l40s", 2),  # what a "70B" really has
        (8.03, "a10g", 4),
        (7.6, "h100-sxm", None),  # 8 / 1.05 = 7.62: below the table
        (7.62, "h100-sxm", 1),
        (73.5, "h100-sxm", 1),  # 70 x 1.05
        (73.6, "h100-sxm", 4),
        (300.0, "a100-sxm-80", 4),
        (405.0, "h100-sxm", None),
        (70.0, "rtx-4090", None),
    ],
)
def test_the_generic_table_by_size(ask: Asker, billions: float, gpu: str, gpus: int | None) -> None:
    rule = ask(None, gpu, "fp8", parameters=round(billions * 10**9)).rule_of_thumb
    assert rule is not None
    assert rule.gpus == gpus
    assert rule.disk_gb == pytest.approx(4 * billions)


def test_a_70b_on_l40s_takes_280_gb_of_disk(ask: Asker) -> None:
    """About four GB for each thousand million parameters: 4 x 70."""
    rule = ask(None, "l40s", "fp8", parameters=70 * 10**9).rule_of_thumb
    assert rule is not None
    assert (rule.gpus, rule.disk_gb, rule.version) == (2, 280, "1.1.0")
