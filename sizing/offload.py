"""What keeping a part of the model in host memory would take, and the speed it leaves at most."""

from __future__ import annotations

from math import ceil

from sizing.answer import Note, Verdict, note
from sizing.memory import Load
from sizing.parallelism import layers_on_one_gpu
from sizing.placement import Placement
from sizing.records import GpuRecord, TensorGroup
from sizing.units import GB, GIB

PCIE_LANE_GB_PER_S = {3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""One lane, one direction, GB/s: 8, 16 and 32 GT/s x 128/130, 64 GT/s x 242/256 (PCI-SIG)."""

HOST_MEMORY_GB_PER_S = 89.6
"""Two channels of DDR5-5600, GB/s: 2 x 5,600 x 10^6 x 8 bytes (JEDEC); servers have more."""

LAYERS_FLAG = "-ngl"
"""Option of llama.cpp, whose processor computes the layers that stay outside."""

CACHE_FLAG = "--no-kv-offload"
"""Option of llama.cpp that keeps the KV cache in host memory."""

EXPERTS_FLAG = "--n-cpu-moe"
"""The same for the experts of some layers alone."""


def offload(row: Placement, load: Load) -> tuple[Note, ...]:
    """Return how much of the model would have to leave each GPU, and what is then the best speed.

    Empty where the load fits, the engine moves nothing, or more than the weights would have to go.
    """
    if row.gpu.unified_memory:
        return ()
    flag = load.engine.launch.offload_flag if load.engine.launch else None
    if flag is None or row.verdict is not Verdict.DOES_NOT_FIT:
        return ()
    return _layers_outside(row, load) if flag == LAYERS_FLAG else _streamed(row, load, flag)


def link_gb_per_s(gpu: GpuRecord) -> float | None:
    """Return what the GPU reads from host memory at most, GB/s; None where its link is unknown."""
    if gpu.host_link_gb_per_s:
        return gpu.host_link_gb_per_s
    if not gpu.pcie_generation or not gpu.pcie_lanes:
        return None
    lane = PCIE_LANE_GB_PER_S.get(gpu.pcie_generation)
    return None if lane is None else lane * gpu.pcie_lanes


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
    return (
        note(
            "offload_streamed",
            flag=f"{flag} {offload_gib}",
            offload_bytes=offload_gib * GIB,
            link_gb_per_s=round(link) if link else None,
            tokens_per_s=_rate(link, read_bytes) if link else None,
        ),
    )


def _active_share(load: Load) -> float:
    """Return the share of the weights that a token passes."""
    return min(1.0, load.subject.active_parameters / load.subject.parameters)


def _layers_outside(row: Placement, load: Load) -> tuple[Note, ...]:
    """Return the notes for llama.cpp: experts, else whole layers; and the cache."""
    weights = _experts_outside(row, load) or _whole_layers(row, load)
    return (*weights, *_cache_outside(row, load))


def _cache_outside(row: Placement, load: Load) -> tuple[Note, ...]:
    """Return the note for a cache in host memory, where all the rest fits.

    The processor then computes the attention and reads the cache of a request for each token.
    """
    room_bytes = min(row.budget_bytes, row.gpu.usable_bytes - row.need.outside.high_bytes)
    if row.need.without_kv_high_bytes > room_bytes or not row.need.kv_cache_bytes:
        return ()
    stages = row.layout.pipeline_parallel
    read_bytes = row.need.request_cache.size_bytes(load.request_tokens) * stages
    return (
        note(
            "cache_in_host",
            flag=CACHE_FLAG,
            cache_bytes=row.need.kv_cache_bytes * stages,
            memory_gb_per_s=HOST_MEMORY_GB_PER_S,
            tokens_per_s=_rate(HOST_MEMORY_GB_PER_S, read_bytes),
        ),
    )


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
            tokens_per_s=_rate(HOST_MEMORY_GB_PER_S, read_bytes),
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
    return (
        note(
            "offload_layers",
            flag=f"{LAYERS_FLAG} {load.subject.architecture.layers - outside}",
            layers=outside,
            all_layers=load.subject.architecture.layers,
            offload_bytes=round(outside * weights),
            memory_gb_per_s=HOST_MEMORY_GB_PER_S,
            tokens_per_s=_rate(HOST_MEMORY_GB_PER_S, outside * weights * _active_share(load)),
        ),
    )


def _rate(gb_per_s: float, read_bytes: float) -> float:
    """Return the most tokens of one request a second where each reads `read_bytes`."""
    return float(f"{gb_per_s * GB / read_bytes:.2g}")
