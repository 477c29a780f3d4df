"""What there is to say about a split of one model, whatever the GPU."""

from __future__ import annotations

from sizing.answer import Note, note
from sizing.memory import Load
from sizing.parallelism import (
    Layout,
    ffn_widths,
    legal_tensor_parallel,
    padded_vocabulary,
    splits_ffn,
    splits_heads,
    splits_vocabulary,
)
from sizing.records import SplitMode

GPUS_PER_SERVER = 8
"""Accelerators of a full server (HGX, OAM baseboards and 8-slot PCIe servers)."""


def refusals_of_split(layout: Layout, load: Load) -> tuple[Note, ...]:
    """Return why no engine splits the model this way; empty where one does."""
    architecture = load.subject.architecture
    degree = layout.tensor_parallel
    if layout.pipeline_parallel > architecture.layers:
        stages, layers = layout.pipeline_parallel, architecture.layers
        return (note("pipeline_parallel_illegal", pipeline_parallel=stages, layers=layers),)
    if splits_heads(architecture, degree):
        return ()
    return (
        note(
            "tensor_parallel_illegal",
            tensor_parallel=degree,
            heads=architecture.heads,
            kv_heads=architecture.kv_heads,
            legal=_legal(load),
        ),
    )


def _legal(load: Load) -> tuple[str, ...]:
    degrees = legal_tensor_parallel(load.subject.architecture, load.engine.max_tensor_parallel)
    return tuple(str(degree) for degree in degrees)


def advice_on_split(layout: Layout, load: Load) -> tuple[Note, ...]:
    """Return what the split costs, and where engines stop at it."""
    architecture = load.subject.architecture
    degree = layout.tensor_parallel
    notes = []
    if degree > architecture.kv_heads:
        heads = architecture.kv_heads
        notes.append(note("kv_heads_replicated", tensor_parallel=degree, kv_heads=heads))
    notes += _stops_at_start(load, degree)
    if degree > GPUS_PER_SERVER:
        notes.append(note("tensor_parallel_across_servers", tensor_parallel=degree))
    if layout.pipeline_parallel > 1 and load.engine.split is SplitMode.TENSOR:
        stages = layout.pipeline_parallel
        notes.append(note("pipeline", pipeline_parallel=stages, tensor_parallel=degree))
    return tuple(notes)


def _stops_at_start(load: Load, degree: int) -> list[Note]:
    """Return why engines stop at a degree that divides the heads: one reason is enough."""
    architecture = load.subject.architecture
    if not splits_ffn(architecture, degree):
        width, legal = _undivided_width(load, degree), _legal(load)
        return [note("ffn_not_divisible", tensor_parallel=degree, ffn_size=width, legal=legal)]
    if splits_vocabulary(architecture, degree):
        return []
    return [
        note(
            "vocabulary_not_divisible",
            tensor_parallel=degree,
            vocabulary_size=padded_vocabulary(architecture),
            legal=_legal(load),
        )
    ]


def _undivided_width(load: Load, tensor_parallel: int) -> int:
    widths = ffn_widths(load.subject.architecture)
    return next(width for width in widths if width % tensor_parallel)
