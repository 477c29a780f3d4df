"""Order of options: the asked GPUs first, then the smallest, the recommended, and by money."""

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
from sizing.growing import first_that_holds, keeps_up, placements_on
from sizing.host_notes import cache_outside, host_notes
from sizing.marks import Marks, order_key, paid_set
from sizing.nearest import nearest_sets
from sizing.offers import option_of
from sizing.offload import offload
from sizing.ordering import Order, Purse, first_of
from sizing.parallelism import Layout
from sizing.placement import Placement, Placer, max_requests
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.speed.estimating import performance_of
from sizing.speed.wishes import is_judged, keeps_wishes
from sizing.split_notes import GPUS_PER_SERVER
from sizing.throughput.hearing import heard_per_s, hearing_of, hears
from sizing.uneven import uneven_placements
from sizing.units import ceil_div

ROOM_FOR_REQUESTS = 4
"""Requests of the default load that a set for a team should hold."""


def rank(request: SizingRequest, placer: Placer) -> tuple[Option, ...]:
    """Return the options of an answer, best first, at most ten."""
    asked = _named(request, placer)
    if asked and all(row.unsupported for row in asked):
        request = without_split(request)
    gpus = _proposed(request, placer)
    fitting = _smallest_of_each(gpus, request, placer)
    is_elsewhere = bool(request.gpus) and not fitting
    of_kind = bool(request.gpus) and not is_elsewhere
    if is_elsewhere:
        gpus = _running(on_sale(placer.catalogue), placer)
        fitting = _smallest_of_each(gpus, request, placer)
    order = _order(request, placer)
    recommended = order.keeping(_recommended(gpus, request, placer, order))
    safe = [row for row in asked if row.starts and row.verdict is Verdict.FITS]
    smallest = order.by_size([*safe, *fitting])[:1]
    others = _elsewhere(request, placer) if of_kind else []
    kept = order.keeping([*safe, *fitting, *others])
    cheapest = order.cheapest(kept)
    before = _in_place_of_named(asked, request, placer, order) if is_elsewhere else []
    nearest = [] if kept else _nearest_of_all(gpus, request, placer)
    listed = order.listed([*smallest, *recommended], fitting)
    named, unnamed = _named_first(nearest, request) if of_kind else (nearest, [])
    rows = [*asked, *before, *named, *listed, *unnamed, *order.by_money(others)]
    holding = [row for row in rows if _holds_load(row, placer)]
    marks = Marks(
        asked=_as_counted(asked, request),
        smallest=order.keeping(smallest),
        recommended=recommended,
        cheapest=cheapest,
        nearest=nearest[:1],
        unjudged=order.unjudged(holding),
        too_slow=order.breaking(holding),
        of_kind=of_kind,
    )
    unique = first_of(rows, (*asked, *before, *nearest, *smallest, *recommended, *cheapest))
    out = _ways_out(unique[0], request, placer) if unique else ()
    return tuple(
        _shown(row, marks.of(row, placer, order) + (out if row is unique[0] else ()), placer)
        for row in unique
    )


def _nearest_of_all(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> list[Placement]:
    """Return what misses the wishes by least: of these kinds, or of all where none has a speed."""
    found = nearest_sets(gpus, request, placer)
    if found or not request.gpus:
        return found
    return nearest_sets(_running(on_sale(placer.catalogue), placer), request, placer)


def _named_first(
    nearest: list[Placement], request: SizingRequest
) -> tuple[list[Placement], list[Placement]]:
    """Return the sets of kinds that the question names, and those of others."""
    kinds = {choice.gpu for choice in request.gpus}
    named = [row for row in nearest if row.gpu.id in kinds]
    return named, [row for row in nearest if row not in named]


def _holds_load(row: Placement, placer: Placer) -> bool:
    return row.starts and max_requests(row, placer.load) >= placer.load.concurrent_requests


def _order(request: SizingRequest, placer: Placer) -> Order[Placement]:
    """Return what the sets of a question are put in order by."""

    def wishes(row: Placement) -> int:
        """Return 0 where typical figures keep wishes and rate, 1 where none is known, 2 if not."""
        is_kept = keeps_wishes(row, placer)
        if is_kept is None and not _is_judged(row, placer):
            return 1
        return 2 if is_kept is False or not keeps_up(row, placer) else 0

    return Order(
        Purse(request, placer.catalogue),
        paid=paid_set,
        size=order_key,
        wishes=wishes,
    )


def _is_judged(row: Placement, placer: Placer) -> bool:
    """Return whether the wishes and the rate, where there are any, can be held against a speed.

    Of what is heard only the rate is: the wishes are about tokens as they are written.
    """
    if not hears(placer.load):
        return is_judged(row, placer)
    return placer.load.requests_per_s is None or bool(heard_per_s(row, placer))


def first_choice(request: SizingRequest, placer: Placer) -> Placement | None:
    """Return the set that an answer would be about, where it holds the load or was named."""
    asked = _named(request, placer)
    if asked:
        return asked[0]
    fitting = _smallest_of_each(_proposed(request, placer), request, placer)
    order = _order(request, placer)
    return next(iter(order.listed(order.by_size(fitting)[:1], fitting)), None)


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


def _smallest_of_each(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> list[Placement]:
    requests = placer.load.concurrent_requests
    found = (first_that_holds(gpu, request, placer, requests) for gpu in gpus)
    return [row for row in found if row]


def _elsewhere(request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return the smallest set of each card on sale."""
    return _smallest_of_each(_running(on_sale(placer.catalogue), placer), request, placer)


def _recommended(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer, order: Order[Placement]
) -> list[Placement]:
    """Return the first set with room to grow, of data-centre cards unless others were named.

    None where it is host memory that nobody named which holds the requests.
    """
    if placer.load.fills_unnamed_memory:
        return []
    wanted = _wanted_requests(request)
    suited = [gpu for gpu in gpus if request.gpus or gpu.segment is Segment.DATACENTER]
    rows = (first_that_holds(gpu, request, placer, wanted) for gpu in suited)
    return order.as_asked(row for row in rows if row)[:1]


def _in_place_of_named(
    asked: Iterable[Placement], request: SizingRequest, placer: Placer, order: Order[Placement]
) -> list[Placement]:
    """Return what stands before other cards where no named one fits: why, and a larger slice."""
    larger = _smallest_of_each(larger_slices(request, placer.catalogue), request, placer)
    tried = [] if asked else _nearest_tried(request, placer)
    return [*tried, *order.by_size(larger)[:1]]


def _wanted_requests(request: SizingRequest) -> int:
    """Return the requests to hold: a quarter more than asked, or a team's where none were."""
    if request.concurrent_requests is None:
        return ROOM_FOR_REQUESTS
    return ceil_div(request.concurrent_requests * 5, 4)


def _nearest_tried(request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return a set of each named kind that shows why none fits, or that misses wishes by least."""
    return [
        row
        for gpu in proposable(request, placer.catalogue)
        for row in nearest_sets([gpu], request, placer) or [_nearest(gpu, request, placer)]
    ]


def _nearest(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Placement:
    """Return the smallest tight set of one server, else the largest; one GPU where none runs."""
    if not placer.runs_on(gpu):
        return placer.place(gpu, Layout())
    requests = placer.load.concurrent_requests
    rows = list(placements_on(gpu, request, placer, requests))
    inside = [row for row in rows if row.layout.gpus <= GPUS_PER_SERVER]
    tight = [row for row in inside if row.verdict is Verdict.TIGHT]
    return next(iter(tight or reversed(inside)), placer.place(gpu, Layout()))
