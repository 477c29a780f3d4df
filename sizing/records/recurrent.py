"""Records of layers that keep a state of fixed size in place of keys and values."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sizing.records.base import PositiveCount, Record


class _RecurrentLayers(Record):
    """What all kinds share."""

    layers: PositiveCount
    """Layers of this kind."""


class MambaRecord(_RecurrentLayers):
    """Mamba layers (selective state space)."""

    kind: Literal["mamba"]
    """Kind of layer."""

    inner_size: PositiveCount
    """Width inside the layer: expansion x hidden size."""

    state_size: PositiveCount
    """State entries of each inner channel."""

    time_step_rank: PositiveCount
    """Rank of the time-step projection."""

    conv_kernel: PositiveCount = 4
    """Tokens the convolution looks at."""


class Mamba2Record(_RecurrentLayers):
    """Mamba-2 layers (state space with heads)."""

    kind: Literal["mamba2"]
    """Kind of layer."""

    heads: PositiveCount
    """Heads of a layer."""

    head_dim: PositiveCount
    """Width of a head."""

    state_size: PositiveCount
    """State entries of each channel."""

    groups: PositiveCount
    """Groups of heads that share input and output matrices."""

    conv_kernel: PositiveCount = 4
    """Tokens the convolution looks at."""


class GatedDeltaNetRecord(_RecurrentLayers):
    """Gated DeltaNet layers (Qwen3-Next and later)."""

    kind: Literal["gated_delta_net"]
    """Kind of layer."""

    key_heads: PositiveCount
    """Query and key heads of a layer."""

    value_heads: PositiveCount
    """Value heads of a layer."""

    key_head_dim: PositiveCount
    """Width of a key head."""

    value_head_dim: PositiveCount
    """Width of a value head."""

    conv_kernel: PositiveCount = 4
    """Tokens the convolution looks at."""


class KimiDeltaRecord(_RecurrentLayers):
    """Kimi Delta Attention layers (a gate for each channel)."""

    kind: Literal["kimi_delta"]
    """Kind of layer."""

    heads: PositiveCount
    """Heads of a layer."""

    head_dim: PositiveCount
    """Width of keys and values of a head."""

    full_rank_gate: bool = False
    """Whether the output gate is one full matrix instead of two thin ones."""

    conv_kernel: PositiveCount = 4
    """Tokens the convolution looks at."""


class LightningRecord(_RecurrentLayers):
    """Lightning attention layers (linear attention with decay)."""

    kind: Literal["lightning"]
    """Kind of layer."""

    heads: PositiveCount
    """Heads of a layer."""

    head_dim: PositiveCount
    """Width of a head."""


class ShortConvolutionRecord(_RecurrentLayers):
    """Gated short convolutions (LFM2)."""

    kind: Literal["short_convolution"]
    """Kind of layer."""

    conv_kernel: PositiveCount
    """Tokens the convolution looks at."""


RecurrentRecord = Annotated[
    MambaRecord
    | Mamba2Record
    | GatedDeltaNetRecord
    | KimiDeltaRecord
    | LightningRecord
    | ShortConvolutionRecord,
    Field(discriminator="kind"),
]
