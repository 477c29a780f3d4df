"""Widths of one layer of a model: what its activations are made of."""

from __future__ import annotations

from sizing.attention_layers import attention_layers
from sizing.records import ArchitectureRecord
from sizing.recurrent import layer_size


def mixing_width(architecture: ArchitectureRecord) -> int:
    """Return what the widest token-mixing layer keeps of a token: queries, keys, values, output.

    Latent attention unfolds into full heads; layers with a state keep their projections.
    """
    hidden = architecture.hidden_size
    states = [
        sum(each.outputs for each in layer_size(layers, hidden).matrices)
        for layers in architecture.recurrent
    ]
    mla = architecture.mla
    if mla is not None:
        head = 2 * (mla.nope_head_dim + mla.rope_head_dim + mla.value_head_dim)
        return max([architecture.heads * head, *states])
    attention = [
        each.heads * (each.head_dim + each.value_head_dim)
        + each.kv_heads * (each.head_dim + each.value_head_dim)
        for each in attention_layers(architecture)
    ]
    return max([*attention, *states])


def ffn_width(architecture: ArchitectureRecord) -> int:
    """Return the widest feed-forward part that one token passes in a layer."""
    moe = architecture.moe
    if moe is None:
        return architecture.ffn_size
    experts = moe.experts_per_token * moe.expert_ffn_size + moe.shared_ffn_size
    beside = architecture.ffn_size if moe.dense_beside_experts else 0
    return max(architecture.ffn_size, experts + beside)


def routed_width(architecture: ArchitectureRecord) -> int:
    """Return the copies of a token that its experts read and write, numbers."""
    moe = architecture.moe
    if moe is None:
        return 0
    return 2 * moe.experts_per_token * (moe.expert_input_size or architecture.hidden_size)


def largest_matrix(architecture: ArchitectureRecord) -> int:
    """Return the parameters of the largest matrix of a layer."""
    moe = architecture.moe
    expert = max(moe.expert_ffn_size, moe.shared_ffn_size) if moe else 0
    queries = architecture.heads * architecture.head_dim
    return architecture.hidden_size * max(architecture.ffn_size, expert, queries)
