"""What there is to say about a split of one model, whatever the GPU."""

from __future__ import annotations

from sizing.answer import Note, note
from sizing.memory import Load
from sizing.parallelism import (
    Layout,
    legal_layouts,
    padded_vocabulary,
    parted_width,
    splits_experts,
    splits_heads,
    splits_vocabulary,
    undivided_width,
)
from sizing.records import Attention, SplitMode

GPUS_PER_SERVER = 8
"""Accelerators of a full server (HGX, OAM baseboards and 8-slot PCIe servers)."""


def refusals_of_split(layout: Layout, load: Load) -> tuple[Note, ...]:
    """Return why no engine splits the model this way; empty where one does."""
    architecture = load.subject.architecture
    degree = layout.tensor_parallel
    if layout.pipeline_parallel > architecture.layers:
        stages, layers = layout.pipeline_parallel, architecture.layers
        return (note("pipeline_parallel_illegal", pipeline_parallel=stages, layers=layers),)
    if layout.expert_parallel not in (1, layout.expert_ranks):
        return (_experts_elsewhere(layout),)
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


def _experts_elsewhere(layout: Layout) -> Note:
    return note(
        "expert_parallel_illegal",
        expert_parallel=layout.expert_parallel,
        tensor_parallel=layout.tensor_parallel,
        data_parallel=layout.data_parallel,
    )


def _legal(load: Load) -> tuple[str, ...]:
    layouts = legal_layouts(load.cut, load.engine.max_tensor_parallel)
    return tuple(str(layout.tensor_parallel) for layout in layouts)


def advice_on_split(layout: Layout, load: Load) -> tuple[Note, ...]:
    """Return what the split costs, and where engines stop at it."""
    architecture = load.subject.architecture
    degree = layout.tensor_parallel
    notes = []
    if degree > 1 and _keeps_latents(load):
        notes.append(note("latents_replicated", tensor_parallel=degree))
    elif degree > architecture.kv_heads:
        heads = architecture.kv_heads
        notes.append(note("kv_heads_replicated", tensor_parallel=degree, kv_heads=heads))
    notes += _stops_at_start(load, layout)
    notes += _experts_whole(layout)
    if layout.pipeline_parallel > 1 and load.engine.split is SplitMode.TENSOR:
        stages = layout.pipeline_parallel
        notes.append(note("pipeline", pipeline_parallel=stages, tensor_parallel=degree))
    return tuple(notes)


def _keeps_latents(load: Load) -> bool:
    """Return whether the cache has no heads that ranks could share out."""
    return load.subject.architecture.attention in (Attention.MLA, Attention.COMPRESSED)


def _experts_whole(layout: Layout) -> list[Note]:
    """Say that the split keeps experts whole, and copies the attention where it does."""
    if layout.data_parallel > 1:
        copies, ranks = layout.data_parallel, layout.expert_parallel
        return [note("attention_copied", data_parallel=copies, expert_parallel=ranks)]
    if layout.expert_parallel > 1:
        return [note("experts_whole", expert_parallel=layout.expert_parallel)]
    return []


def _stops_at_start(load: Load, layout: Layout) -> list[Note]:
    """Return why engines stop at a degree that divides the heads: one reason is enough."""
    architecture, degree = load.subject.architecture, layout.tensor_parallel
    width = undivided_width(load.cut, layout)
    if width is not None:
        legal = _legal(load)
        return [note("ffn_not_divisible", tensor_parallel=degree, ffn_size=width, legal=legal)]
    parted = parted_width(load.cut, layout)
    if parted is not None:
        return [_parts_scales(load, layout, *parted)]
    if not splits_experts(architecture, layout.expert_parallel):
        return [_experts_left_over(load, layout)]
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


def _parts_scales(load: Load, layout: Layout, width: int, scale_group: int) -> Note:
    return note(
        "scales_parted",
        tensor_parallel=layout.tensor_parallel,
        width=width,
        scale_group=scale_group,
        legal=_legal(load),
    )


def _experts_left_over(load: Load, layout: Layout) -> Note:
    moe = load.subject.architecture.moe
    experts = moe.experts if moe else 0
    return note("experts_not_divisible", expert_parallel=layout.expert_parallel, experts=experts)
