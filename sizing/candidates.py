"""Candidate sets of GPUs: what was asked, and the smallest set of each kind that fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sizing.answer import Verdict
from sizing.catalogue import Catalogue
from sizing.errors import UnknownGpuError
from sizing.parallelism import Layout
from sizing.placement import (
    GPUS_PER_SERVER,
    Placement,
    Placer,
    layout_of,
)
from sizing.records import GpuRecord, Segment
from sizing.request import GpuChoice, SizingRequest
from sizing.units import ceil_div

MAX_REPLICAS = 64
"""Replicas beyond which a list of GPUs no longer answers the question."""

BUYABLE = frozenset({Segment.DATACENTER, Segment.WORKSTATION, Segment.CONSUMER})
"""Markets whose cards are proposed unasked."""


def chosen_gpu(choice: GpuChoice, catalogue: Catalogue) -> GpuRecord:
    """Return the accelerator of a choice.

    Memory alone stands for the least usable card of that size that CUDA software runs on: what
    holds for it holds for the others. Raise UnknownGpuError where no card has that memory.
    """
    if choice.gpu is not None:
        return catalogue.gpus[choice.gpu]
    alike = [gpu for gpu in catalogue.gpus.values() if gpu.memory_gb == choice.memory_gb]
    if not alike:
        raise UnknownGpuError(word=f"{choice.memory_gb:g} GB")
    least = min(alike, key=_likelihood)
    size = f"{choice.memory_gb:g}"
    return least.model_copy(update={"id": f"any-{size}gb", "name": f"{size} GB"})


def _likelihood(gpu: GpuRecord) -> tuple[bool, bool, bool, int, str]:
    """Return the order in which a card of some memory comes to mind; the least usable first."""
    is_common = gpu.segment in BUYABLE
    has_cuda = gpu.vendor == "NVIDIA"
    return (not has_cuda, not is_common, not gpu.in_production, gpu.usable_mib, gpu.id)


def proposable(request: SizingRequest, catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return the accelerators that may be proposed: the named ones, else all on sale."""
    named = tuple(chosen_gpu(choice, catalogue) for choice in request.gpus)
    return named or on_sale(catalogue)


def on_sale(catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return the cards that can be bought new."""
    return tuple(
        gpu for gpu in catalogue.gpus.values() if gpu.in_production and gpu.segment in BUYABLE
    )


def asked_placements(request: SizingRequest, placer: Placer) -> tuple[Placement, ...]:
    """Return exactly the sets that the question names, in its order."""
    return tuple(
        _asked(choice, request, placer)
        for choice in request.gpus
        if choice.count is not None or request.tensor_parallel is not None
    )


def _asked(choice: GpuChoice, request: SizingRequest, placer: Placer) -> Placement:
    gpu = chosen_gpu(choice, placer.catalogue)
    if request.tensor_parallel or request.pipeline_parallel:
        return placer.place(gpu, _asked_layout(choice.count, request))
    count = choice.count or 1
    whole = placer.place(gpu, layout_of(placer.load, count))
    copies = _server_copies(count, gpu, placer)
    return copies if copies and copies.verdict is Verdict.FITS else whole


def _asked_layout(count: int | None, request: SizingRequest) -> Layout:
    layout = Layout(request.tensor_parallel or 1, request.pipeline_parallel or 1)
    spare = (count or 0) // layout.gpus_per_replica
    return replace(layout, replicas=max(1, spare))


def _server_copies(count: int, gpu: GpuRecord, placer: Placer) -> Placement | None:
    """Return one replica a server, where the GPUs fill several servers."""
    servers, rest = divmod(count, GPUS_PER_SERVER)
    if servers < 2 or rest:
        return None
    layout = layout_of(placer.load, GPUS_PER_SERVER)
    return placer.place(gpu, replace(layout, replicas=servers))


def smallest_fits(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Placement | None:
    """Return the fewest devices of this kind on which even the high bound fits."""
    fitting = (
        placement
        for placement in placements_on(gpu, request, placer)
        if placement.verdict is Verdict.FITS
    )
    return next(fitting, None)


def placements_on(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Iterator[Placement]:
    """Yield candidates on one kind of GPU, fewest devices first: one server, replicas, servers."""
    limit = request.max_gpus or GPUS_PER_SERVER * MAX_REPLICAS
    is_named = any(choice.gpu == gpu.id for choice in request.gpus)
    for placement in _by_size(gpu, request, placer):
        gpus = placement.layout.gpus
        if gpus <= limit and (is_named or _is_buyable(gpu, gpus)):
            yield placement


def _is_buyable(gpu: GpuRecord, gpus: int) -> bool:
    """Return whether a server takes that many of them, on whole boards."""
    most = gpu.most_per_server_gpus
    return gpu.is_sold_as(gpus) and (most is None or gpus <= most)


def _by_size(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Iterator[Placement]:
    """Yield what stands in one server before anything larger is weighed."""
    inside = [placer.place(gpu, layout) for layout in _layouts(request, placer)]
    copies = [copy for row in inside if (copy := _with_replicas(row, placer))]
    rows = sorted([*inside, *copies], key=_devices)
    yield from (row for row in rows if row.layout.gpus <= GPUS_PER_SERVER)
    larger = [row for row in rows if row.layout.gpus > GPUS_PER_SERVER]
    yield from sorted([*larger, *_across_servers(gpu, request, placer)], key=_devices)


def _devices(row: Placement) -> tuple[int, int]:
    return (row.layout.gpus, row.layout.replicas)


def _layouts(request: SizingRequest, placer: Placer) -> Iterable[Layout]:
    if request.tensor_parallel or request.pipeline_parallel:
        return (_asked_layout(None, request),)
    return placer.inside_a_server


def _with_replicas(placement: Placement, placer: Placer) -> Placement | None:
    """Return as many copies as hold all requests, where one copy cannot."""
    load = placer.load
    request_bytes = load.request_tokens * placement.need.kv_bytes_per_token
    held = placement.safe_requests_room_bytes // request_bytes if request_bytes else 0
    if not held or held >= load.concurrent_requests:
        return None
    replicas = ceil_div(load.concurrent_requests, held)
    if replicas > MAX_REPLICAS:
        return None
    return placer.place(placement.gpu, replace(placement.layout, replicas=replicas))


def _across_servers(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Iterator[Placement]:
    """Yield one replica over several servers: needed only where one server cannot hold it."""
    if gpu.segment is not Segment.DATACENTER or request.tensor_parallel:
        return
    for layout in placer.across_servers:
        yield placer.place(gpu, layout)
