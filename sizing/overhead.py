"""Activations and runtime overhead of one GPU: measured ranges, not a percentage."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.records import FactorRange, GibRange, OverheadRecord
from sizing.subject import Subject
from sizing.units import ceil_div, gib_to_bytes

ACTIVATION_BYTES = 2
"""Activations are 16-bit numbers."""

MOE_PARALLEL_GPUS = range(2, 5)
"""GPU counts at which a mixture of experts was measured to need larger activations."""


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
    """One step of the engine where its size was asked for."""

    tokens: int
    """Most tokens of it."""

    tensor_parallel: int = 1
    """GPUs that share the FFN."""


def activations(
    subject: Subject, overhead: OverheadRecord, *, parallel_gpus: int, step: Step | None = None
) -> BytesRange:
    """Return the activation peak of one GPU, bytes.

    It follows the vocabulary, not the parameters: buffers for logits and sampling dominate, until
    a step of many tokens needs more for its layers.
    """
    logits = _logits(subject, overhead, step)
    peak = logits.at_least(_in_bytes(overhead.activation_floor))
    if step and overhead.step_factors:
        peak = peak.at_least(_layer_buffers(subject, overhead.step_factors, step))
    if subject.architecture.moe and parallel_gpus in MOE_PARALLEL_GPUS:
        peak = peak.at_least(_in_bytes(overhead.activation_moe_parallel))
    if subject.is_multimodal:
        peak += _in_bytes(overhead.activation_multimodal)
    return peak


def runtime(overhead: OverheadRecord, *, parallel_gpus: int, eager: bool) -> BytesRange:
    """Return driver context, communication buffers and CUDA graphs of one GPU, bytes."""
    alone = parallel_gpus == 1
    buffers = overhead.communication_single if alone else overhead.communication_parallel
    graphs = overhead.graphs_single if alone else overhead.graphs_parallel
    return (
        _in_bytes(overhead.context) + _in_bytes(buffers) + (NOTHING if eager else _in_bytes(graphs))
    )


def _logits(subject: Subject, overhead: OverheadRecord, step: Step | None) -> BytesRange:
    """Return the buffers for logits; llama.cpp keeps those of every token of a step."""
    entry = overhead.activation_per_vocabulary_entry
    entries: float = subject.architecture.vocabulary_size
    if step and overhead.vocabulary_step_tokens:
        entries *= step.tokens / overhead.vocabulary_step_tokens
    return BytesRange(
        round(entry.low_bytes_per_entry * entries),
        round(entry.typical_bytes_per_entry * entries),
        round(entry.high_bytes_per_entry * entries),
    )


def _layer_buffers(subject: Subject, factors: FactorRange, step: Step) -> BytesRange:
    """Return what the layer at work keeps of every token of a step, in 16 bits.

    Gate, up and their product, each of the FFN's width on this GPU; residual, normalised input and
    output, each of the hidden size; of experts, one output more for each that a token passes.
    """
    shape = subject.architecture
    width, outputs = shape.ffn_size, 0
    if shape.moe:
        width = shape.moe.experts_per_token * shape.moe.expert_ffn_size + shape.moe.shared_ffn_size
        outputs = shape.moe.experts_per_token * shape.hidden_size
    numbers = 3 * ceil_div(width, step.tensor_parallel) + 3 * shape.hidden_size + outputs
    buffers = step.tokens * numbers * ACTIVATION_BYTES
    return BytesRange(
        round(buffers * factors.low),
        round(buffers * factors.typical),
        round(buffers * factors.high),
    )


def _in_bytes(measured: GibRange) -> BytesRange:
    return BytesRange(
        gib_to_bytes(measured.low_gib),
        gib_to_bytes(measured.typical_gib),
        gib_to_bytes(measured.high_gib),
    )
