"""Widths of one layer of a model: what its adapters and its activations are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sizing.attention_layers import AttentionLayers, attention_layer_count, attention_layers
from sizing.records import ArchitectureRecord, MlaRecord
from sizing.recurrent import layer_size
from sizing.training.plan import Targets


@dataclass(frozen=True)
class Linear:
    """Equal linear layers that may carry an adapter."""

    copies: int
    inputs: int
    outputs: int


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


def largest_matrix(architecture: ArchitectureRecord) -> int:
    """Return the parameters of the largest matrix of a layer."""
    moe = architecture.moe
    expert = max(moe.expert_ffn_size, moe.shared_ffn_size) if moe else 0
    queries = architecture.heads * architecture.head_dim
    return architecture.hidden_size * max(architecture.ffn_size, expert, queries)


def adapter_parameters(architecture: ArchitectureRecord, *, rank: int, targets: Targets) -> int:
    """Return the parameters of one LoRA: rank x (inputs + outputs) of every target.

    Hu et al. 2021, "LoRA", section 4.1. Routed experts carry none: they are no linear layers of
    their own in current implementations (`target_modules="all-linear"` of PEFT).
    """
    linears = tuple(_linears(architecture, targets))
    return rank * sum(one.copies * (one.inputs + one.outputs) for one in linears)


def adapter_inputs(architecture: ArchitectureRecord, targets: Targets) -> int:
    """Return the inputs of all targets together: what their dropout copies of each token."""
    return sum(one.copies * one.inputs for one in _linears(architecture, targets))


def _linears(architecture: ArchitectureRecord, targets: Targets) -> Iterator[Linear]:
    if architecture.mla is not None:
        yield from _latent(architecture, architecture.mla)
    else:
        for group in attention_layers(architecture):
            yield from _projections(group, architecture.hidden_size, targets)
    yield from _recurrent(architecture)
    if targets is Targets.ALL_LINEAR:
        yield from _ffn(architecture, _dense_layers(architecture), architecture.ffn_size)
        moe = architecture.moe
        if moe is not None:
            yield from _ffn(architecture, moe.layers, moe.shared_ffn_size)


def _projections(group: AttentionLayers, hidden: int, targets: Targets) -> Iterator[Linear]:
    """Yield q and v, then k and o (`LlamaAttention` of transformers)."""
    layers = group.layers
    yield Linear(layers, hidden, group.heads * group.head_dim)
    yield Linear(layers, hidden, group.kv_heads * group.value_head_dim)
    if targets is not Targets.QUERY_VALUE:
        yield Linear(layers, hidden, group.kv_heads * group.head_dim)
        yield Linear(layers, group.heads * group.value_head_dim, hidden)


def _latent(architecture: ArchitectureRecord, mla: MlaRecord) -> Iterator[Linear]:
    """Yield q_a, q_b, kv_a, kv_b and o (`DeepseekV3Attention` of transformers)."""
    layers, hidden, heads = (
        attention_layer_count(architecture),
        architecture.hidden_size,
        architecture.heads,
    )
    query = heads * (mla.nope_head_dim + mla.rope_head_dim)
    if mla.q_lora_rank:
        yield Linear(layers, hidden, mla.q_lora_rank)
    yield Linear(layers, mla.q_lora_rank or hidden, query)
    yield Linear(layers, hidden, mla.kv_lora_rank + mla.rope_head_dim)
    yield Linear(layers, mla.kv_lora_rank, heads * (mla.nope_head_dim + mla.value_head_dim))
    yield Linear(layers, heads * mla.value_head_dim, hidden)


def _recurrent(architecture: ArchitectureRecord) -> Iterator[Linear]:
    for layers in architecture.recurrent:
        for each in layer_size(layers, architecture.hidden_size).matrices:
            yield Linear(layers.layers, each.inputs, each.outputs)


def _dense_layers(architecture: ArchitectureRecord) -> int:
    layers = architecture.ffn_layers or architecture.layers
    moe = architecture.moe
    return layers if moe is None or moe.dense_beside_experts else layers - moe.layers


def _ffn(architecture: ArchitectureRecord, layers: int, width: int) -> Iterator[Linear]:
    """Yield gate, up and down (`LlamaMLP` of transformers); no gate where there is none."""
    if layers and width:
        hidden = architecture.hidden_size
        yield Linear((2 if architecture.gated_ffn else 1) * layers, hidden, width)
        yield Linear(layers, width, hidden)
