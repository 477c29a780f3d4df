"""Layers with a state of fixed size: their parameters and the state of one request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, assert_never

from sizing.records import (
    GatedDeltaNetRecord,
    KimiDeltaRecord,
    LightningRecord,
    Mamba2Record,
    MambaRecord,
    Matrix,
    RecurrentRecord,
    ShortConvolutionRecord,
)

STATE_BITS = 32
"""Bits of a state entry: engines accumulate states in FP32 (vLLM `mamba_ssm_cache_dtype`)."""

CONVOLUTION_BITS = 16
"""Bits of a remembered convolution input."""


class Projection(NamedTuple):
    """One weight matrix."""

    matrix: Matrix
    outputs: int
    inputs: int


@dataclass(frozen=True)
class LayerSize:
    """Parameters of one layer by how number formats treat them."""

    matrices: tuple[Projection, ...]
    vectors: int
    """Convolutions, decays, biases: left in 16 bits by every format."""
    norms: int


@dataclass(frozen=True)
class LayerState:
    """What one layer remembers of one request, before any split."""

    state_elements: int
    convolution_elements: int

    @property
    def state_bytes(self) -> int:
        """Return the memory of both, bytes."""
        bits = self.state_elements * STATE_BITS + self.convolution_elements * CONVOLUTION_BITS
        return bits // 8


def layer_size(layers: RecurrentRecord, hidden_size: int) -> LayerSize:
    """Return the parameters of one such layer (`modeling_<model_type>.py` of transformers)."""
    match layers:
        case MambaRecord():
            return _mamba(layers, hidden_size)
        case Mamba2Record():
            return _mamba2(layers, hidden_size)
        case GatedDeltaNetRecord():
            return _gated_delta_net(layers, hidden_size)
        case KimiDeltaRecord():
            return _kimi_delta(layers, hidden_size)
        case LightningRecord():
            return _lightning(layers, hidden_size)
        case ShortConvolutionRecord():
            return _short_convolution(layers, hidden_size)
        case _:
            assert_never(layers)


def layer_state(layers: RecurrentRecord, hidden_size: int) -> LayerState:
    """Return the state of one request in one such layer.

    A convolution over k tokens remembers k - 1 (vLLM `MambaStateShapeCalculator`).
    """
    match layers:
        case MambaRecord():
            inner = layers.inner_size
            return LayerState(inner * layers.state_size, inner * (layers.conv_kernel - 1))
        case Mamba2Record():
            channels = _mamba2_channels(layers)
            state = layers.heads * layers.head_dim * layers.state_size
            return LayerState(state, channels * (layers.conv_kernel - 1))
        case GatedDeltaNetRecord():
            state = layers.value_heads * layers.key_head_dim * layers.value_head_dim
            return LayerState(state, _delta_channels(layers) * (layers.conv_kernel - 1))
        case KimiDeltaRecord():
            width = layers.heads * layers.head_dim
            return LayerState(width * layers.head_dim, 3 * width * (layers.conv_kernel - 1))
        case LightningRecord():
            return LayerState(layers.heads * layers.head_dim**2, 0)
        case ShortConvolutionRecord():
            return LayerState(0, hidden_size * (layers.conv_kernel - 1))
        case _:
            assert_never(layers)


def _mamba(layers: MambaRecord, hidden: int) -> LayerSize:
    """Count in_proj, x_proj, dt_proj, out_proj, conv1d, A_log, D and norms of `JambaMambaMixer`."""
    inner, state, rank = layers.inner_size, layers.state_size, layers.time_step_rank
    matrices = (
        Projection(Matrix.IN, 2 * inner, hidden),
        Projection(Matrix.STEP, rank + 2 * state, inner),
        Projection(Matrix.STEP, inner, rank),
        Projection(Matrix.OUTPUT, hidden, inner),
    )
    convolution = inner * (layers.conv_kernel + 1)
    vectors = convolution + inner + inner * state + inner
    return LayerSize(matrices, vectors, norms=rank + 2 * state)


def _mamba2_channels(layers: Mamba2Record) -> int:
    return layers.heads * layers.head_dim + 2 * layers.groups * layers.state_size


def _mamba2(layers: Mamba2Record, hidden: int) -> LayerSize:
    """Count in_proj, out_proj, conv1d, A_log, D, dt_bias and norm of `Mamba2Mixer`."""
    inner, channels = layers.heads * layers.head_dim, _mamba2_channels(layers)
    return LayerSize(
        (
            Projection(Matrix.IN, inner + channels + layers.heads, hidden),
            Projection(Matrix.OUTPUT, hidden, inner),
        ),
        vectors=channels * (layers.conv_kernel + 1) + 3 * layers.heads,
        norms=inner,
    )


def _delta_channels(layers: GatedDeltaNetRecord) -> int:
    keys = layers.key_heads * layers.key_head_dim
    return 2 * keys + layers.value_heads * layers.value_head_dim


def _gated_delta_net(layers: GatedDeltaNetRecord, hidden: int) -> LayerSize:
    """Count in_proj_qkv, _z, _b, _a, out_proj, conv1d and vectors of `Qwen3_5GatedDeltaNet`."""
    values = layers.value_heads * layers.value_head_dim
    channels = _delta_channels(layers)
    return LayerSize(
        (
            Projection(Matrix.QUERY_KEY_VALUE, channels, hidden),
            Projection(Matrix.GATE, values, hidden),
            Projection(Matrix.STEP, 2 * layers.value_heads, hidden),
            Projection(Matrix.OUTPUT, hidden, values),
        ),
        vectors=channels * layers.conv_kernel + 2 * layers.value_heads,
        norms=layers.value_head_dim,
    )


def _kimi_delta(layers: KimiDeltaRecord, hidden: int) -> LayerSize:
    """Count q, k, v, o, gates, convolutions, A_log, dt_bias and norm of `KimiDeltaAttention`."""
    head, width = layers.head_dim, layers.heads * layers.head_dim
    gate = ((width, hidden),) if layers.full_rank_gate else ((head, hidden), (width, head))
    queries = (Matrix.QUERY, Matrix.KEY, Matrix.VALUE)
    matrices = (
        *(Projection(matrix, width, hidden) for matrix in queries),
        Projection(Matrix.OUTPUT, hidden, width),
        Projection(Matrix.STEP, head, hidden),
        Projection(Matrix.STEP, width, head),
        Projection(Matrix.STEP, layers.heads, hidden),
        *(Projection(Matrix.GATE, outputs, inputs) for outputs, inputs in gate),
    )
    vectors = 3 * width * layers.conv_kernel + width + layers.heads
    return LayerSize(matrices, vectors, norms=head)


def _lightning(layers: LightningRecord, hidden: int) -> LayerSize:
    """Count qkv_proj, output_gate, out_proj and norm of `MiniMaxLightningAttention`."""
    width = layers.heads * layers.head_dim
    matrices = (
        Projection(Matrix.QUERY_KEY_VALUE, 3 * width, hidden),
        Projection(Matrix.GATE, width, hidden),
        Projection(Matrix.OUTPUT, hidden, width),
    )
    return LayerSize(matrices, 0, norms=width)


def _short_convolution(layers: ShortConvolutionRecord, hidden: int) -> LayerSize:
    """Count in_proj, out_proj and conv of `Lfm2ShortConv`."""
    matrices = (
        Projection(Matrix.IN, 3 * hidden, hidden),
        Projection(Matrix.OUTPUT, hidden, hidden),
    )
    return LayerSize(matrices, hidden * layers.conv_kernel, 0)
