"""Parameters of a model by tensor group, from its shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sizing.attention_layers import attention_layer_count
from sizing.projections import Matrices, attention_matrices, recurrent_matrices
from sizing.records import ArchitectureRecord, Matrix, MoeRecord, TensorGroup
from sizing.recurrent import layer_size


@dataclass(frozen=True)
class GroupSize:
    """Size of one tensor group over all layers."""

    group: TensorGroup
    parameters: int
    output_channels: int
    """Rows of its matrices, each with a scale in per-channel formats; 0 where none are counted."""
    matrices: Mapping[Matrix, int] = field(default_factory=dict)
    """Parameters of the matrices that checkpoints may treat apart."""


def tensor_groups(architecture: ArchitectureRecord) -> tuple[GroupSize, ...]:
    """Return the size of every tensor group the model has; given sizes replace counted ones.

    Layout of the Hugging Face transformers implementations (`modeling_<model_type>.py`).
    """
    counted = (
        _embedding(architecture),
        _head(architecture),
        _group(TensorGroup.ATTENTION, *attention_matrices(architecture)),
        _group(TensorGroup.RECURRENT, *recurrent_matrices(architecture)),
        _group(TensorGroup.FFN, *_dense_ffn(architecture)),
        *(_expert_groups(architecture, architecture.moe) if architecture.moe else ()),
        GroupSize(TensorGroup.NORM, _norm_parameters(architecture), 0),
        GroupSize(TensorGroup.OTHER, _bias_parameters(architecture) + _pooling(architecture), 0),
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


def _group(group: TensorGroup, *matrices: Matrices) -> GroupSize:
    apart: Counter[Matrix] = Counter()
    for part in matrices:
        if part.matrix is not None:
            apart[part.matrix] += part.parameters
    return GroupSize(
        group,
        parameters=sum(part.parameters for part in matrices),
        output_channels=sum(part.count * part.outputs for part in matrices),
        matrices=apart,
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


def _ffn(
    count: int, width: int, architecture: ArchitectureRecord, input_size: int | None = None
) -> tuple[Matrices, ...]:
    """Return `count` FFNs: up (gate and up with SwiGLU) and down (`LlamaMLP` of modeling_llama)."""
    up = 2 if architecture.gated_ffn else 1
    hidden = input_size or architecture.hidden_size
    return Matrices(count * up, width, hidden), Matrices(count, hidden, width)


def _dense_ffn(architecture: ArchitectureRecord) -> tuple[Matrices, ...]:
    return _ffn(dense_layers(architecture), architecture.ffn_size, architecture)


def _expert_groups(architecture: ArchitectureRecord, moe: MoeRecord) -> tuple[GroupSize, ...]:
    """Count routed experts, shared experts and router (`MixtralSparseMoeBlock`, `DeepseekV3MoE`).

    The router has a row for each expert, one for the gate of the shared experts in Qwen's MoE,
    and a bias where balancing needs one (`e_score_correction_bias`).
    """
    width = moe.expert_input_size or architecture.hidden_size
    routed = _ffn(moe.layers * moe.experts, moe.expert_ffn_size, architecture, width)
    shared = _ffn(moe.layers, moe.shared_ffn_size, architecture)
    rows = moe.experts + int(moe.shared_gate)
    bias = moe.experts if moe.router_bias else 0
    router = moe.layers * (rows * architecture.hidden_size + bias)
    return (
        _group(TensorGroup.EXPERTS, *routed),
        _group(
            TensorGroup.SHARED_EXPERTS,
            *(shared if moe.shared_ffn_size else ()),
            *_latent_projections(architecture, moe),
        ),
        GroupSize(TensorGroup.ROUTER, router, moe.layers * rows),
    )


def _latent_projections(architecture: ArchitectureRecord, moe: MoeRecord) -> tuple[Matrices, ...]:
    """Return the projections into the experts' width and back (`NemotronHMOE`)."""
    if moe.expert_input_size is None:
        return ()
    latent, hidden = moe.expert_input_size, architecture.hidden_size
    return Matrices(moe.layers, latent, hidden), Matrices(moe.layers, hidden, latent)


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
        + attention_layer_count(architecture) * attention
        + index_norms
        + sum(
            layers.layers * layer_size(layers, architecture.hidden_size).norms
            for layers in architecture.recurrent
        )
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
        attention_layer_count(architecture) * attention
        + dense_layers(architecture) * dense
        + _expert_bias_parameters(architecture)
        + sum(
            layers.layers * layer_size(layers, architecture.hidden_size).vectors
            for layers in architecture.recurrent
        )
    )


def _pooling(architecture: ArchitectureRecord) -> int:
    """Count what stands on an encoder's output (`BertPooler`, `XLMRobertaClassificationHead`)."""
    width = architecture.hidden_size
    pooler = width * (width + 1) if architecture.pooler else 0
    return pooler + architecture.classes * (width + 1)


def _expert_bias_parameters(architecture: ArchitectureRecord) -> int:
    """Count the biases of routed experts (`GptOssExperts` of modeling_gpt_oss)."""
    moe = architecture.moe
    if moe is None or not moe.expert_bias:
        return 0
    return moe.layers * moe.experts * _ffn_bias(moe.expert_ffn_size, architecture)


def _ffn_bias(width: int, architecture: ArchitectureRecord) -> int:
    return width * (2 if architecture.gated_ffn else 1) + architecture.hidden_size


def dense_layers(architecture: ArchitectureRecord) -> int:
    """Return the layers with a dense FFN: those without experts, or all that carry both."""
    layers = architecture.ffn_layers or architecture.layers
    if architecture.moe is None:
        return layers
    beside = architecture.moe.layers if architecture.moe.dense_beside_experts else 0
    return layers - architecture.moe.layers + beside
