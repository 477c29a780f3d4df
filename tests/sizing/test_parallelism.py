"""Legal splits, from head counts and widths."""

from __future__ import annotations

import pytest

from sizing.parallelism import (
    Cut,
    Layout,
    kv_heads_on_one_gpu,
    layers_on_one_gpu,
    layout_for_count,
    legal_layouts,
    padded_vocabulary,
    parted_width,
    splits_experts,
    splits_heads,
    splits_vocabulary,
    starts_with,
    tensor_layout,
    undivided_width,
)
from sizing.records import ArchitectureRecord, Attention, MoeRecord, TensorGroup


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


def degrees(architecture: ArchitectureRecord) -> tuple[int, ...]:
    return tuple(layout.tensor_parallel for layout in legal_layouts(Cut(architecture), 8))


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
    assert undivided_width(Cut(LLAMA_13B), Layout(5)) == 13_824
    assert undivided_width(Cut(LLAMA_13B), Layout(8)) is None
    assert degrees(LLAMA_13B) == (1, 2, 4, 8)


PHI_3_MEDIUM = shape(heads=40, kv_heads=10, ffn_size=17_920, vocabulary_size=32_064)
GLM_4_5_AIR = shape(heads=96, kv_heads=6, ffn_size=10_944, vocabulary_size=151_552)


def test_vocabulary_decides_as_well() -> None:
    """32,064 = 64 x 501 is no multiple of 5, although 40, 10 and 17,920 are; nor 151,552 of 6.

    Both are start-ups that failed: vLLM issues 1399 and 31474.
    """
    assert undivided_width(Cut(PHI_3_MEDIUM), Layout(5)) is None
    assert not splits_vocabulary(PHI_3_MEDIUM, 5)
    assert degrees(PHI_3_MEDIUM) == (1, 2)
    assert undivided_width(Cut(GLM_4_5_AIR), Layout(6)) is None
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
    assert layout_for_count(Cut(LLAMA_70B), gpus, limit=8) == layout


def test_kv_heads_are_copied_never_cut() -> None:
    assert [kv_heads_on_one_gpu(8, degree) for degree in (1, 2, 8, 16)] == [8, 4, 1, 1]


def test_the_fullest_stage_counts() -> None:
    assert [layers_on_one_gpu(80, stages) for stages in (1, 2, 3)] == [80, 40, 27]


QWEN_72B_GPTQ = Cut(
    shape(heads=64, kv_heads=8, ffn_size=29_568, layers=80), ((TensorGroup.FFN, 128),)
)


@pytest.mark.parametrize(("degree", "parted"), [(1, None), (2, (29_568, 128)), (7, None)])
def test_a_cut_keeps_groups_of_scales_together(degree: int, parted: tuple[int, int] | None) -> None:
    """29,568 = 231 x 128: 231 = 3 x 7 x 11 groups go to 7 GPUs, not to 2 (Qwen2-72B GPTQ)."""
    assert parted_width(QWEN_72B_GPTQ, Layout(degree)) == parted
    assert starts_with(QWEN_72B_GPTQ, Layout(degree)) is (degree == 1)


def moe(expert_ffn_size: int, experts: int, scale_group: int = 128) -> Cut:
    architecture = shape(heads=96, kv_heads=8, ffn_size=0).model_copy(
        update={
            "moe": MoeRecord(
                experts=experts,
                experts_per_token=8,
                expert_ffn_size=expert_ffn_size,
                layers=40,
            )
        }
    )
    return Cut(architecture, ((TensorGroup.EXPERTS, scale_group),))


def test_experts_stay_whole_where_their_width_cannot_be_cut() -> None:
    """Qwen3-Coder-480B in FP8: 2,560 / 8 = 320 is no multiple of 128, 2,560 / 4 = 640 is."""
    coder = moe(expert_ffn_size=2_560, experts=160)
    assert tensor_layout(coder, 4) == Layout(4)
    assert tensor_layout(coder, 8) == Layout(8, expert_parallel=8)
    assert tensor_layout(moe(expert_ffn_size=2_560, experts=160, scale_group=1), 8) == Layout(8)


def test_experts_that_leave_a_rest_do_not_stay_whole() -> None:
    odd = moe(expert_ffn_size=2_560, experts=154)
    assert not splits_experts(odd.architecture, 8)
    assert tensor_layout(odd, 8) is None
    assert tensor_layout(odd, 4) == Layout(4)


def test_a_dense_model_has_no_experts_to_share_out() -> None:
    assert not splits_experts(LLAMA_70B, 8)
    assert splits_experts(LLAMA_70B, 1)


def test_copies_of_the_attention_count_as_gpus() -> None:
    layout = Layout(2, 1, replicas=3, expert_parallel=8, data_parallel=4)
    assert (layout.gpus_per_replica, layout.gpus, layout.expert_ranks) == (8, 24, 8)
