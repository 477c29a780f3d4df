"""Tensors that a pass holds beside the weights, counted from shapes."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.kv_cache import cache_layout
from sizing.passes.work import Work
from sizing.records import (
    ArchitectureRecord,
    EngineRecord,
    ModelRecord,
    PassRecord,
    PrecisionRecord,
    PrecisionScheme,
    TensorGroup,
)
from sizing.units import ceil_div

SCORE_BITS = 32
"""Bits of an attention score (softmax in FP32)."""

SIXTEEN_BITS = 16

FRAME_CHANNELS = 3
"""Colours of a finished frame."""


@dataclass(frozen=True)
class Stage:
    """One network at work on one item."""

    name: str
    group: TensorGroup | None
    """Component that works; None for a model of one network."""
    item_bytes: int
    """Peak of its tensors for one item, bytes."""
    is_convolutional: bool = False
    matrix_bytes: int = 0
    """Attention matrix of one item that fused attention saves, bytes."""
    whole_bytes: int | None = None
    """Peak without tiles where it works in tiles, bytes."""
    tiled_bytes: int | None = None
    """Peak with tiles where it works on the whole, bytes."""


def compute_bits(precision: PrecisionRecord, engine: EngineRecord) -> float:
    """Return the bits of a number in a pass: 16 where the weights have fewer."""
    if engine.compute_bits is not None:
        return engine.compute_bits
    is_float = precision.scheme is PrecisionScheme.FLOAT
    return precision.weight_bits if is_float else SIXTEEN_BITS


def stages_of(
    model: ModelRecord, work: Work, precision: PrecisionRecord, engine: EngineRecord
) -> tuple[Stage, ...]:
    """Return the networks of a model at work, in order."""
    bits = compute_bits(precision, engine)
    if model.architecture is not None:
        return (_encoder_stage(model.architecture, work, bits, engine),)
    passes = model.pipeline.passes if model.pipeline else ()
    return tuple(_stage(each, work, bits, engine) for each in passes)


def _stage(record: PassRecord, work: Work, bits: float, engine: EngineRecord) -> Stage:
    scale = 1.0 if record.keeps_bits else bits / record.element_bits
    copies = record.guidance_copies if engine.joins_guidance else 1
    scale *= copies / record.guidance_copies
    matrix_bytes = _matrix_bytes(record, work) * copies
    kept = 0 if engine.fuses_attention else matrix_bytes
    whole = round(_elements_bytes(record, work) * scale) + kept
    tiled = None
    if record.tile_bytes is not None:
        frames_bytes = work.frame_pixels * FRAME_CHANNELS * bits / 8
        tiled = min(whole, round(record.tile_bytes * scale + frames_bytes))
    is_tiled = record.is_tiled and tiled is not None
    return Stage(
        name=record.name,
        group=record.group,
        item_bytes=tiled if is_tiled and tiled is not None else whole,
        is_convolutional=record.is_convolutional,
        matrix_bytes=matrix_bytes,
        whole_bytes=whole if is_tiled else None,
        tiled_bytes=None if is_tiled else tiled,
    )


def _elements_bytes(record: PassRecord, work: Work) -> float:
    seconds = work.seconds or 0
    return (
        record.fixed_bytes
        + record.peak_bytes_per_pixel * work.pixels
        + record.peak_bytes_per_frame_pixel * work.frame_pixels
        + record.peak_bytes_per_second * seconds
        + record.peak_bytes_per_square_second * seconds**2
    )


def _matrix_bytes(record: PassRecord, work: Work) -> int:
    if record.attention_heads is None or record.attention_pixels_per_token is None:
        return 0
    tokens = ceil_div(work.frame_pixels, record.attention_pixels_per_token) + record.text_tokens
    return record.attention_heads * tokens**2 * SCORE_BITS // 8


def _encoder_stage(
    architecture: ArchitectureRecord, work: Work, bits: float, engine: EngineRecord
) -> Stage:
    """Return a text encoder at work; an engine that works in steps never holds the whole batch."""
    tokens = work.tokens or 0
    held = tokens * work.items
    if engine.step_tokens is not None:
        held = min(held, max(tokens, engine.step_tokens))
    numbers = encoder_elements_per_token(architecture)
    if architecture.is_causal and engine.step_tokens is None:
        numbers += round(cache_layout(architecture).elements_per_token)
    return Stage(
        name="forward",
        group=None,
        item_bytes=ceil_div(round(held * numbers * bits), 8 * work.items),
        matrix_bytes=architecture.heads * tokens**2 * SCORE_BITS // 8,
    )


def encoder_elements_per_token(architecture: ArchitectureRecord) -> int:
    """Return the numbers that one token holds at the peak of a layer.

    Feed-forward: the residual stream, the layer's input and output, and what stands inside;
    attention: queries, keys, values, their rotated copies, the output, FP32 steps of the norms.
    Counted by running the models of transformers on tensors without data (BERT 8,448 of 768 x
    3,072; Qwen3 53,248 of 4,096 x 12,288).
    """
    width, inner = architecture.hidden_size, architecture.ffn_size
    inside = 4 * width + 3 * inner if architecture.gated_ffn else 3 * width + 2 * inner
    return max(11 * width, inside)
