"""Bits of a weight in a GGUF file, added up by hand from the types of its tensors."""

from __future__ import annotations

import pytest

from sizing.gguf_files import group_bits
from sizing.records import (
    ArchitectureRecord,
    Attention,
    GatedDeltaNetRecord,
    GgufLayers,
    GgufRecipe,
    GgufRule,
    GgufTensor,
    MoeRecord,
    TensorGroup,
)

Q4_K_M = GgufRecipe(
    default="Q4_K",
    head="Q6_K",
    rules=(
        GgufRule(
            tensors=(GgufTensor.VALUE, GgufTensor.DOWN), type="Q6_K", layers=GgufLayers.MORE_BITS
        ),
    ),
)


def shape(layers: int = 32, *, hidden_size: int = 4_096, **more: object) -> ArchitectureRecord:
    values: dict[str, object] = {
        "layers": layers,
        "hidden_size": hidden_size,
        "heads": 32,
        "kv_heads": 8,
        "head_dim": 128,
        "ffn_size": 14_336,
        "vocabulary_size": 128_256,
        "tied_embeddings": False,
        "attention": Attention.GQA,
    }
    return ArchitectureRecord(**(values | more))


def test_half_of_the_layers_get_more_bits() -> None:
    """Of 32 layers the first 4, the last 4 and every third between: 4 + 4 + 8 = 16.

    Value and down average (4.5 + 6.5625) / 2 = 5.53125; value is 1,024 of 10,240 rows.
    """
    bits = group_bits(Q4_K_M, shape())
    assert bits[TensorGroup.ATTENTION] == pytest.approx((9 * 4.5 + 5.53125) / 10)
    assert bits[TensorGroup.FFN] == pytest.approx((2 * 4.5 + 5.53125) / 3)
    assert (bits[TensorGroup.EMBEDDING], bits[TensorGroup.HEAD]) == (4.5, 6.5625)
    assert bits[TensorGroup.NORM] == bits[TensorGroup.ROUTER] == 32


def test_a_tied_table_is_kept_as_a_head() -> None:
    assert group_bits(Q4_K_M, shape(tied_embeddings=True))[TensorGroup.EMBEDDING] == 6.5625


def test_eight_experts_keep_more_of_the_attention() -> None:
    """Keys and values in Q8_0, output in Q5_K: (4,096 x 10 + 2 x 1,024 x 8.5) / 10,240."""
    moe = MoeRecord(experts=8, experts_per_token=2, expert_ffn_size=14_336, layers=32)
    bits = group_bits(Q4_K_M, shape(moe=moe, ffn_size=0))
    expected = (4_096 * (4.5 + 5.5) + 2 * 1_024 * 8.5) / 10_240
    assert bits[TensorGroup.ATTENTION] == pytest.approx(expected)


def test_values_of_eighty_layers_are_raised() -> None:
    """40 of 80 layers in Q6_K, the others in Q5_K instead of Q4_K."""
    bits = group_bits(Q4_K_M, shape(80))
    assert bits[TensorGroup.ATTENTION] == pytest.approx((9 * 4.5 + (6.5625 + 5.5) / 2) / 10)


@pytest.mark.parametrize(("rows", "bits"), [(4_096, 4.5), (896, 5.5), (2_880, 5.5)])
def test_rows_that_are_no_whole_blocks_fall_back(rows: int, bits: float) -> None:
    """896 and 2,880 are no multiples of 256: Q4_K becomes Q5_0."""
    assert group_bits(Q4_K_M, shape(hidden_size=rows))[TensorGroup.EMBEDDING] == bits


def test_few_shared_heads_change_the_rule() -> None:
    """A rule for models with four query heads to a key-value head skips the others."""
    rule = GgufRule(tensors=(GgufTensor.VALUE,), type="Q5_K", least_heads_per_kv_head=4)
    recipe = GgufRecipe(default="IQ4_XS", head="Q6_K", rules=(rule,))
    shared = group_bits(recipe, shape(kv_heads=8))[TensorGroup.ATTENTION]
    alone = group_bits(recipe, shape(kv_heads=16))[TensorGroup.ATTENTION]
    assert shared == pytest.approx((9 * 4.25 + 5.5) / 10)
    assert alone == 4.25


def test_the_fused_projection_of_a_gated_delta_net_follows_attn_qkv() -> None:
    """By rows of 2,048: q, k, v 8,192 in Q5_K; gate 4,096, step 64, output 4,096 in Q4_K."""
    rule = GgufRule(tensors=(GgufTensor.QUERY_KEY_VALUE,), type="Q5_K")
    recipe = GgufRecipe(default="Q4_K", head="Q6_K", rules=(rule,))
    layers = GatedDeltaNetRecord(
        kind="gated_delta_net",
        layers=24,
        key_heads=16,
        value_heads=32,
        key_head_dim=128,
        value_head_dim=128,
    )
    bits = group_bits(recipe, shape(hidden_size=2_048, recurrent=(layers,)))
    assert bits[TensorGroup.RECURRENT] == pytest.approx((8_192 * 5.5 + 8_256 * 4.5) / 16_448)
