"""What one rank of a tensor-parallel group holds of the attention: some of it is copied."""

from __future__ import annotations

from fractions import Fraction

from sizing.attention_layers import AttentionLayers, attention_layer_count, attention_layers
from sizing.records import ArchitectureRecord, Attention, IndexerRecord, MlaRecord


def attention_share(architecture: ArchitectureRecord, ranks: int) -> Fraction:
    """Return the part of the attention's weights on one of `ranks` GPUs.

    Query heads and outputs are cut. KV heads are copied where they are fewer than the ranks;
    projections to latents and the index of sparse attention are copied whole. Source: vLLM
    `QKVParallelLinear`, and `ReplicatedLinear` in `deepseek_v2.py`. Compressed attention is
    copied whole: a rank of DeepSeek V4 Flash takes 77.7 GiB of 2 in vLLM, one of V4 Pro
    125.65 GiB of 8 in SGLang (their logs), which cut attention would miss by 4 %.
    """
    if architecture.attention is Attention.COMPRESSED:
        return Fraction(1)
    if architecture.mla is not None:
        copied, whole = _latent(architecture, architecture.mla)
        return Fraction(copied, whole) + (1 - Fraction(copied, whole)) / ranks
    groups = attention_layers(architecture)
    whole = sum(_query(group) + _key_value(group) for group in groups)
    if not whole:
        return Fraction(1, ranks)
    held = (
        Fraction(_query(group), ranks) + Fraction(_key_value(group), min(ranks, group.kv_heads))
        for group in groups
    )
    return sum(held, start=Fraction()) / whole


def _query(group: AttentionLayers) -> int:
    """Return the rows of queries and outputs of a group of layers."""
    return group.layers * group.heads * (group.head_dim + group.value_head_dim)


def _key_value(group: AttentionLayers) -> int:
    """Return the rows of keys and values that the layers project themselves."""
    if group.reads_earlier_cache:
        return 0
    widths = group.head_dim if group.value_is_key else group.head_dim + group.value_head_dim
    return group.layers * group.kv_heads * widths


def _latent(architecture: ArchitectureRecord, mla: MlaRecord) -> tuple[int, int]:
    """Return the parameters of latent attention that every rank holds, and all of them."""
    layers, heads = attention_layer_count(architecture), architecture.heads
    hidden = architecture.hidden_size
    down = layers * hidden * (mla.q_lora_rank + mla.kv_lora_rank + mla.rope_head_dim)
    query = heads * (mla.nope_head_dim + mla.rope_head_dim) * (mla.q_lora_rank or hidden)
    latent = heads * (mla.nope_head_dim + mla.value_head_dim) * mla.kv_lora_rank
    output = heads * mla.value_head_dim * hidden
    copied = down + _index(architecture.indexer, mla.q_lora_rank or hidden, hidden)
    return copied, copied + layers * (query + latent + output)


def _index(indexer: IndexerRecord | None, query_size: int, hidden: int) -> int:
    """Return the parameters of the index."""
    if indexer is None:
        return 0
    rows = indexer.heads * indexer.head_dim * query_size
    return indexer.layers * (rows + (indexer.head_dim + indexer.heads) * hidden)
