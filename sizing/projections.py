"""Weight matrices of the layers that attend or keep a state, by what checkpoints call them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizing.attention_layers import AttentionLayers, attention_layer_count, attention_layers
from sizing.records import ArchitectureRecord, IndexerRecord, Matrix, MlaRecord
from sizing.recurrent import layer_size


@dataclass(frozen=True)
class Matrices:
    """Equal weight matrices of a group."""

    count: int
    outputs: int
    inputs: int
    matrix: Matrix | None = None
    """What they are; None where no checkpoint treats them apart."""

    @property
    def parameters(self) -> int:
        """Return the parameters of all of them."""
        return self.count * self.outputs * self.inputs


def attention_matrices(architecture: ArchitectureRecord) -> tuple[Matrices, ...]:
    """Return the projections of every attention layer."""
    hidden = architecture.hidden_size
    if architecture.mla is not None:
        return _latent_attention(architecture, architecture.mla)
    groups = attention_layers(architecture)
    matrices = [part for group in groups for part in _projections(group, architecture)]
    cross = architecture.cross_attention
    if cross is not None and not cross.for_each_image:
        layers = replace(groups[0], layers=cross.layers)
        matrices += _projections(layers, architecture)
    if architecture.indexer is not None:
        matrices += _index(architecture.indexer, hidden, hidden)
    return tuple(matrices)


def recurrent_matrices(architecture: ArchitectureRecord) -> tuple[Matrices, ...]:
    """Return the projections of every layer that keeps a state."""
    return tuple(
        Matrices(layers.layers, each.outputs, each.inputs, each.matrix)
        for layers in architecture.recurrent
        for each in layer_size(layers, architecture.hidden_size).matrices
    )


def _projections(group: AttentionLayers, architecture: ArchitectureRecord) -> tuple[Matrices, ...]:
    """Return q, k, v and o (`LlamaAttention` of modeling_llama).

    Layers that read an earlier cache have no k and v (`Gemma3nTextAttention`); where values are
    keys there is no v (`attention_k_eq_v` of Gemma 4).
    """
    layers, hidden = group.layers, architecture.hidden_size
    query = group.heads * group.head_dim
    output = group.heads * group.value_head_dim
    key, value = group.kv_heads * group.head_dim, group.kv_heads * group.value_head_dim
    matrices = [
        Matrices(layers, query, hidden, Matrix.QUERY),
        Matrices(layers, hidden, output, Matrix.OUTPUT),
        # The gate lies in the query's matrix (`q_proj` of modeling_qwen3_next).
        Matrices(layers if architecture.output_gate else 0, output, hidden, Matrix.QUERY),
    ]
    if not group.reads_earlier_cache:
        matrices.append(Matrices(layers, key, hidden, Matrix.KEY))
        if not group.value_is_key:
            matrices.append(Matrices(layers, value, hidden, Matrix.VALUE))
    return tuple(matrices)


def _latent_attention(architecture: ArchitectureRecord, mla: MlaRecord) -> tuple[Matrices, ...]:
    """Return q_a, q_b, kv_a, kv_b and o (`DeepseekV3Attention` of modeling_deepseek_v3)."""
    layers = attention_layer_count(architecture)
    heads, hidden = architecture.heads, architecture.hidden_size
    query = heads * (mla.nope_head_dim + mla.rope_head_dim)
    latent = heads * (mla.nope_head_dim + mla.value_head_dim)
    output = heads * mla.value_head_dim
    matrices = (
        Matrices(layers, mla.q_lora_rank, hidden, Matrix.LATENT),
        Matrices(layers, query, mla.q_lora_rank or hidden, Matrix.LATENT),
        Matrices(layers, mla.kv_lora_rank + mla.rope_head_dim, hidden, Matrix.LATENT),
        Matrices(layers, latent, mla.kv_lora_rank, Matrix.LATENT),
        Matrices(layers, hidden, output, Matrix.OUTPUT),
        Matrices(layers if architecture.output_gate else 0, output, hidden, Matrix.GATE),
    )
    if architecture.indexer is None:
        return matrices
    return matrices + _index(architecture.indexer, mla.q_lora_rank or hidden, hidden)


def _index(indexer: IndexerRecord, query_size: int, hidden: int) -> tuple[Matrices, ...]:
    """Return wq_b, wk and weights_proj (`Indexer` of DeepSeek-V3.2 inference/model.py)."""
    return (
        Matrices(indexer.layers, indexer.heads * indexer.head_dim, query_size, Matrix.INDEX),
        Matrices(indexer.layers, indexer.head_dim, hidden, Matrix.INDEX),
        Matrices(indexer.layers, indexer.heads, hidden, Matrix.INDEX),
    )
