"""Sets of one kind of GPU, fewest devices first: one server, copies of it, several servers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from math import ceil

from sizing.answer import Verdict
from sizing.candidates import CLUSTERED, asked_layout, names_split
from sizing.defaults import LARGEST_USE
from sizing.parallelism import Layout
from sizing.placement import Placement, Placer, max_requests
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.slices import GpuSlice
from sizing.speed.wishes import rate_in_time, requests_in_time
from sizing.split_notes import GPUS_PER_SERVER
from sizing.throughput.hearing import heard_per_s, hears
from sizing.units import ceil_div

MAX_REPLICAS = 64
"""Replicas beyond which a list of GPUs no longer answers the question."""

COMPUTERS = frozenset({Segment.DESKTOP_SOC, Segment.EDGE})
"""Markets whose accelerator is a computer of its own."""


def first_that_holds(
    gpu: GpuRecord, request: SizingRequest, placer: Placer, requests: int
) -> Placement | None:
    """Return the fewest devices of this kind that hold `requests`, the high bound included."""
    rows = placements_on(gpu, request, placer, requests)
    return next((row for row in rows if _holds(row, placer, requests)), None)


def _holds(row: Placement, placer: Placer, requests: int) -> bool:
    if not row.starts or row.verdict is not Verdict.FITS:
        return False
    return _requests_served(row, placer) >= requests and keeps_up(row, placer)


def keeps_up(row: Placement, placer: Placer) -> bool:
    """Return whether all copies answer as many requests as arrive, where that is told."""
    return _copies_for_rate(row, placer) <= row.layout.replicas


def _copies_for_rate(row: Placement, placer: Placer) -> int:
    """Return the copies that answer what arrives; none where no rate is told, or no speed known."""
    arriving = placer.load.requests_per_s
    if arriving is None:
        return 0
    answered = _used_of_heard(row, placer) if hears(placer.load) else rate_in_time(row, placer)
    if answered is None:
        return 0
    return ceil(arriving / answered) if answered else MAX_REPLICAS + 1


def _used_of_heard(row: Placement, placer: Placer) -> float | None:
    """Return what one copy hears each second with room for uneven arrivals."""
    heard = heard_per_s(row, placer)
    return None if heard is None else LARGEST_USE * heard


def _requests_served(row: Placement, placer: Placer) -> int:
    """Return the requests that all copies hold, and answer inside the limits where some are set."""
    held = max_requests(row, placer.load)
    in_time = requests_in_time(row, placer)
    return held if in_time is None else min(held, in_time * row.layout.replicas)


def placements_on(
    gpu: GpuRecord, request: SizingRequest, placer: Placer, requests: int
) -> Iterator[Placement]:
    """Yield candidates on one kind of GPU, fewest devices first: one server, copies, servers."""
    limit = request.max_gpus or GPUS_PER_SERVER * MAX_REPLICAS
    is_named = _is_named(gpu, request)
    for placement in _by_size(gpu, request, placer, requests):
        gpus = placement.layout.gpus
        if not _joins(gpu, placement.layout):
            continue
        if gpus <= limit and (is_named or is_buyable(gpu, gpus)):
            yield placement


def _is_named(gpu: GpuRecord, request: SizingRequest) -> bool:
    return any(choice.gpu == gpu.id for choice in request.gpus)


def _joins(gpu: GpuRecord, layout: Layout) -> bool:
    """Return whether one copy stays inside a computer that is sold whole, or a link between two."""
    if gpu.segment not in COMPUTERS:
        return True
    return layout.gpus_per_replica <= max(gpu.most_per_server_gpus or 1, gpu.link_max_gpus or 1)


def is_buyable(gpu: GpuRecord, gpus: int) -> bool:
    """Return whether a server takes that many of them, on whole boards."""
    most = gpu.most_per_server_gpus
    return gpu.is_sold_as(gpus) and (most is None or gpus <= most)


def _by_size(
    gpu: GpuRecord, request: SizingRequest, placer: Placer, requests: int
) -> Iterator[Placement]:
    """Yield what stands in one server before anything larger is weighed.

    One copy over several servers is weighed only where no server holds a single request, not
    even at the typical need.
    """
    copies: list[Placement] = []
    holds_any, is_named = False, _is_named(gpu, request)
    for layout in _layouts(gpu, request, placer):
        row = placer.place(gpu, layout)
        yield from _taken_below(copies, _devices(row))
        yield row
        held = _requests_held(row, placer)
        holds_any = holds_any or held > 0 or row.requests_held(placer.load.request_tokens) > 0
        copies += _with_replicas(row, placer, requests, held=held, is_named=is_named)
    if holds_any:
        yield from sorted(copies, key=_devices)
        return
    larger = _across_servers(gpu, request, placer)
    for row in larger:
        held = _requests_held(row, placer)
        copies += _with_replicas(row, placer, requests, held=held, is_named=is_named)
    yield from sorted([*larger, *copies], key=_devices)


def _taken_below(copies: list[Placement], limit: tuple[int, int]) -> list[Placement]:
    """Take the copies of fewer devices out of the list, fewest first."""
    below = sorted((row for row in copies if _devices(row) < limit), key=_devices)
    if below:
        copies[:] = [row for row in copies if _devices(row) >= limit]
    return below


def _devices(row: Placement) -> tuple[int, int]:
    return _layout_devices(row.layout)


def _layout_devices(layout: Layout) -> tuple[int, int]:
    return (layout.gpus, layout.pipeline_parallel)


def _layouts(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Iterable[Layout]:
    """Return the splits inside a server, fewest devices first.

    Where the asker named one, only those that keep to it.
    """
    stages = request.pipeline_parallel or 1
    if request.tensor_parallel or request.expert_parallel or request.data_parallel:
        return (replace(asked_layout(None, request, placer), replicas=1),)
    if request.pipeline_parallel:
        return tuple(replace(layout, pipeline_parallel=stages) for layout in _tensor_only(placer))
    if isinstance(gpu, GpuSlice):
        return (Layout(),)
    return placer.inside_a_server


def _tensor_only(placer: Placer) -> Iterable[Layout]:
    return (
        layout
        for layout in placer.inside_a_server
        if layout.pipeline_parallel == layout.data_parallel == 1
    )


def _requests_held(row: Placement, placer: Placer) -> int:
    """Return the requests one copy holds at the high bound of all overheads, inside the limits."""
    held = row.requests_held(placer.load.request_tokens, safe=True)
    in_time = requests_in_time(row, placer) if held else None
    return held if in_time is None else min(held, in_time)


def _with_replicas(
    row: Placement, placer: Placer, requests: int, *, held: int, is_named: bool
) -> tuple[Placement, ...]:
    """Return as many copies as hold `requests`, where one copy, which holds `held`, cannot.

    As many more as fill whole boards, unless the kind was named.
    """
    if not held:
        return ()
    least = max(ceil_div(requests, held), _copies_for_rate(row, placer))
    if least <= 1:
        return ()
    layouts = (replace(row.layout, replicas=count) for count in range(least, MAX_REPLICAS + 1))
    whole = (layout for layout in layouts if is_named or row.gpu.is_sold_as(layout.gpus))
    return tuple(placer.place(row.gpu, layout) for layout in islice(whole, 1))


def _across_servers(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return one copy over several servers."""
    if isinstance(gpu, GpuSlice) or gpu.segment not in CLUSTERED or names_split(request):
        return []
    return [placer.place(gpu, layout) for layout in placer.across_servers]
