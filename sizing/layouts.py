"""Splits that are tried unasked, and the usual one of a number of devices."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.memory import Load
from sizing.parallelism import Layout, layout_for_count, legal_layouts, starts_with
from sizing.records import Attention, SplitMode
from sizing.split_notes import GPUS_PER_SERVER

USUAL_COUNTS = (2, 4, 8)
"""GPUs that servers are sold with."""

COPY_ATTENTION = frozenset({"vllm", "sglang"})
"""Engines that copy the attention and share out the experts."""


def automatic_layouts(load: Load) -> tuple[Layout, ...]:
    """Return the splits inside one server that an engine starts with, smallest first."""
    if load.engine.split is SplitMode.LAYER:
        layers = load.subject.architecture.layers
        stages = range(1, min(GPUS_PER_SERVER, layers) + 1)
        return tuple(Layout(pipeline_parallel=count) for count in stages)
    limit = load.engine.max_tensor_parallel
    tensor = legal_layouts(load.cut, limit)
    found = (*tensor, *_in_stages(load, tensor), *copied_attention(load, USUAL_COUNTS))
    return tuple(sorted(found, key=lambda layout: (layout.gpus, layout.data_parallel)))


def _in_stages(load: Load, tensor: tuple[Layout, ...]) -> tuple[Layout, ...]:
    """Return pipelines over the usual counts that tensor parallelism alone does not fill."""
    largest = max(layout.tensor_parallel for layout in tensor)
    counts = (count for count in USUAL_COUNTS if count > largest)
    spread = (layout_of(load, count) for count in counts)
    layers = load.subject.architecture.layers
    return tuple(layout for layout in spread if layout.pipeline_parallel <= layers)


def copied_attention(load: Load, counts: Iterable[int]) -> tuple[Layout, ...]:
    """Return the splits that share out a latent cache, which tensor parallelism would copy."""
    architecture = load.subject.architecture
    latent = architecture.attention in (Attention.MLA, Attention.COMPRESSED)
    if not latent or architecture.moe is None or load.engine.id not in COPY_ATTENTION:
        return ()
    layouts = (Layout(data_parallel=count, expert_parallel=count) for count in counts)
    return tuple(layout for layout in layouts if starts_with(load.cut, layout))


def layout_of(load: Load, gpus: int) -> Layout:
    """Return how one replica spreads over exactly `gpus` devices."""
    if load.engine.split is SplitMode.LAYER:
        return Layout(pipeline_parallel=gpus)
    return layout_for_count(load.cut, gpus, load.engine.max_tensor_parallel)
