"""Candidate sets of GPUs: what was asked, and the smallest set of each kind that fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sizing.answer import Verdict
from sizing.catalogue import Catalogue
from sizing.parallelism import Layout
from sizing.placement import (
    GPUS_PER_SERVER,
    Placement,
    Placer,
    automatic_layouts,
    layout_of,
)
from sizing.records import GpuRecord, Segment
from sizing.request import GpuChoice, SizingRequest
from sizing.units import ceil_div

MAX_SERVERS = 8
"""Servers a single replica may span before the answer is to choose another accelerator."""

MAX_REPLICAS = 64
"""Replicas beyond which a list of GPUs no longer answers the question."""

BUYABLE = frozenset({Segment.DATACENTER, Segment.WORKSTATION, Segment.CONSUMER})
"""Markets whose cards are proposed unasked."""


def chosen_gpu(choice: GpuChoice, catalogue: Catalogue) -> GpuRecord:
    """Return the accelerator of a choice; memory alone stands for its least usable card."""
    if choice.gpu is not None:
        return catalogue.gpus[choice.gpu]
    alike = [gpu for gpu in catalogue.gpus.values() if gpu.memory_gb == choice.memory_gb]
    least = min(alike, key=lambda gpu: (not gpu.in_production, gpu.usable_mib, gpu.id))
    size = f"{choice.memory_gb:g}"
    return least.model_copy(update={"id": f"any-{size}gb", "name": f"{size} GB"})


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
    inside = [placer.place(gpu, layout) for layout in _layouts(request, placer)]
    copies = (_with_replicas(placement, placer) for placement in inside)
    rows = [*inside, *(copy for copy in copies if copy), *_across_servers(gpu, request, placer)]
    limit = request.max_gpus or GPUS_PER_SERVER * MAX_REPLICAS
    is_named = any(choice.gpu == gpu.id for choice in request.gpus)
    for placement in sorted(rows, key=lambda row: (row.layout.gpus, row.layout.replicas)):
        gpus = placement.layout.gpus
        if gpus <= limit and (is_named or gpu.is_sold_as(gpus)):
            yield placement


def _layouts(request: SizingRequest, placer: Placer) -> Iterable[Layout]:
    if request.tensor_parallel or request.pipeline_parallel:
        return (_asked_layout(None, request),)
    return automatic_layouts(placer.load)


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
    for servers in range(2, MAX_SERVERS + 1):
        yield placer.place(gpu, layout_of(placer.load, servers * GPUS_PER_SERVER))
