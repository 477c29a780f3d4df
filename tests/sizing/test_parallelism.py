"""Legal splits, from head counts and widths."""

from __future__ import annotations

import pytest

from sizing.parallelism import (
    Layout,
    kv_heads_on_one_gpu,
    layers_on_one_gpu,
    layout_for_count,
    legal_tensor_parallel,
    padded_vocabulary,
    splits_ffn,
    splits_heads,
    splits_vocabulary,
)
from sizing.records import ArchitectureRecord, Attention


def shape(
    heads: int, kv_heads: int, ffn_size: int, layers: int = 40, vocabulary_size: int = 32_000
) -> ArchitectureRecord:
    return ArchitectureRecord(
        layers=layers,
        hidden_size=128 * heads,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=128,
        ffn_size=ffn_size,
        vocabulary_size=vocabulary_size,
        tied_embeddings=False,
        attention=Attention.MHA if heads == kv_heads else Attention.GQA,
    )


LLAMA_30B = shape(heads=52, kv_heads=52, ffn_size=17_920, layers=60)
LLAMA_13B = shape(heads=40, kv_heads=40, ffn_size=13_824)
LLAMA_70B = shape(heads=64, kv_heads=8, ffn_size=28_672, layers=80)
QWEN_7B = shape(heads=28, kv_heads=4, ffn_size=18_944, layers=28)


@pytest.mark.parametrize(
    ("architecture", "degree", "legal"),
    [
        (LLAMA_30B, 3, False),  # 52 is no multiple of 3
        (LLAMA_30B, 4, True),
        (LLAMA_30B, 13, True),
        (LLAMA_13B, 3, False),
        (LLAMA_13B, 5, True),
        (LLAMA_13B, 6, False),
        (LLAMA_70B, 8, True),
        (LLAMA_70B, 16, True),  # each of 8 KV heads on two ranks
        (QWEN_7B, 7, False),  # 28 heads divide, but 4 KV heads over 7 ranks do not
        (QWEN_7B, 8, False),  # 28 is no multiple of 8
        (QWEN_7B, 28, True),
    ],
)
def test_heads_decide(architecture: ArchitectureRecord, degree: int, *, legal: bool) -> None:
    assert splits_heads(architecture, degree) is legal


def test_ffn_width_decides_as_well() -> None:
    """13,824 = 2^9 x 27 is no multiple of 5, although 40 heads are."""
    assert not splits_ffn(LLAMA_13B, 5)
    assert splits_ffn(LLAMA_13B, 8)
    assert legal_tensor_parallel(LLAMA_13B, 8) == (1, 2, 4, 8)


PHI_3_MEDIUM = shape(heads=40, kv_heads=10, ffn_size=17_920, vocabulary_size=32_064)
GLM_4_5_AIR = shape(heads=96, kv_heads=6, ffn_size=10_944, vocabulary_size=151_552)


def test_vocabulary_decides_as_well() -> None:
    """32,064 = 64 x 501 is no multiple of 5, although 40, 10 and 17,920 are; nor 151,552 of 6.

    Both are start-ups that failed: vLLM issues 1399 and 31474.
    """
    assert splits_ffn(PHI_3_MEDIUM, 5)
    assert not splits_vocabulary(PHI_3_MEDIUM, 5)
    assert legal_tensor_parallel(PHI_3_MEDIUM, 8) == (1, 2)
    assert splits_ffn(GLM_4_5_AIR, 6)
    assert not splits_vocabulary(GLM_4_5_AIR, 6)


@pytest.mark.parametrize(
    ("entries", "padded"), [(1, 64), (64, 64), (65, 128), (151_646, 151_680), (32_000, 32_000)]
)
def test_vocabulary_is_padded_to_whole_blocks_of_64(entries: int, padded: int) -> None:
    assert padded_vocabulary(shape(40, 40, 13_824, vocabulary_size=entries)) == padded


@pytest.mark.parametrize(
    ("gpus", "layout"),
    [
        (1, Layout()),
        (3, Layout(pipeline_parallel=3)),
        (4, Layout(tensor_parallel=4)),
        (6, Layout(tensor_parallel=2, pipeline_parallel=3)),
        (16, Layout(tensor_parallel=8, pipeline_parallel=2)),
    ],
)
def test_a_count_is_split_by_tensors_first(gpus: int, layout: Layout) -> None:
    assert layout_for_count(LLAMA_70B, gpus, limit=8) == layout


def test_kv_heads_are_copied_never_cut() -> None:
    assert [kv_heads_on_one_gpu(8, degree) for degree in (1, 2, 8, 16)] == [8, 4, 1, 1]


def test_the_fullest_stage_counts() -> None:
    assert [layers_on_one_gpu(80, stages) for stages in (1, 2, 3)] == [80, 40, 27]
