"""Records of a model's shape: what its parameters and its KV cache are counted from."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from sizing.records.base import Count, PositiveCount, Record
from sizing.records.recurrent import RecurrentRecord
from sizing.records.tower import TowerRecord


class Attention(StrEnum):
    """How a model keeps keys and values."""

    MHA = "mha"
    GQA = "gqa"
    MQA = "mqa"
    MLA = "mla"
    COMPRESSED = "compressed"


class TensorGroup(StrEnum):
    """Tensors that a number format treats alike; `other` holds biases, sinks and the unnamed."""

    EMBEDDING = "embedding"
    HEAD = "head"
    ATTENTION = "attention"
    RECURRENT = "recurrent"
    FFN = "ffn"
    EXPERTS = "experts"
    SHARED_EXPERTS = "shared_experts"
    ROUTER = "router"
    NORM = "norm"
    VISION = "vision"
    AUDIO = "audio"
    DENOISER = "denoiser"
    TEXT_ENCODER = "text_encoder"
    AUTOENCODER = "autoencoder"
    BACKBONE = "backbone"
    VOCODER = "vocoder"
    DRAFT = "draft"
    OTHER = "other"


class MoeRecord(Record):
    """Shape of a mixture of experts."""

    experts: PositiveCount
    """Routed experts of a layer."""

    experts_per_token: PositiveCount
    """Routed experts a token passes."""

    expert_ffn_size: PositiveCount
    """Inner width of a routed expert."""

    layers: PositiveCount
    """Layers that carry experts; the others are dense."""

    shared_ffn_size: Count = 0
    """Inner width of all shared experts of a layer together."""

    shared_gate: bool = False
    """Whether a gate weighs the shared experts."""

    expert_bias: bool = False
    """Whether experts carry biases."""

    router_bias: bool = False
    """Whether the router carries a bias for each expert."""

    dense_beside_experts: bool = False
    """Whether expert layers carry a dense FFN as well."""

    expert_input_size: PositiveCount | None = None
    """Width the routed experts read and write; None where it is the residual stream's."""


class MlaRecord(Record):
    """Ranks of multi-head latent attention."""

    kv_lora_rank: PositiveCount
    """Width of the latent that stands for keys and values."""

    q_lora_rank: Count
    """Width of the query latent; 0 where queries are projected directly."""

    rope_head_dim: PositiveCount
    """Part of a head that carries the position."""

    nope_head_dim: PositiveCount
    """Part of a head without position."""

    value_head_dim: PositiveCount
    """Width of a value head."""


class IndexerRecord(Record):
    """Shape of the index that picks the tokens a query attends to (sparse attention)."""

    layers: PositiveCount
    """Layers with an index of their own."""

    heads: PositiveCount
    """Index heads of a layer."""

    head_dim: PositiveCount
    """Width of an index head, and of the key it caches for each token."""


class AttentionVariantRecord(Record):
    """Attention layers whose shape or reach differs from the architecture's own."""

    layers: PositiveCount
    """Layers of this kind."""

    heads: PositiveCount | None = None
    """Query heads of such a layer; None where they are the architecture's."""

    kv_heads: PositiveCount | None = None
    """Key-value heads of such a layer; None where they are the architecture's."""

    head_dim: PositiveCount | None = None
    """Width of a head; None where it is the architecture's."""

    value_head_dim: PositiveCount | None = None
    """Width of a value head; None where it is the architecture's."""

    window_tokens: PositiveCount | None = None
    """Tokens the layer looks back on; None for the whole context."""

    is_chunked: bool = False
    """Whether it attends inside fixed chunks instead of a sliding window."""

    reads_earlier_cache: bool = False
    """Whether it reads keys and values of an earlier layer and keeps none."""

    value_is_key: bool = False
    """Whether one projection serves keys and values; both are cached all the same."""


class CompressionRecord(Record):
    """Layers whose cache keeps one entry for several tokens (DeepSeek V4)."""

    layers: PositiveCount
    """Layers of this kind."""

    tokens_per_entry: PositiveCount
    """Tokens that one entry stands for."""

    index_head_dim: Count = 0
    """Width of the index key of an entry; 0 without an index."""


