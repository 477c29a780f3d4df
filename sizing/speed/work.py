"""What the fullest GPU of a replica reads, computes and sends for each token."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from sizing.answer import GroupWeights
from sizing.attention_layers import attention_layer_count, attention_layers
from sizing.memory import Load
from sizing.parallelism import Layout
from sizing.records import ArchitectureRecord, MlaRecord, TensorGroup
from sizing.request_cache import request_cache
from sizing.speed.traits import Arithmetic
from sizing.subject import TOWERS
from sizing.units import ceil_div

QUANTISED_BITS = 15.0
"""Widths below this are a quantised format's; 16-bit tensors are multiplied in 16 bits."""

STEP_TOKENS = 512
"""Tokens of a prompt that llama.cpp reads at once (`--ubatch-size`)."""

USUAL_WIDTH = 4096
"""Feed-forward width on one rank from which others differ."""

EXCHANGES_PER_LAYER = 2
"""All-reduces of a layer under tensor parallelism: after attention and after the FFN."""


@dataclass(frozen=True)
class StepWork:
    """Work of one replica's fullest GPU; the fields may be arrays of many cases."""

    dense_bytes: float
    """Weights read whenever all requests in flight advance by one token."""
    expert_bytes: float
    """The same of routed experts, were all of them touched."""
    expert_share: float
    """Share of the experts that one token touches."""
    grain: float
    """Logarithm of the width of an FFN, or of an expert, on one rank over `USUAL_WIDTH`."""
    cache_bytes: float
    """Cache read for each request and token, at the middle of its answer."""
    state_bytes: float
    """States read and written for each request and token."""
    linear_s: float
    """Seconds of matrix products for each token, at the peak rate."""
    attention_s: float
    """Seconds of attention for each token of an answer, at the peak rate."""
    prefill_linear_s: float
    """Seconds of matrix products for one prompt, at the peak rate."""
    prefill_attention_s: float
    """Seconds of attention for one prompt, at the peak rate."""
    layers: float
    expert_layers: float
    latent_layers: float
    index_layers: float
    state_layers: float
    exchanging_layers: float
    """Layers after which ranks exchange results; 0 on one GPU."""
    wire_bytes: float
    """Bytes that a rank sends for each token."""
    pipeline: float
    """Stages that work one after the other."""
    prompt_steps: float
    """Steps that one prompt is cut into."""
    input_tokens: float
    output_tokens: float


def work_of(
    load: Load,
    layout: Layout,
    arithmetic: Arithmetic,
    *,
    input_tokens: int,
    output_tokens: int,
    step_tokens: int = STEP_TOKENS,
) -> StepWork:
    """Return the work of `load` at `layout`, for requests of that many tokens."""
    shape = load.subject.architecture
    weights = _Weights(load.groups, shape)
    cut, ranks = layout.tensor_parallel, layout.expert_ranks
    gpus = ranks * layout.pipeline_parallel
    cache = request_cache(load.cache, load.kv_precision.element_bits, layout)
    middle_tokens = input_tokens + output_tokens // 2
    head_s = weights.head_flops / arithmetic.peak_16_bit_flops
    linear_s = weights.flops_at_peak(arithmetic)
    moe = shape.moe
    return StepWork(
        dense_bytes=weights.dense_bytes / cut,
        expert_bytes=weights.expert_bytes / ranks,
        expert_share=moe.experts_per_token / moe.experts if moe else 1.0,
        grain=_grain(shape, layout),
        cache_bytes=(cache.size_bytes(middle_tokens) - cache.state_bytes) / layout.data_parallel,
        state_bytes=2 * cache.state_bytes / layout.data_parallel,
        linear_s=linear_s / gpus,
        attention_s=_attention_flops(shape, middle_tokens) / gpus / arithmetic.peak_16_bit_flops,
        prefill_linear_s=input_tokens * (linear_s - head_s) / gpus,
        prefill_attention_s=_prompt_flops(shape, input_tokens)
        / gpus
        / arithmetic.peak_16_bit_flops,
        layers=shape.layers,
        expert_layers=moe.layers if moe else 0,
        latent_layers=attention_layer_count(shape) if shape.mla or shape.compression else 0,
        index_layers=shape.indexer.layers if shape.indexer else 0,
        state_layers=sum(each.layers for each in shape.recurrent),
        exchanging_layers=shape.layers if ranks > 1 else 0,
        wire_bytes=_wire_bytes(shape, layout),
        pipeline=layout.pipeline_parallel,
        prompt_steps=max(1, ceil_div(input_tokens, step_tokens)),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
    )


