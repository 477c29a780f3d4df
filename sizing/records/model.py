"""Records of models: shape, names and published figures."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from sizing.records.base import Count, Identifier, Name, PositiveCount, Record, SourcedRecord, Text


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
    FFN = "ffn"
    EXPERTS = "experts"
    SHARED_EXPERTS = "shared_experts"
    ROUTER = "router"
    NORM = "norm"
    VISION = "vision"
    AUDIO = "audio"
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
    """Entries of a learned table of positions; 0 where positions are computed."""

    window_tokens: PositiveCount | None = None
    """Tokens that sliding or chunked layers look back on; absent where the context is no longer."""

    window_layers: Count = 0
    """Layers with a sliding or chunked window."""

    window_is_chunked: bool = False
    """Whether those layers attend inside fixed chunks instead of a sliding window."""

    recurrent_layers: Count = 0
    """Layers that keep a fixed state in place of keys and values."""

    ffn_only_layers: Count = 0
    """Layers without attention and without state."""

    shared_kv_layers: Count = 0
    """Layers that read the keys and values of an earlier layer."""

    cross_attention_layers: Count = 0
    """Layers beside `layers` that attend to an image or audio encoder instead of the text."""

    moe: MoeRecord | None = None
    """Experts, where the model has them."""

    mla: MlaRecord | None = None
    """Latent attention, where the model has it."""

    indexer: IndexerRecord | None = None
    """Index of sparse attention, where the model has it."""

    given_parameters: dict[TensorGroup, PositiveCount] = Field(default_factory=dict)
    """Groups whose size is taken from the published checkpoint instead of counted."""


class ModelKind(StrEnum):
    """What a model does, as far as sizing cares."""

    LLM = "llm"
    MOE = "moe"
    VLM = "vlm"
    HYBRID = "hybrid"


class ModelRecord(SourcedRecord):
    """One model of the catalogue."""

    id: Identifier
    """Unique id, also the name people type most."""

    name: Name
    """Name people read."""

    family: Identifier
    """Line of models it belongs to."""

    kind: ModelKind
    """Dense text model, mixture of experts, vision-language model or hybrid."""

    hf_id: Text
    """Repository on the Hugging Face Hub."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    alternatives: tuple[Identifier, ...] = ()
    """Ids of models that its ambiguous aliases could also mean, named in the answer."""

    max_context_tokens: PositiveCount
    """Longest context the model was made for, prompt and output tokens together."""

    image_pixels_per_token: PositiveCount | None = None
    """Pixels of an image that one token of context stands for; None where it is fixed or none."""

    native_precision: Identifier
    """Precision in which the checkpoint is published."""

    native_groups: dict[TensorGroup, Identifier] = Field(default_factory=dict)
    """Precision of each tensor group in the published checkpoint where it mixes formats."""

    license: Name
    """Licence, as the publisher names it."""

    release: Annotated[str, StringConstraints(pattern=r"^20\d\d(-[01]\d)?$")]
    """Year and month of release; the year alone where the month is not known."""

    published_parameters: PositiveCount | None = None
    """Parameters the publisher states: the test of our count, never its input."""

    published_is_rounded: bool = False
    """Whether that statement is rounded, such as "230B"."""

    published_includes_mtp: bool = False
    """Whether that statement counts the multi-token-prediction heads."""

    mtp_parameters: Count = 0
    """Parameters of multi-token-prediction heads: stored, loaded only to speculate."""

    architecture: ArchitectureRecord
    """Shape of the text model."""
