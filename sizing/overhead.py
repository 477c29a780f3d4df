"""Activations and runtime overhead of one GPU: measured ranges, not a percentage."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.parallelism import Layout
from sizing.records import (
    ArchitectureRecord,
    GibRange,
    MoeRecord,
    OverheadPart,
    OverheadRecord,
    StepOverheads,
    TokenRange,
)
from sizing.subject import Subject
from sizing.units import ceil_div, gib_to_bytes

ACTIVATION_BYTES = 2
"""Bytes of one number between layers, whatever the weights are stored in."""

RESIDUAL_WIDTHS = (3, 3, 4)
"""Rows as wide as the residual stream that live at once: residual, normed input, output, and in
some models the sum. Logs: 3.0 in two starts of Llama 3.1 8B, 4.0 in two of Qwen2.5.
"""


SOURCE_ENCODER_RATIO = 12.25
"""Numbers at the peak of a sound encoder for each number of its output."""

ENCODED_AT_ONCE = (1, 5, 16)
"""Inputs that are encoded at once: least, in one engine step, most."""


@dataclass(frozen=True)
class BytesRange:
    """Low, typical and high of a size, bytes."""

    low_bytes: int
    typical_bytes: int
    high_bytes: int

    def __add__(self, other: BytesRange) -> BytesRange:
        return BytesRange(
            self.low_bytes + other.low_bytes,
            self.typical_bytes + other.typical_bytes,
            self.high_bytes + other.high_bytes,
        )

    def at_least(self, other: BytesRange) -> BytesRange:
        """Return the larger of two ranges, bound by bound."""
        return BytesRange(
            max(self.low_bytes, other.low_bytes),
            max(self.typical_bytes, other.typical_bytes),
            max(self.high_bytes, other.high_bytes),
        )


NOTHING = BytesRange(0, 0, 0)


@dataclass(frozen=True)
class Step:
    """How much an engine takes at once."""

    batched_tokens: int | None = None
    """Tokens of one step, as asked; None for what is usual."""
    on_large_card: bool = False

    def of(self, overhead: OverheadRecord) -> StepOverheads:
        """Return what a step works on there."""
        return (overhead.large_card_step if self.on_large_card else None) or overhead.step


def activations(
    subject: Subject, overhead: OverheadRecord, layout: Layout, step: Step
) -> BytesRange:
    """Return the activation peak of one GPU, bytes.

    The largest of what a step allocates in turn: the logits and the sampler's buffers, or the
    widest layer for all tokens of the step; an image or audio encoder runs before both. Source:
    vLLM `GPUModelRunner.profile_run`.
    """
    record = step.of(overhead)
    tokens = _tokens(record, step.batched_tokens)
    architecture, ranks = subject.architecture, layout.tensor_parallel
    layer = _times(tokens, layer_bytes_per_token(architecture, ranks))
    sampler = _sampler(architecture, record, step.batched_tokens)
    peak = sampler.at_least(layer).at_least(in_bytes(overhead.activation_floor))
    if architecture.moe:
        row = expert_bytes_per_token(architecture, architecture.moe, ranks)
        peak += _times(tokens, BytesRange(row, row, row))
    if subject.source_tokens is not None:
        peak += _source_encoder(subject.source_tokens * architecture.hidden_size)
    elif subject.is_multimodal:
        peak = peak.at_least(in_bytes(overhead.activation_multimodal))
    return peak


def _source_encoder(output_elements: int) -> BytesRange:
    """Return the tensors of an encoder that every request passes: Whisper's, 16 bits.

    Its peak is 12.25 times its output, at the first convolutions (`WhisperEncoder` of
    transformers, run on tensors without data). An engine step of 8,192 tokens takes five inputs
    of 1,500 (vLLM `max_num_batched_tokens`).
    """
    one_bytes = round(output_elements * SOURCE_ENCODER_RATIO * 2)
    low, typical, high = (count * one_bytes for count in ENCODED_AT_ONCE)
    return BytesRange(low, typical, high)


def layer_bytes_per_token(architecture: ArchitectureRecord, ranks: int) -> BytesRange:
    """Return what the widest layer allocates for a token: the residual stream and its FFN, bytes.

    Gate, up and their product live at once, cut over the ranks (vLLM `LlamaMLP`).
    """
    moe = architecture.moe
    width = max(architecture.ffn_size, moe.shared_ffn_size if moe else 0)
    inner = (3 if architecture.gated_ffn else 2) * ceil_div(width, ranks)
    rows = (widths * architecture.hidden_size for widths in RESIDUAL_WIDTHS)
    return BytesRange(*(ACTIVATION_BYTES * (row + inner) for row in rows))


def expert_bytes_per_token(architecture: ArchitectureRecord, moe: MoeRecord, ranks: int) -> int:
    """Return the workspace of the routed experts for a token (vLLM `fused_experts_impl`).

    One row for each chosen expert: gate and up, or the output in the same place, and their
    product.
    """
    width = ceil_div(moe.expert_ffn_size, ranks)
    row = max(2 * width, moe.expert_input_size or architecture.hidden_size) + width
    return ACTIVATION_BYTES * moe.experts_per_token * row


def runtime(
    overhead: OverheadRecord, *, parallel_gpus: int, eager: bool, memory_fraction: float
) -> BytesRange:
    """Return what the engine takes of its budget beside activations, bytes.

    The budget is a share of what the driver shows; the engine takes its share of what the driver
    leaves to programs.
    """
    parts = _parts(overhead, parallel_gpus=parallel_gpus, eager=eager)
    inside = [size for part, size in parts.items() if part not in overhead.outside_budget]
    at_worst = sum(parts[part].high_bytes for part in overhead.inside_at_worst)
    inside.append(BytesRange(0, 0, at_worst))
    alone = parallel_gpus == 1
    buffers = overhead.communication_single if alone else overhead.communication_parallel
    reserved = reserved_by_driver(overhead, memory_fraction)
    return sum(inside, start=reserved + in_bytes(buffers))


def reserved_by_driver(overhead: OverheadRecord, memory_fraction: float) -> BytesRange:
    """Return the engine's share of what the driver shows and keeps, bytes."""
    whole = in_bytes(overhead.reserved)
    return BytesRange(
        round(whole.low_bytes * memory_fraction),
        round(whole.typical_bytes * memory_fraction),
        round(whole.high_bytes * memory_fraction),
    )