def _grain(shape: ArchitectureRecord, layout: Layout) -> float:
    """Return the logarithm of the feed-forward width on one rank, over the usual one.

    Tensor ranks cut an expert, expert ranks do not.
    """
    if shape.moe is None:
        width = shape.ffn_size or USUAL_WIDTH
        return log(width / layout.tensor_parallel / USUAL_WIDTH)
    parts = layout.tensor_parallel if layout.expert_parallel == 1 else 1
    return log(shape.moe.expert_ffn_size / parts / USUAL_WIDTH)


class _Weights:
    """The weights of a model as steps read them: no tower, no row of the table but one."""

    def __init__(self, groups: tuple[GroupWeights, ...], shape: ArchitectureRecord) -> None:
        self._read = [each for each in groups if _is_read(each.group, shape)]
        self._moe = shape.moe
        self._head = TensorGroup.EMBEDDING if shape.tied_embeddings else TensorGroup.HEAD

    @property
    def dense_bytes(self) -> float:
        return sum(g.weights_bytes for g in self._read if g.group is not TensorGroup.EXPERTS)

    @property
    def expert_bytes(self) -> float:
        return sum(g.weights_bytes for g in self._read if g.group is TensorGroup.EXPERTS)

    @property
    def head_flops(self) -> float:
        return sum(2.0 * g.parameters for g in self._read if g.group is self._head)

    def flops_at_peak(self, arithmetic: Arithmetic) -> float:
        """Return the seconds that the products of one token take at the peak rates."""
        return sum(
            2 * each.parameters * self._share(each.group) / _rate(each, arithmetic)
            for each in self._read
        )

    def _share(self, group: TensorGroup) -> float:
        if group is not TensorGroup.EXPERTS or self._moe is None:
            return 1.0
        return self._moe.experts_per_token / self._moe.experts


def _is_read(group: TensorGroup, shape: ArchitectureRecord) -> bool:
    if group in TOWERS or group is TensorGroup.DRAFT:
        return False
    return group is not TensorGroup.EMBEDDING or shape.tied_embeddings


def _rate(weights: GroupWeights, arithmetic: Arithmetic) -> float:
    is_quantised = weights.bits_per_weight < QUANTISED_BITS
    return arithmetic.peak_flops if is_quantised else arithmetic.peak_16_bit_flops


def _attention_flops(shape: ArchitectureRecord, tokens: int) -> float:
    """Return the operations of one query over `tokens` cached ones, all layers.

    Two for each number of a key and of a value. Latent attention works on the latent itself
    once the projections are absorbed (DeepSeek-V2, arXiv 2405.04434, section 2.1.2).
    """
    if shape.mla is not None:
        width = 2 * shape.mla.kv_lora_rank + shape.mla.rope_head_dim
        return 2.0 * attention_layer_count(shape) * shape.heads * width * tokens
    return sum(
        2.0 * group.layers * group.heads * (group.head_dim + group.value_head_dim)
        * min(tokens, group.window_tokens or tokens)
        for group in attention_layers(shape)
    )  # fmt: skip


def _prompt_flops(shape: ArchitectureRecord, tokens: int) -> float:
    """Return the operations of causal attention inside a prompt, all layers."""
    if shape.mla is not None:
        layers, width = attention_layer_count(shape), _expanded_width(shape.mla)
        return 2.0 * layers * shape.heads * width * tokens * tokens / 2
    return sum(
        2.0 * group.layers * group.heads * (group.head_dim + group.value_head_dim)
        * _pairs(tokens, group.window_tokens)
        for group in attention_layers(shape)
    )  # fmt: skip


def _expanded_width(mla: MlaRecord) -> int:
    return mla.nope_head_dim + mla.rope_head_dim + mla.value_head_dim


def _pairs(tokens: int, window_tokens: int | None) -> float:
    """Return the pairs of a token and an earlier one it looks at."""
    if window_tokens is None or tokens <= window_tokens:
        return tokens * tokens / 2
    return window_tokens * window_tokens / 2 + (tokens - window_tokens) * window_tokens


def _wire_bytes(shape: ArchitectureRecord, layout: Layout) -> float:
    """Return what a rank sends for each token: ring all-reduces, or tokens to their experts.

    A ring sends 2(n-1)/n of the data (NCCL); with attention copied, a token goes to as many ranks
    as it has experts and comes back.
    """
    ranks, width_bytes = layout.expert_ranks, 2 * shape.hidden_size
    if layout.data_parallel > 1 and shape.moe is not None:
        reached = min(shape.moe.experts_per_token, ranks - 1)
        return 2.0 * shape.moe.layers * width_bytes * reached / ranks
    return EXCHANGES_PER_LAYER * shape.layers * width_bytes * 2 * (ranks - 1) / ranks
