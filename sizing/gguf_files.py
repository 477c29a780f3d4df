"""Bits of a weight in a GGUF file, by tensor group: llama.cpp mixes types inside one file.

Source: ggml-org/llama.cpp `src/llama-quant.cpp` (`llama_tensor_get_type`); with Llama 3.1 8B these
rules give every average that tools/quantize/README.md prints, to the fourth decimal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from sizing.attention_layers import AttentionLayers, attention_layers
from sizing.projections import recurrent_matrices
from sizing.records import (
    ArchitectureRecord,
    GgufLayers,
    GgufRecipe,
    GgufRule,
    GgufTensor,
    Matrix,
    TensorGroup,
)

TYPE_BITS: Final = {
    "F32": 32, "Q8_0": 8.5, "Q6_K": 6.5625, "Q5_K": 5.5, "Q5_1": 6, "Q5_0": 5.5, "Q4_K": 4.5,
    "Q4_1": 5, "Q4_0": 4.5, "IQ4_NL": 4.5, "IQ4_XS": 4.25, "MXFP4": 4.25, "Q3_K": 3.4375,
    "IQ3_S": 3.4375, "IQ3_XXS": 3.0625, "Q2_K": 2.625, "IQ2_S": 2.5625, "IQ2_XS": 2.3125,
    "IQ2_XXS": 2.0625, "IQ1_M": 1.75, "IQ1_S": 1.5625,
}  # fmt: skip
"""Bits of a weight: bytes x 8 / weights of a block (gguf 0.19, `GGML_QUANT_SIZES`)."""

BLOCK_OF_256: Final = frozenset(
    {
        "Q6_K", "Q5_K", "Q4_K", "Q3_K", "Q2_K", "IQ4_XS", "IQ3_S", "IQ3_XXS", "IQ2_S", "IQ2_XS",
        "IQ2_XXS", "IQ1_M", "IQ1_S",
    }
)  # fmt: skip
"""Types whose rows must be whole blocks of 256."""

FALLBACK: Final = {"Q6_K": "Q8_0", "Q5_K": "Q5_1", "Q4_K": "Q5_0"}
"""Type of a row that is no multiple of 256; IQ4_NL in place of the smaller ones."""

FEW_EXPERTS: Final = 8
"""Experts of a layer with which attention gets more bits (`n_expert == 8`)."""

LAYERS_OF_70B: Final = 80
"""Depth at which values get more bits: eight heads share them (`LLM_TYPE_70B`)."""

RAISED_VALUES: Final = frozenset({"Q3_K", "Q4_K"})
"""Types of values that a model of that depth raises to Q5_K."""

REACHES: Final[dict[GgufLayers, Callable[[int, int], bool]]] = {
    GgufLayers.ALL: lambda _layer, _layers: True,
    GgufLayers.FIRST_TWO: lambda layer, _layers: layer < 2,
    GgufLayers.FIRST_FOUR: lambda layer, _layers: layer < 4,
    GgufLayers.FIRST_SIXTEENTH: lambda layer, layers: layer < layers // 16,
    GgufLayers.FIRST_EIGHTH: lambda layer, layers: layer < layers // 8,
    GgufLayers.MIDDLE: lambda layer, layers: layers // 8 <= layer < 7 * layers // 8,
    GgufLayers.MORE_BITS: lambda layer, layers: (
        layer < layers // 8 or layer >= 7 * layers // 8 or (layer - layers // 8) % 3 == 2
    ),
}
"""Whether a rule reaches a layer (`use_more_bits` and the comparisons beside it)."""


def group_bits(recipe: GgufRecipe, architecture: ArchitectureRecord) -> dict[TensorGroup, float]:
    """Return the bits of a weight of every tensor group, averaged over its tensors and layers."""
    hidden = architecture.hidden_size
    embedding = recipe.head if architecture.tied_embeddings else recipe.embedding
    experts = _experts(recipe, architecture)
    return {
        TensorGroup.EMBEDDING: _bits(embedding or recipe.default, hidden),
        TensorGroup.HEAD: _bits(recipe.head, hidden),
        TensorGroup.ATTENTION: _attention(recipe, architecture),
        TensorGroup.RECURRENT: _recurrent(recipe, architecture),
        TensorGroup.FFN: _ffn(recipe, architecture, architecture.ffn_size),
        TensorGroup.EXPERTS: experts,
        TensorGroup.SHARED_EXPERTS: _ffn(recipe, architecture, _shared_width(architecture)),
        TensorGroup.ROUTER: TYPE_BITS["F32"],
        TensorGroup.NORM: TYPE_BITS["F32"],
        TensorGroup.OTHER: TYPE_BITS["F32"],
    }


def _shared_width(architecture: ArchitectureRecord) -> int:
    return architecture.moe.shared_ffn_size if architecture.moe else 0


def _experts(recipe: GgufRecipe, architecture: ArchitectureRecord) -> float:
    rule = next((rule for rule in recipe.rules if GgufTensor.EXPERT in rule.tensors), None)
    if rule is not None:
        return TYPE_BITS[rule.type]
    return _ffn(recipe, architecture, architecture.moe.expert_ffn_size if architecture.moe else 0)


def _ffn(recipe: GgufRecipe, architecture: ArchitectureRecord, width: int) -> float:
    """Average up (gate and up where gated) and down."""
    up = _layer_mean(recipe, GgufTensor.UP, architecture, row=architecture.hidden_size)
    down = _layer_mean(recipe, GgufTensor.DOWN, architecture, row=width)
    widening = 2 if architecture.gated_ffn else 1
    return (widening * up + down) / (widening + 1)


def _attention(recipe: GgufRecipe, architecture: ArchitectureRecord) -> float:
    """Average query, key, value and output; latent layers keep the default."""
    if architecture.mla is not None or architecture.compression:
        return _bits(recipe.default, architecture.hidden_size)
    parts = [
        part
        for layers in attention_layers(architecture)
        for part in _matrices(layers, fused=architecture.fused_qkv)
    ]
    total = sum(size for _, size, _ in parts)
    weighed = (
        size * _layer_mean(recipe, tensor, architecture, row=row or architecture.hidden_size)
        for tensor, size, row in parts
    )
    return sum(weighed) / total


def _recurrent(recipe: GgufRecipe, architecture: ArchitectureRecord) -> float:
    """Average the projections of layers with a state; `in_proj_qkv` is called `attn_qkv` there."""
    parts = recurrent_matrices(architecture)
    if not parts:
        return _bits(recipe.default, architecture.hidden_size)
    fused = _type(recipe, GgufTensor.QUERY_KEY_VALUE, architecture, 0)
    bits = sum(
        part.parameters
        * _bits(fused if part.matrix is Matrix.QUERY_KEY_VALUE else recipe.default, part.inputs)
        for part in parts
    )
    return bits / sum(part.parameters for part in parts)


def _matrices(layers: AttentionLayers, *, fused: bool) -> Iterable[tuple[GgufTensor, int, int]]:
    """Yield the matrices with their relative size and, where not the model's, their row."""
    query, output = layers.heads * layers.head_dim, layers.heads * layers.value_head_dim
    yield GgufTensor.OUTPUT, layers.layers * output, output
    if fused:
        keys = layers.kv_heads * (layers.head_dim + layers.value_head_dim)
        yield GgufTensor.QUERY_KEY_VALUE, layers.layers * (query + keys), 0
        return
    yield GgufTensor.QUERY, layers.layers * query, 0
    if not layers.reads_earlier_cache:
        yield GgufTensor.KEY, layers.layers * layers.kv_heads * layers.head_dim, 0
    if not layers.reads_earlier_cache and not layers.value_is_key:
        yield GgufTensor.VALUE, layers.layers * layers.kv_heads * layers.value_head_dim, 0


