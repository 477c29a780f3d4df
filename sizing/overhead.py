"""Activations and runtime overhead of one GPU: measured ranges, not a percentage."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.records import GibRange, OverheadRecord
from sizing.subject import Subject
from sizing.units import gib_to_bytes

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


def activations(subject: Subject, overhead: OverheadRecord, *, parallel_gpus: int) -> BytesRange:
    """Return the activation peak of one GPU, bytes.

    It follows the vocabulary, not the parameters: buffers for logits and sampling dominate.
    """
    peak = _logits(subject, overhead).at_least(_in_bytes(overhead.activation_floor))
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


def _logits(subject: Subject, overhead: OverheadRecord) -> BytesRange:
    entry = overhead.activation_per_vocabulary_entry
    vocabulary = subject.architecture.vocabulary_size
    return BytesRange(
        round(entry.low_bytes_per_entry * vocabulary),
        round(entry.typical_bytes_per_entry * vocabulary),
        round(entry.high_bytes_per_entry * vocabulary),
    )


def _in_bytes(measured: GibRange) -> BytesRange:
    return BytesRange(
        gib_to_bytes(measured.low_gib),
        gib_to_bytes(measured.typical_gib),
        gib_to_bytes(measured.high_gib),
    )
