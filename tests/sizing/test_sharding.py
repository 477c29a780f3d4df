"""Attention that ranks hold a share of, against parameters counted by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sizing.catalogue import Catalogue
from sizing.records import ArchitectureRecord
from sizing.sharding import attention_share


@pytest.mark.parametrize(
    ("ranks", "held"),
    [
        (1, Fraction(1)),
        (8, Fraction(1, 8)),
        # 32 x 256 rows of queries and outputs over 16 ranks; 8 x 256 of keys and values over 8.
        (16, Fraction(8_192 // 16 + 2_048 // 8, 8_192 + 2_048)),
    ],
)
def test_kv_heads_are_copied_beyond_their_count(
    catalogue: Catalogue, ranks: int, held: Fraction
) -> None:
    assert attention_share(catalogue.models["llama-3.1-8b"].architecture, ranks) == held


def test_projections_to_latents_are_copied(catalogue: Catalogue) -> None:
    """DeepSeek V3: 7,168 x (1,536 + 512 + 64) on every rank of 187,105,280 parameters a layer."""
    copied, whole = 15_138_816, 187_105_280
    held = Fraction(copied + (whole - copied) // 8, whole)
    assert attention_share(catalogue.models["deepseek-v3"].architecture, 8) == held


def test_the_index_of_sparse_attention_is_copied(catalogue: Catalogue) -> None:
    """DeepSeek V3.2 beside V3: 64 x 128 x 1,536 + (128 + 64) x 7,168 more on every rank."""
    copied = 15_138_816 + 13_959_168
    whole = 187_105_280 + 13_959_168
    held = Fraction(copied + (whole - copied) // 8, whole)
    assert attention_share(catalogue.models["deepseek-v3.2"].architecture, 8) == held


def test_compressed_attention_is_copied_whole(catalogue: Catalogue) -> None:
    assert attention_share(catalogue.models["deepseek-v4-flash"].architecture, 4) == 1


def test_every_share_lies_between_a_cut_and_a_copy(catalogue: Catalogue) -> None:
    shapes = {model.id: model.architecture for model in catalogue.models.values()}
    for name, shape in shapes.items():
        if isinstance(shape, ArchitectureRecord):
            assert Fraction(1, 8) <= attention_share(shape, 8) <= 1, name
