"""Order of options: the asked GPUs first, then the smallest, the recommended, and by money."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import Note, Option, Verdict, note
from sizing.candidates import chosen_gpu, on_sale, proposable
from sizing.growing import MAX_REPLICAS, is_buyable
from sizing.ordering import Order, PaidSet, Purse, Size, first_of
from sizing.passes.placing import PassPlacement, PassPlacer, option_of
from sizing.ranking import ROOM_FOR_REQUESTS
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.split_notes import GPUS_PER_SERVER
from sizing.units import ceil_div


def rank_passes(request: SizingRequest, placer: PassPlacer) -> tuple[Option, ...]:
    """Return the options of an answer, best first, at most ten."""
    asked = _asked(request, placer)
    named = _smallest_of_each(proposable(request, placer.catalogue), request, placer)
    others = _smallest_of_each(on_sale(placer.catalogue), request, placer)
    fitting, is_of_kind = named or others, bool(request.gpus and named)
    order = Order(Purse(request, placer.catalogue), paid=_paid, size=_size)
    safe = [row for row in asked if row.verdict is Verdict.FITS]
    gpus = proposable(request, placer.catalogue) if named else on_sale(placer.catalogue)
    suited = [gpu for gpu in gpus if is_of_kind or gpu.segment is Segment.DATACENTER]
    marks = {
        "asked": asked,
        "smallest": order.by_size([*safe, *fitting])[:1],
        "recommended": order.as_asked(_fewest(suited, request, placer, _wanted(request, placer)))[
            :1
        ],
        "cheapest": order.cheapest([*safe, *fitting, *others]),
    }
    tried = [] if asked or named else _tried(request, placer, is_alone=not others)
    listed = order.listed([*marks["smallest"], *marks["recommended"]], fitting)
    marked = [*asked, *tried, *(row for rows in marks.values() for row in rows)]
    unique = first_of([*asked, *tried, *listed, *order.by_money(others)], marked)
    record = placer.catalogue.throughput
    return tuple(
        option_of(row, _reasons(row, marks, order, is_of_kind=is_of_kind), record) for row in unique
    )


def _tried(request: SizingRequest, placer: PassPlacer, *, is_alone: bool) -> list[PassPlacement]:
    """Return one device of each named kind, or the largest on sale, that shows why none fits."""
    named = _named(request, placer)
    if not named and is_alone and request.max_gpus is None:
        named = [max(on_sale(placer.catalogue), key=lambda gpu: (gpu.usable_mib, gpu.id))]
    return [placer.place(gpu) for gpu in named]


def _named(request: SizingRequest, placer: PassPlacer) -> list[GpuRecord]:
    return [chosen_gpu(choice, placer.catalogue) for choice in request.gpus]


def _asked(request: SizingRequest, placer: PassPlacer) -> list[PassPlacement]:
    """Return exactly the sets that the question names: a copy on each device."""
    gpus = zip(_named(request, placer), request.gpus, strict=True)
    return [placer.place(gpu, choice.count) for gpu, choice in gpus if choice.count]


def _smallest_of_each(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: PassPlacer
) -> list[PassPlacement]:
    return _fewest(gpus, request, placer, placer.load.work.items)


def _fewest(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: PassPlacer, items: int
) -> list[PassPlacement]:
    """Return the fewest devices of each kind that hold `items`, as they can be bought."""
    limit = request.max_gpus or GPUS_PER_SERVER * MAX_REPLICAS
    named = {choice.gpu for choice in request.gpus}
    found = (placer.fewest(gpu, items, limit) for gpu in gpus if placer.runs_on(gpu))
    rows = [row for row in found if row]
    return [row for row in rows if row.gpu.id in named or is_buyable(row.gpu, row.replicas)]


def _wanted(request: SizingRequest, placer: PassPlacer) -> int:
    """Return the items to hold: a quarter more than asked, or a team's where none were."""
    items = placer.load.work.items
    if request.concurrent_requests is None:
        return max(items, ROOM_FOR_REQUESTS)
    return ceil_div(items * 5, 4)


def _size(row: PassPlacement) -> Size:
    """Return the order by size: fewer GPUs, less memory, fewer watts, id."""
    gpu, cards = row.gpu, row.cards
    power_w = gpu.board_power_w if gpu.board_power_w is not None else float("inf")
    is_estimate = not gpu.usable_is_measured
    return (cards, gpu.memory_gb * row.replicas, is_estimate, power_w * cards, gpu.id)


def _paid(row: PassPlacement) -> PaidSet:
    gpu = row.gpu
    return PaidSet(
        gpu_id=gpu.id,
        mig_profile=row.mig_profile,
        gpus=row.replicas,
        replicas=row.replicas,
        servers=row.nodes,
        power_w=None if gpu.board_power_w is None else gpu.board_power_w * row.cards,
    )


def _reasons(
    row: PassPlacement,
    marks: dict[str, list[PassPlacement]],
    order: Order[PassPlacement],
    *,
    is_of_kind: bool,
) -> tuple[Note, ...]:
    keys = {mark: {one.key for one in rows} for mark, rows in marks.items()}
    notes = []
    if row.key in keys["asked"]:
        notes.append(note("asked"))
    if row.key in keys["smallest"]:
        notes.append(note("smallest", of_kind=is_of_kind))
    if row.key in keys["recommended"]:
        held = row.held()
        room = row.load.work.items if held is None else held * row.replicas
        notes.append(note("recommended", room_for_requests=room))
    if row.key in keys["cheapest"]:
        notes.append(order.cheapest_note(row))
    return (*notes, *_verdict_note(row))


def _verdict_note(row: PassPlacement) -> tuple[Note, ...]:
    """Return by how much the need misses the budget, where it does."""
    total, budget = row.need.total, row.budget_bytes
    if row.verdict is Verdict.DOES_NOT_FIT:
        return (note("short", short_bytes=total.typical_bytes - budget),)
    if row.verdict is Verdict.TIGHT:
        return (note("little_to_spare", short_bytes=total.high_bytes - budget),)
    return ()
