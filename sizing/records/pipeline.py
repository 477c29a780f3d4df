"""Records of models that work in whole passes: what they are made of and what a pass takes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from sizing.records.architecture import TensorGroup
from sizing.records.base import Count, Positive, PositiveCount, Record

FolderName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
NonNegative = Annotated[float, Field(ge=0)]


class ComponentRecord(Record):
    """One network of a pipeline."""

    name: FolderName
    """Name of its folder in the checkpoint."""

    group: TensorGroup
    """What it does."""

    parameters: PositiveCount
    """Its parameters."""

    quantises: bool = True
    """Whether formats below 16 bits are applied to it."""


class PassRecord(Record):
    """Peak of the tensors that one network holds beside its weights, for one item.

    Linear in the pixels of the output, in pixels x frames and in seconds of sound; counted on the
    reference implementation with fused attention, every tensor in `element_bits`.
    """

    name: FolderName
    """What the network does: `encode`, `denoise`, `decode`, `forward`."""

    group: TensorGroup
    """Component that works."""

    element_bits: Positive
    """Bits of a number in the figures below."""

    keeps_bits: bool = False
    """Whether it works in `element_bits` whatever the precision of the weights."""

    is_convolutional: bool = False
    """Whether convolutions set the peak, whose workspaces come on top."""

    kernels: Count = 0
    """Operators that one evaluation starts on the GPU; 0 where they were not counted."""

    evaluations: PositiveCount = 1
    """Evaluations of a step, one after the other: guidance that is not joined."""

    fixed_operations: Count = 0
    """Additions and multiplications of one evaluation whatever the picture: text tokens."""

    linear_operations_per_pixel: NonNegative = 0
    """Additions and multiplications of one evaluation for each pixel."""

    attention_operations_per_square_pixel: NonNegative = 0
    """Those for each pixel times the pixels it attends to."""

    fixed_bytes: Count = 0
    """Part that every item takes: text tokens, states."""

    peak_bytes_per_pixel: NonNegative = 0
    """Part for each pixel of a picture, bytes."""

    peak_bytes_per_frame_pixel: NonNegative = 0
    """Part for each pixel of every frame, bytes."""

    peak_bytes_per_second: NonNegative = 0
    """Part for each second of sound, bytes."""

    peak_bytes_per_square_second: NonNegative = 0
    """Part for each second of sound times the seconds it attends to, bytes."""

    tile_bytes: PositiveCount | None = None
    """Peak of one tile beside the finished frames; None where it works on the whole only."""

    is_tiled: bool = False
    """Whether it works in tiles unless told otherwise."""

    guidance_copies: PositiveCount = 1
    """Copies of an item that guidance works on, counted in the figures above."""

    attention_heads: PositiveCount | None = None
    """Heads of the layer with the largest attention matrix, for one copy."""

    attention_pixels_per_token: PositiveCount | None = None
    """Pixels of the output that one token of that layer stands for."""

    text_tokens: Count = 0
    """Tokens of the prompt beside those of the picture in that layer."""


class PipelineRecord(Record):
    """Networks that work one after the other, whole inputs at a time."""

    components: Annotated[tuple[ComponentRecord, ...], Field(min_length=1)]
    """Networks, in the order of the checkpoint."""

    passes: tuple[PassRecord, ...] = ()
    """Peaks by network; empty where nothing is known about them."""

    steps: PositiveCount | None = None
    """Steps of denoising unless asked otherwise; None where there are none."""

    width_pixels: PositiveCount | None = None
    """Width of a picture unless asked otherwise; None where there is none."""

    height_pixels: PositiveCount | None = None
    """Height of a picture unless asked otherwise; None where there is none."""

    frames: PositiveCount | None = None
    """Pictures of a clip unless asked otherwise; None where there is one."""

    seconds: PositiveCount | None = None
    """Seconds of sound unless asked otherwise; None where there is none."""
