"""Order of options: the asked GPUs first, then the smallest, the recommended, and the rest."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import Note, Option, Verdict, note
from sizing.candidates import (
    asked_layout,
    asked_placements,
    in_production,
    larger_slices,
    names_split,
    on_sale,
    proposable,
    without_split,
)
from sizing.fixes import fixes
from sizing.growing import first_that_holds, placements_on
from sizing.host_notes import cache_outside, host_notes
from sizing.offers import option_of
from sizing.offload import offload
from sizing.parallelism import Layout
from sizing.placement import Placement, Placer, max_requests
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.speed.estimating import performance_of
from sizing.speed.wishes import is_judged
from sizing.split_notes import GPUS_PER_SERVER
from sizing.throughput.hearing import hearing_of, hears
from sizing.uneven import uneven_placements
from sizing.units import ceil_div

MOST_OPTIONS = 10
"""Options of one answer."""

ROOM_FOR_REQUESTS = 4
"""Requests of the default load that a set for a team should hold."""


def rank(request: SizingRequest, placer: Placer) -> tuple[Option, ...]:
    """Return the options of an answer, best first, at most ten."""
    asked = _named(request, placer)
    if asked and all(row.unsupported for row in asked):
        request = without_split(request)
    gpus = _proposed(request, placer)
    fitting = _smallest_of_each(gpus, request, placer)
    is_elsewhere = not fitting and bool(request.gpus)
    if is_elsewhere:
        gpus = _running(on_sale(placer.catalogue), placer)
        fitting = _smallest_of_each(gpus, request, placer)
    recommended = _recommended(gpus, request, placer)
    smallest = _smallest(asked, fitting, placer)
    larger = _larger_slice(request, placer) if is_elsewhere else []
    chosen = [*asked, *larger, *smallest, *recommended, *fitting]
    if is_elsewhere and not asked:
        chosen = [*_nearest_tried(request, placer), *chosen]
    elif request.gpus and not is_elsewhere:
        chosen += _smallest_of_each(_running(on_sale(placer.catalogue), placer), request, placer)
    unique = list({row.key: row for row in chosen}.values())
    of_kind = bool(request.gpus) and not is_elsewhere
    counted = _as_counted(asked, request)
    marks = _Marks(counted, smallest, recommended, placer, of_kind=of_kind)
    out = _ways_out(unique[0], request, placer) if unique else ()
    return tuple(
        _shown(row, marks.reasons(row) + (out if row is unique[0] else ()), placer)
        for row in unique[:MOST_OPTIONS]
    )


def first_choice(request: SizingRequest, placer: Placer) -> Placement | None:
    """Return the set that an answer would be about, where it holds the load or was named."""
    asked = _named(request, placer)
    if asked:
        return asked[0]
    fitting = _smallest_of_each(_proposed(request, placer), request, placer)
    return fitting[0] if fitting else None


def _named(request: SizingRequest, placer: Placer) -> tuple[Placement, ...]:
    """Return the sets that the question names, in its order."""
    asked = asked_placements(request, placer) or _illegal_split(request, placer)
    return (*uneven_placements(request, placer), *asked)


def _proposed(request: SizingRequest, placer: Placer) -> list[GpuRecord]:
    """Return the accelerators to choose from: named, or on sale, or any that can be had new."""
    gpus = _running(proposable(request, placer.catalogue), placer)
    if gpus or request.gpus:
        return gpus
    return _running(in_production(placer.catalogue), placer)


def _shown(row: Placement, reasons: tuple[Note, ...], placer: Placer) -> Option:
    """Return the full record of a candidate with its speed, or why none is named."""
    load, precision, catalogue = placer.load, placer.precision, placer.catalogue
    if hears(load):
        speed, why = hearing_of(row, load, precision, catalogue.throughput)
    else:
        speed, why = performance_of(row, load, precision, catalogue)
    return option_of(row, placer.load, reasons + why, speed)


def _ways_out(row: Placement, request: SizingRequest, placer: Placer) -> tuple[Note, ...]:
    """Return what to change where the first set does not fit, or only just."""
    in_host = host_notes(row, placer)
    if row.shares:
        return in_host
    moved = (*offload(row, placer.load), *cache_outside(row, placer.load))
    return (*fixes(row, placer, request.max_gpus), *moved, *in_host)


def _illegal_split(request: SizingRequest, placer: Placer) -> tuple[Placement, ...]:
    """Return where an asked split fails on any GPU, on the largest that runs the model."""
    if not names_split(request) or request.gpus:
        return ()
    gpus = sorted(_running(on_sale(placer.catalogue), placer), key=_by_memory)
    row = placer.place(gpus[-1], asked_layout(None, request, placer)) if gpus else None
    return (row,) if row and row.unsupported else ()


def _by_memory(gpu: GpuRecord) -> tuple[int, str]:
    return (gpu.usable_mib, gpu.id)


def _running(gpus: Iterable[GpuRecord], placer: Placer) -> list[GpuRecord]:
    return [gpu for gpu in gpus if placer.runs_on(gpu)]


def _smallest(
    asked: Iterable[Placement], fitting: Iterable[Placement], placer: Placer
) -> list[Placement]:
    """Return the smallest set that fits; an asked one may use a split never proposed."""
    rows = [row for row in asked if row.starts and row.verdict is Verdict.FITS]
    return _in_order([*rows, *fitting], placer)[:1]


def _in_order(rows: Iterable[Placement | None], placer: Placer) -> list[Placement]:
    """Return the sets in order; those whose speed is not known cannot keep a wish about it."""
    found = [row for row in rows if row]
    return sorted(found, key=lambda row: (not is_judged(row, placer), order_key(row)))


def _as_counted(asked: Iterable[Placement], request: SizingRequest) -> list[Placement]:
    """Return the asked sets whose size is the one named: a split may need another."""
    if request.mixed_gpus:
        return [row for row in asked if row.shares]
    counts = {choice.count for choice in request.gpus}
    return [row for row in asked if counts & {row.layout.gpus, None}]


def rank_by_weights(request: SizingRequest, placer: Placer) -> tuple[Option, ...]:
    """Return the asked sets that cannot run whatever the unknown KV cache takes.

    Where the architecture is not supported this is all that is certain: a format the GPU
    refuses, or weights alone beyond the budget.
    """
    return tuple(
        option_of(row, placer.load, (note("asked"), *_weights_note(row)))
        for row in asked_placements(request, placer)
        if row.unsupported or row.need.weights_bytes > row.budget_bytes
    )


def _weights_note(row: Placement) -> tuple[Note, ...]:
    if row.unsupported:
        return ()
    weights_bytes, budget_bytes = row.need.weights_bytes, row.budget_bytes
    return (note("weights_alone_exceed", weights_bytes=weights_bytes, budget_bytes=budget_bytes),)


def order_key(placement: Placement) -> tuple[int, float, bool, float, str]:
    """Return the order where prices are unknown: fewer GPUs, less memory, fewer watts, id.

    Of cards of one size, those whose usable memory was measured go before estimates.
    """
    gpu, gpus = placement.gpu, placement.layout.gpus
    power_w = gpu.board_power_w if gpu.board_power_w is not None else float("inf")
    is_estimate = not gpu.usable_is_measured
    return (gpus, gpu.memory_gb * gpus, is_estimate, power_w * gpus, gpu.id)


class _Marks:
    """Says of each placement why it stands where it does."""

    def __init__(
        self,
        asked: Iterable[Placement],
        smallest: Iterable[Placement],
        recommended: Iterable[Placement],
        placer: Placer,
        *,
        of_kind: bool,
    ) -> None:
        self._asked = {row.key for row in asked}
        self._smallest = {row.key for row in smallest}
        self._recommended = {row.key for row in recommended}
        self._placer = placer
        self._of_kind = of_kind

    def reasons(self, row: Placement) -> tuple[Note, ...]:
        """Return the marks of one placement."""
        notes = []
        if row.key in self._asked:
            notes.append(note("asked"))
        if row.key in self._smallest:
            notes.append(note("smallest", of_kind=self._of_kind))
        if row.key in self._recommended:
            notes.append(self._recommendation(row))
        return (*notes, *_verdict_note(row))

    def _recommendation(self, row: Placement) -> Note:
        requests = max_requests(row, self._placer.load)
        context = self._placer.load.context_tokens
        return note("recommended", room_for_requests=requests, context_tokens=context)


def _verdict_note(row: Placement) -> tuple[Note, ...]:
    """Return by how much the need misses the budget, where it does."""
    total, budget = row.need.total, row.budget_bytes
    if row.verdict is Verdict.DOES_NOT_FIT:
        return _short(row)
    if row.verdict is Verdict.TIGHT and total.high_bytes <= budget:
        left_bytes, outside_bytes = row.gpu.usable_bytes - budget, row.need.outside.high_bytes
        return (note("little_beside", left_bytes=left_bytes, outside_bytes=outside_bytes),)
    if row.verdict is Verdict.TIGHT:
        return (note("little_to_spare", short_bytes=total.high_bytes - budget),)
    return ()


def _short(row: Placement) -> tuple[Note, ...]:
    """Return what is missing, on each GPU or in host memory."""
    host, short_bytes = row.need.host, row.need.total.typical_bytes - row.budget_bytes
    if host is None or host.holds:
        return (note("short", short_bytes=short_bytes),)
    copies = row.layout.replicas
    in_host = note(
        "host_cache_short",
        cache_bytes=host.cache_bytes * copies,
        room_bytes=host.pool_bytes * copies,
    )
    return (note("short", short_bytes=short_bytes), in_host) if short_bytes > 0 else (in_host,)


def _smallest_of_each(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> list[Placement]:
    requests = placer.load.concurrent_requests
    return _in_order((first_that_holds(gpu, request, placer, requests) for gpu in gpus), placer)


def _recommended(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> list[Placement]:
    """Return the smallest set with room to grow, of data-centre cards unless others were named.

    None where it is host memory that nobody named which holds the requests.
    """
    if placer.load.fills_unnamed_memory:
        return []
    wanted = _wanted_requests(request)
    suited = [gpu for gpu in gpus if request.gpus or gpu.segment is Segment.DATACENTER]
    rows = (first_that_holds(gpu, request, placer, wanted) for gpu in suited)
    return _in_order(rows, placer)[:1]


def _larger_slice(request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return the smallest slice of the same card that holds what the named slice does not."""
    return _smallest_of_each(larger_slices(request, placer.catalogue), request, placer)[:1]


def _wanted_requests(request: SizingRequest) -> int:
    """Return the requests to hold: a quarter more than asked, or a team's where none were."""
    if request.concurrent_requests is None:
        return ROOM_FOR_REQUESTS
    return ceil_div(request.concurrent_requests * 5, 4)


def _nearest_tried(request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return a set of each named kind that shows why none fits."""
    gpus = proposable(request, placer.catalogue)
    return [_nearest(gpu, request, placer) for gpu in gpus]


def _nearest(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Placement:
    """Return the smallest tight set of one server, else the largest; one GPU where none runs."""
    if not placer.runs_on(gpu):
        return placer.place(gpu, Layout())
    requests = placer.load.concurrent_requests
    rows = list(placements_on(gpu, request, placer, requests))
    inside = [row for row in rows if row.layout.gpus <= GPUS_PER_SERVER]
    tight = [row for row in inside if row.verdict is Verdict.TIGHT]
    return next(iter(tight or reversed(inside)), placer.place(gpu, Layout()))
