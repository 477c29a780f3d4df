"""Operations of a text that is read once: its tokens through every layer."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import GroupWeights
from sizing.attention_layers import attention_layers
from sizing.records import ArchitectureRecord, TensorGroup
from sizing.throughput.work import ItemWork

KERNELS_PER_LAYER = 20
"""Operators of one layer: eight products, two norms, additions, the activation, attention."""

NOT_MULTIPLIED = frozenset(
    {TensorGroup.EMBEDDING, TensorGroup.VISION, TensorGroup.AUDIO, TensorGroup.HEAD}
)
"""Tables of which a token reads a row, and networks that a text alone does not pass."""


def text_work(groups: Iterable[GroupWeights], shape: ArchitectureRecord, tokens: int) -> ItemWork:
    """Return the work of one text of `tokens`.

    Two operations for each parameter that a token passes; attention two for each number of a key
    and of a value, over half the pairs where it is causal.
    """
    passed = sum(2.0 * one.parameters * _share(one.group, shape) for one in groups)
    return ItemWork(
        network="text",
        quantised_operations=passed * tokens,
        other_operations=attention_operations(shape, tokens),
        kernels=KERNELS_PER_LAYER * shape.layers,
    )


def attention_operations(shape: ArchitectureRecord, tokens: int) -> float:
    """Return the operations of all tokens over the tokens that they look at, all layers."""
    pairs = tokens * tokens / (2 if shape.is_causal else 1)
    return sum(
        2.0 * one.layers * one.heads * (one.head_dim + one.value_head_dim)
        * min(pairs, tokens * (one.window_tokens or tokens))
        for one in attention_layers(shape)
    )  # fmt: skip


def _share(group: TensorGroup, shape: ArchitectureRecord) -> float:
    """Return the share of a group's parameters that one token passes."""
    if group in NOT_MULTIPLIED:
        return 0.0
    if group is TensorGroup.EXPERTS and shape.moe is not None:
        return shape.moe.experts_per_token / shape.moe.experts
    return 1.0