def _layer_mean(
    recipe: GgufRecipe, tensor: GgufTensor, architecture: ArchitectureRecord, *, row: int
) -> float:
    """Average one tensor over the layers."""
    layers = architecture.layers
    bits = (_bits(_type(recipe, tensor, architecture, layer), row) for layer in range(layers))
    return sum(bits) / layers


def _type(
    recipe: GgufRecipe, tensor: GgufTensor, architecture: ArchitectureRecord, layer: int
) -> str:
    """Return the type of one tensor of one layer."""
    moe = architecture.moe
    if moe is not None and moe.experts == FEW_EXPERTS:
        if tensor in (GgufTensor.KEY, GgufTensor.VALUE):
            return "Q8_0"
        if tensor is GgufTensor.OUTPUT and TYPE_BITS[recipe.default] < TYPE_BITS["Q5_K"]:
            return "Q5_K"
    rule = next((rule for rule in recipe.rules if _holds(rule, tensor, architecture, layer)), None)
    found = rule.type if rule else recipe.default
    is_70b = architecture.layers == LAYERS_OF_70B and tensor is GgufTensor.VALUE
    return "Q5_K" if is_70b and found in RAISED_VALUES else found


def _holds(
    rule: GgufRule, tensor: GgufTensor, architecture: ArchitectureRecord, layer: int
) -> bool:
    return (
        tensor in rule.tensors
        and architecture.heads >= rule.least_heads_per_kv_head * architecture.kv_heads
        and REACHES[rule.layers](layer, architecture.layers)
    )


def _bits(type_name: str, row: int) -> float:
    """Return the bits of a type, or of its fallback where rows are no whole blocks."""
    if row % 256 and type_name in BLOCK_OF_256:
        type_name = FALLBACK.get(type_name, "IQ4_NL")
    return TYPE_BITS[type_name]