def outside_budget(overhead: OverheadRecord, *, parallel_gpus: int, eager: bool) -> BytesRange:
    """Return what stands beside the engine's budget, in the memory that it leaves, bytes."""
    parts = _parts(overhead, parallel_gpus=parallel_gpus, eager=eager)
    return sum((parts[part] for part in overhead.outside_budget), start=NOTHING)


def _parts(
    overhead: OverheadRecord, *, parallel_gpus: int, eager: bool
) -> dict[OverheadPart, BytesRange]:
    graphs = overhead.graphs_single if parallel_gpus == 1 else overhead.graphs_parallel
    return {
        OverheadPart.CONTEXT: in_bytes(overhead.context),
        OverheadPart.GRAPHS: NOTHING if eager else in_bytes(graphs),
    }


def _tokens(record: StepOverheads, batched_tokens: int | None) -> TokenRange:
    """Return the tokens of one step: as asked, else what is usual."""
    if batched_tokens is None:
        return record.batch
    return TokenRange(
        low_tokens=batched_tokens, typical_tokens=batched_tokens, high_tokens=batched_tokens
    )


def _times(tokens: TokenRange, size: BytesRange) -> BytesRange:
    return BytesRange(
        tokens.low_tokens * size.low_bytes,
        tokens.typical_tokens * size.typical_bytes,
        tokens.high_tokens * size.high_bytes,
    )


def _sampler(
    architecture: ArchitectureRecord, record: StepOverheads, batched_tokens: int | None
) -> BytesRange:
    """Return the buffers for logits; llama.cpp keeps those of every token of a step."""
    entry, entries = record.sampler, float(architecture.vocabulary_size)
    if record.sampled_tokens and batched_tokens:
        entries *= batched_tokens / record.sampled_tokens
    return BytesRange(
        round(entry.low_bytes_per_entry * entries),
        round(entry.typical_bytes_per_entry * entries),
        round(entry.high_bytes_per_entry * entries),
    )


def in_bytes(measured: GibRange) -> BytesRange:
    """Return a measured range in bytes."""
    return BytesRange(
        gib_to_bytes(measured.low_gib),
        gib_to_bytes(measured.typical_gib),
        gib_to_bytes(measured.high_gib),
    )
