"""What keeping a part of the model in host memory would take, and the speed it leaves at most."""

from __future__ import annotations

from math import ceil

from sizing.answer import Note, Verdict, note
from sizing.host_link import (
    HOST_MEMORY_GB_PER_S,
    MOST_HOST_MEMORY_GB_PER_S,
    link_gb_per_s,
    reads_per_s,
)
from sizing.memory import Load
from sizing.parallelism import layers_on_one_gpu
from sizing.placement import Placement
from sizing.records import TensorGroup
from sizing.units import GIB

LAYERS_FLAG = "-ngl"
"""Option of llama.cpp, whose processor computes the layers that stay outside."""

MEMORY_FLAG = "max_memory"
"""Option of Transformers: what each GPU may hold of the weights, and the host."""

EXPERTS_FLAG = "--n-cpu-moe"
"""The same for the experts of some layers alone."""


def offload(row: Placement, load: Load) -> tuple[Note, ...]:
    """Return how much of the model would have to leave each GPU, and what is then the best speed.

    Empty where the load fits, the engine moves nothing, or more than the weights would have to go.
    """
    if row.gpu.unified_memory:
        return ()
    flag = load.engine.launch.offload_flag if load.engine.launch else None
    if flag is None or row.verdict is not Verdict.DOES_NOT_FIT or _short_bytes(row) <= 0:
        return ()
    if flag != LAYERS_FLAG:
        return _streamed(row, load, flag)
    return _experts_outside(row, load) or _whole_layers(row, load)


def _short_bytes(row: Placement) -> int:
    """Return what the high bound of the need misses, bytes."""
    room_bytes = min(row.budget_bytes, row.gpu.usable_bytes - row.need.outside.high_bytes)
    return row.need.total.high_bytes - room_bytes


def _streamed(row: Placement, load: Load, flag: str) -> tuple[Note, ...]:
    """Return the note for engines that read such weights over their link for every token.

    Stages of a pipeline read one after the other; ranks of tensor parallelism at the same time.
    """
    offload_gib = ceil(_short_bytes(row) / GIB)
    if offload_gib * GIB >= row.need.weights_bytes:
        return ()
    link = link_gb_per_s(row.gpu)
    read_bytes = offload_gib * GIB * _active_share(load) * row.layout.pipeline_parallel
    is_shared_out = flag == MEMORY_FLAG
    return (
        note(
            "offload_streamed",
            flag=_memory_map(row, offload_gib) if is_shared_out else f"{flag} {offload_gib}",
            offload_bytes=offload_gib * GIB,
            link_gb_per_s=round(link) if link else None,
            tokens_per_s=reads_per_s(link, read_bytes) if link else None,
        ),
    )


def _memory_map(row: Placement, offload_gib: int) -> str:
    """Return what each GPU keeps of the weights, and the host, as Transformers takes it.

    Its `device_map="auto"` shares the layers out accordingly.
    """
    gpus = row.layout.gpus_per_replica
    kept_gib = row.need.weights_bytes // GIB - offload_gib
    devices = [f'{gpu}: "{kept_gib}GiB"' for gpu in range(gpus)]
    devices.append(f'"cpu": "{gpus * (offload_gib + 1)}GiB"')
    return f"{MEMORY_FLAG}={{{', '.join(devices)}}}"


def _active_share(load: Load) -> float:
    """Return the share of the weights that a token passes."""
    return min(1.0, load.subject.active_parameters / load.subject.parameters)


def _experts_outside(row: Placement, load: Load) -> tuple[Note, ...]:
    moe = load.subject.architecture.moe
    if moe is None or row.layout.gpus > 1:
        return ()
    experts = sum(each.weights_bytes for each in load.groups if each.group is TensorGroup.EXPERTS)
    of_one_layer = experts / moe.layers
    layers = ceil(_short_bytes(row) / of_one_layer)
    if layers > moe.layers:
        return ()
    read_bytes = layers * of_one_layer * moe.experts_per_token / moe.experts
    return (
        note(
            "offload_experts",
            flag=f"{EXPERTS_FLAG} {layers}",
            layers=layers,
            all_layers=moe.layers,
            offload_bytes=round(layers * of_one_layer),
            memory_gb_per_s=HOST_MEMORY_GB_PER_S,
            tokens_per_s=reads_per_s(HOST_MEMORY_GB_PER_S, read_bytes),
            most_memory_gb_per_s=MOST_HOST_MEMORY_GB_PER_S,
            most_tokens_per_s=reads_per_s(MOST_HOST_MEMORY_GB_PER_S, read_bytes),
        ),
    )


def _whole_layers(row: Placement, load: Load) -> tuple[Note, ...]:
    stages = row.layout.pipeline_parallel
    here = layers_on_one_gpu(load.subject.architecture.layers, stages)
    weights = row.need.weights_bytes / here
    moved = ceil(_short_bytes(row) / (weights + row.need.kv_cache_bytes / here))
    if moved >= here:
        return ()
    outside = min(moved * stages, load.subject.architecture.layers - 1)
    read_bytes = outside * weights * _active_share(load)
    return (
        note(
            "offload_layers",
            flag=f"{LAYERS_FLAG} {load.subject.architecture.layers - outside}",
            layers=outside,
            all_layers=load.subject.architecture.layers,
            offload_bytes=round(outside * weights),
            memory_gb_per_s=HOST_MEMORY_GB_PER_S,
            tokens_per_s=reads_per_s(HOST_MEMORY_GB_PER_S, read_bytes),
            most_memory_gb_per_s=MOST_HOST_MEMORY_GB_PER_S,
            most_tokens_per_s=reads_per_s(MOST_HOST_MEMORY_GB_PER_S, read_bytes),
        ),
    )
