"""Parameters of a model by tensor group, and the layout of its KV cache, from its shape."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.errors import UnsupportedArchitectureError
from sizing.records import (
    ArchitectureRecord,
    Attention,
    IndexerRecord,
    MlaRecord,
    MoeRecord,
    TensorGroup,
)


@dataclass(frozen=True)
class GroupSize:
    """Size of one tensor group over all layers."""

    group: TensorGroup
    parameters: int
    output_channels: int
    """Rows of its matrices, each with a scale in per-channel formats; 0 where none are counted."""


@dataclass(frozen=True)
class KvLayout:
    """What one token leaves in the KV cache, before any split."""

    elements_per_token: int
    """Keys and values of all layers together."""
    kv_heads: int
    layers: int
    """Layers that cache keys and values."""


@dataclass(frozen=True)
class _Matrices:
    """Equal weight matrices of a group."""

    count: int
    outputs: int
    inputs: int


def tensor_groups(architecture: ArchitectureRecord) -> tuple[GroupSize, ...]:
    """Return the size of every tensor group the model has; given sizes replace counted ones.

    Layout of the Hugging Face transformers implementations (`modeling_<model_type>.py`).
    """
    counted = (
        _embedding(architecture),
        _head(architecture),
        _group(TensorGroup.ATTENTION, *_attention(architecture)),
        _group(TensorGroup.FFN, *_dense_ffn(architecture)),
        *(_expert_groups(architecture, architecture.moe) if architecture.moe else ()),
        GroupSize(TensorGroup.NORM, _norm_parameters(architecture), 0),
        GroupSize(TensorGroup.OTHER, _bias_parameters(architecture), 0),
    )
    sizes = {size.group: size for size in counted}
    for group, parameters in architecture.given_parameters.items():
        sizes[group] = GroupSize(group, parameters, 0)
    return tuple(
        sizes[group] for group in TensorGroup if group in sizes and sizes[group].parameters
    )


def parameter_count(architecture: ArchitectureRecord) -> int:
    """Return the parameters that are loaded: all groups, no multi-token-prediction heads."""
    return sum(size.parameters for size in tensor_groups(architecture))


def active_parameter_count(architecture: ArchitectureRecord) -> int:
    """Return the parameters one token passes, embeddings included.

    The total less the routed experts that the router leaves out.
    """
    moe = architecture.moe
    if moe is None:
        return parameter_count(architecture)
    sizes = {size.group: size.parameters for size in tensor_groups(architecture)}
    experts = sizes.get(TensorGroup.EXPERTS, 0) + _expert_bias_parameters(architecture)
    idle = moe.experts - moe.experts_per_token
    return sum(sizes.values()) - experts * idle // moe.experts


def unsupported_feature(architecture: ArchitectureRecord) -> str | None:
    """Return the code of what keeps this version from sizing the KV cache; None where nothing."""
    found = {
        "compressed_attention": architecture.attention is Attention.COMPRESSED,
        "hybrid_state": architecture.recurrent_layers > 0,
        "mla": architecture.attention is Attention.MLA,
        "shared_kv": architecture.shared_kv_layers > 0,
        "cross_attention": architecture.cross_attention_layers > 0,
        "chunked_attention": architecture.window_layers > 0 and architecture.window_is_chunked,
        "sliding_window": architecture.window_layers > 0,
        "sparse_attention": architecture.indexer is not None,
    }
    return next((feature for feature, present in found.items() if present), None)


def kv_layout(architecture: ArchitectureRecord) -> KvLayout:
    """Return what one token leaves in the KV cache; raise UnsupportedArchitectureError.

    2 x layers x KV heads x head_dim elements, for full attention in every layer that attends
    (`past_key_values` of transformers; vLLM `FullAttentionSpec`).
    """
    feature = unsupported_feature(architecture)
    if feature is not None:
        raise UnsupportedArchitectureError(feature=feature)
    layers = _attention_layers(architecture)
    elements = 2 * layers * architecture.kv_heads * architecture.head_dim
    return KvLayout(elements, kv_heads=architecture.kv_heads, layers=layers)


def _group(group: TensorGroup, *matrices: _Matrices) -> GroupSize:
    return GroupSize(
        group,
        parameters=sum(part.count * part.outputs * part.inputs for part in matrices),
        output_channels=sum(part.count * part.outputs for part in matrices),
    )


def _embedding(architecture: ArchitectureRecord) -> GroupSize:
    """Count the token table and a learned position table (`wte`, `wpe` of modeling_gpt2)."""
    entries = architecture.vocabulary_size + architecture.position_entries
    return GroupSize(TensorGroup.EMBEDDING, entries * architecture.hidden_size, 0)


def _head(architecture: ArchitectureRecord) -> GroupSize:
    """Count `lm_head`; none where it is the embedding table (`tie_word_embeddings`)."""
    if architecture.tied_embeddings:
        return GroupSize(TensorGroup.HEAD, 0, 0)
    rows = architecture.vocabulary_size
    inputs = architecture.hidden_size + int(architecture.head_bias)
    return GroupSize(TensorGroup.HEAD, rows * inputs, rows)


def _attention(architecture: ArchitectureRecord) -> tuple[_Matrices, ...]:
    """Return q, k, v and o of every attention layer (`LlamaAttention` of modeling_llama)."""
    if architecture.mla is not None:
        return _latent_attention(architecture, architecture.mla)
    layers = _attention_layers(architecture)
    query = architecture.heads * architecture.head_dim
    key = architecture.kv_heads * architecture.head_dim
    return (
        _Matrices(layers, query, architecture.hidden_size),
        _Matrices(2 * (layers - architecture.shared_kv_layers), key, architecture.hidden_size),
        _Matrices(layers, architecture.hidden_size, query),
    )


def _latent_attention(architecture: ArchitectureRecord, mla: MlaRecord) -> tuple[_Matrices, ...]:
    """Return q_a, q_b, kv_a, kv_b and o (`DeepseekV3Attention` of modeling_deepseek_v3)."""
    layers = _attention_layers(architecture)
    heads, hidden = architecture.heads, architecture.hidden_size
    query_head = mla.nope_head_dim + mla.rope_head_dim
    matrices = (
        _Matrices(layers, mla.q_lora_rank, hidden),
        _Matrices(layers, heads * query_head, mla.q_lora_rank or hidden),
        _Matrices(layers, mla.kv_lora_rank + mla.rope_head_dim, hidden),
        _Matrices(layers, heads * (mla.nope_head_dim + mla.value_head_dim), mla.kv_lora_rank),
        _Matrices(layers, hidden, heads * mla.value_head_dim),
    )
    if architecture.indexer is None:
        return matrices
    return matrices + _index(architecture.indexer, mla, hidden)


def _index(indexer: IndexerRecord, mla: MlaRecord, hidden: int) -> tuple[_Matrices, ...]:
    """Return wq_b, wk and weights_proj (`Indexer` of DeepSeek-V3.2 inference/model.py)."""
    return (
        _Matrices(indexer.layers, indexer.heads * indexer.head_dim, mla.q_lora_rank or hidden),
        _Matrices(indexer.layers, indexer.head_dim, hidden),
        _Matrices(indexer.layers, indexer.heads, hidden),
    )


def _ffn(count: int, width: int, architecture: ArchitectureRecord) -> tuple[_Matrices, ...]:
    """Return `count` FFNs: up (gate and up with SwiGLU) and down (`LlamaMLP` of modeling_llama)."""
    up = 2 if architecture.gated_ffn else 1
    hidden = architecture.hidden_size
    return _Matrices(count * up, width, hidden), _Matrices(count, hidden, width)


def _dense_ffn(architecture: ArchitectureRecord) -> tuple[_Matrices, ...]:
    return _ffn(_dense_layers(architecture), architecture.ffn_size, architecture)


def _expert_groups(architecture: ArchitectureRecord, moe: MoeRecord) -> tuple[GroupSize, ...]:
    """Count routed experts, shared experts and router (`MixtralSparseMoeBlock`, `DeepseekV3MoE`).

    The router has a row for each expert, one for the gate of the shared experts in Qwen's MoE,
    and a bias where balancing needs one (`e_score_correction_bias`).
    """
    routed = _ffn(moe.layers * moe.experts, moe.expert_ffn_size, architecture)
    shared = _ffn(moe.layers, moe.shared_ffn_size, architecture)
    rows = moe.experts + int(moe.shared_gate)
    bias = moe.experts if moe.router_bias else 0
    router = moe.layers * (rows * architecture.hidden_size + bias)
    return (
        _group(TensorGroup.EXPERTS, *routed),
        _group(TensorGroup.SHARED_EXPERTS, *(shared if moe.shared_ffn_size else ())),
        GroupSize(TensorGroup.ROUTER, router, moe.layers * rows),
    )


def _norm_parameters(architecture: ArchitectureRecord) -> int:
    """Count all norms: of layers, of queries and keys, of latents; LayerNorm has a bias too."""
    norms = architecture.layers * architecture.norms_per_layer
    norms += int(architecture.final_norm) + int(architecture.embedding_norm)
    vectors = 2 if architecture.norm_bias else 1
    attention = architecture.qk_norm_size
    if architecture.mla is not None:
        attention += architecture.mla.q_lora_rank + architecture.mla.kv_lora_rank
    index = architecture.indexer
    index_norms = 2 * index.layers * index.head_dim if index is not None else 0
    return (
        norms * vectors * architecture.hidden_size
        + _attention_layers(architecture) * attention
        + index_norms
    )


def _bias_parameters(architecture: ArchitectureRecord) -> int:
    """Count the vectors beside matrices, which every format leaves in 16 bits.

    `attention_bias` and `sinks` of modeling_gpt_oss, `qkv_bias` of modeling_qwen2,
    `use_bias` of modeling_starcoder2.
    """
    head = architecture.head_dim
    attention = 0
    if architecture.qkv_bias:
        attention += (architecture.heads + 2 * architecture.kv_heads) * head
    if architecture.attention_output_bias:
        attention += architecture.hidden_size
    if architecture.attention_sinks:
        attention += architecture.heads
    dense = _ffn_bias(architecture.ffn_size, architecture) if architecture.ffn_bias else 0
    return (
        _attention_layers(architecture) * attention
        + _dense_layers(architecture) * dense
        + _expert_bias_parameters(architecture)
    )


def _expert_bias_parameters(architecture: ArchitectureRecord) -> int:
    """Count the biases of routed experts (`GptOssExperts` of modeling_gpt_oss)."""
    moe = architecture.moe
    if moe is None or not moe.expert_bias:
        return 0
    return moe.layers * moe.experts * _ffn_bias(moe.expert_ffn_size, architecture)


def _ffn_bias(width: int, architecture: ArchitectureRecord) -> int:
    return width * (2 if architecture.gated_ffn else 1) + architecture.hidden_size


def _attention_layers(architecture: ArchitectureRecord) -> int:
    return architecture.layers - architecture.recurrent_layers - architecture.ffn_only_layers


def _dense_layers(architecture: ArchitectureRecord) -> int:
    """Return the layers with a dense FFN: those without experts, or all that carry both."""
    if architecture.moe is None:
        return architecture.layers
    beside = architecture.moe.layers if architecture.moe.dense_beside_experts else 0
    return architecture.layers - architecture.moe.layers + beside
