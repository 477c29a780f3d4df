"""Splits that are tried unasked, and the usual one of a number of devices."""

from __future__ import annotations

from sizing.memory import Load
from sizing.parallelism import Layout, layout_for_count, legal_layouts
from sizing.records import SplitMode
from sizing.split_notes import GPUS_PER_SERVER


def automatic_layouts(load: Load) -> tuple[Layout, ...]:
    """Return the splits inside one server that an engine starts with, smallest first."""
    if load.engine.split is SplitMode.LAYER:
        layers = load.subject.architecture.layers
        stages = range(1, min(GPUS_PER_SERVER, layers) + 1)
        return tuple(Layout(pipeline_parallel=count) for count in stages)
    limit = load.engine.max_tensor_parallel
    return legal_layouts(load.cut, limit)


def layout_of(load: Load, gpus: int) -> Layout:
    """Return how one replica spreads over exactly `gpus` devices."""
    if load.engine.split is SplitMode.LAYER:
        return Layout(pipeline_parallel=gpus)
    return layout_for_count(load.cut, gpus, load.engine.max_tensor_parallel)