class CrossAttentionRecord(Record):
    """Layers that attend to an encoder's output instead of the text."""

    layers: PositiveCount
    """Cross-attention layers, beside `layers` of the architecture."""

    source_tokens: PositiveCount | None = None
    """Tokens of one encoder input: an image, 30 s of sound; None where it is the prompt."""

    for_each_image: bool = False
    """Whether only requests with an image have such an input."""


class ArchitectureRecord(Record):
    """Shape of a transformer: enough to count its parameters and its KV cache."""

    layers: PositiveCount
    """Transformer blocks."""

    hidden_size: PositiveCount
    """Width of the residual stream."""

    heads: PositiveCount
    """Query heads of a layer."""

    kv_heads: PositiveCount
    """Key-value heads of a layer."""

    head_dim: PositiveCount
    """Width of a head, as configured: not always hidden_size / heads."""

    ffn_size: Count
    """Inner width of a dense FFN; 0 where every layer has experts only."""

    vocabulary_size: PositiveCount
    """Entries of the embedding table, padding included."""

    tied_embeddings: bool
    """Whether the output head shares the embedding table."""

    attention: Attention
    """How keys and values are kept."""

    gated_ffn: bool = True
    """Whether the FFN has three matrices (SwiGLU) instead of two."""

    fused_qkv: bool = False
    """Whether query, key and value are one matrix, which llama.cpp keeps so."""

    qkv_bias: bool = False
    """Whether the query, key and value projections carry biases."""

    attention_output_bias: bool = False
    """Whether the attention's output projection carries a bias."""

    ffn_bias: bool = False
    """Whether the FFN's matrices carry biases."""

    head_bias: bool = False
    """Whether the output head carries a bias."""

    attention_sinks: bool = False
    """Whether each query head has a learned sink."""

    qk_norm_size: Count = 0
    """Norm weights of queries and keys of one layer together; 0 without such norms."""

    norms_per_layer: Count = 2
    """Norms of a layer, each as wide as the residual stream."""

    norm_bias: bool = False
    """Whether norms carry a bias (LayerNorm) beside the weight."""

    embedding_norm: bool = False
    """Whether a norm stands behind the embedding."""

    final_norm: bool = True
    """Whether a norm stands before the head."""

    position_entries: Count = 0
    """Entries of learned tables of positions and segments; 0 where positions are computed."""

    pooler: bool = False
    """Whether a dense layer with biases stands on the first token (BERT)."""

    classes: Count = 0
    """Outputs of a linear classifier with biases: 1 for a reranker; 0 without one."""

    value_head_dim: PositiveCount | None = None
    """Width of a value head; None where it is `head_dim`."""

    output_gate: bool = False
    """Whether one more projection, as wide as the heads together, gates the attention's output."""

    cache_is_known: bool = True
    """Whether enough of the shape is published to size the KV cache; else weights alone."""

    is_causal: bool = True
    """Whether tokens are generated one by one; an encoder caches nothing."""

    attention_variants: tuple[AttentionVariantRecord, ...] = ()
    """Attention layers that differ from this shape, windows among them; the others follow it."""

    ffn_only_layers: Count = 0
    """Layers without attention and without state."""

    ffn_layers: PositiveCount | None = None
    """Layers with an FFN or experts; None where all have one."""

    cross_attention: CrossAttentionRecord | None = None
    """Layers that attend to an encoder, where the model has them."""

    compressed_window_tokens: PositiveCount | None = None
    """Tokens each layer keeps uncompressed beside its compressed cache; None without one."""

    compression: tuple[CompressionRecord, ...] = ()
    """Compressed caches by layer, where attention is compressed."""

    recurrent: tuple[RecurrentRecord, ...] = ()
    """Layers that keep a fixed state in place of keys and values."""

    moe: MoeRecord | None = None
    """Experts, where the model has them."""

    mla: MlaRecord | None = None
    """Latent attention, where the model has it."""

    indexer: IndexerRecord | None = None
    """Index of sparse attention, where the model has it."""

    given_parameters: dict[TensorGroup, PositiveCount] = Field(default_factory=dict)
    """Groups whose size is taken from the published checkpoint instead of counted."""

    towers: dict[TensorGroup, TowerRecord] = Field(default_factory=dict)
    """Shapes of encoders beside the text model, where they are known."""
