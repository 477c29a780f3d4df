"""Order of options: the asked GPUs first, then the smallest, the recommended, and the rest."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import Note, Option, Verdict, note
from sizing.candidates import chosen_gpu, on_sale, proposable
from sizing.growing import MAX_REPLICAS, is_buyable
from sizing.passes.placing import PassPlacement, PassPlacer, option_of
from sizing.ranking import MOST_OPTIONS, ROOM_FOR_REQUESTS
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.split_notes import GPUS_PER_SERVER
from sizing.units import ceil_div


def rank_passes(request: SizingRequest, placer: PassPlacer) -> tuple[Option, ...]:
    """Return the options of an answer, best first, at most ten."""
    asked = _asked(request, placer)
    named = _smallest_of_each(proposable(request, placer.catalogue), request, placer)
    others = _smallest_of_each(on_sale(placer.catalogue), request, placer)
    fitting = named or others
    rows = [row for row in asked if row.verdict is Verdict.FITS]
    smallest = sorted([*rows, *fitting], key=_order)[:1]
    gpus = proposable(request, placer.catalogue) if named else on_sale(placer.catalogue)
    recommended = _recommended(gpus, request, placer, is_named=bool(request.gpus and named))
    tried = [] if asked or named else _tried(request, placer, is_alone=not others)
    chosen = [*asked, *tried, *smallest, *recommended, *fitting, *others]
    unique = list({row.key: row for row in chosen}.values())[:MOST_OPTIONS]
    marks = {"asked": asked, "smallest": smallest, "recommended": recommended}
    is_of_kind = bool(request.gpus and named)
    record = placer.catalogue.throughput
    return tuple(
        option_of(row, _reasons(row, marks, is_of_kind=is_of_kind), record) for row in unique
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
    sold = [row for row in rows if row.gpu.id in named or is_buyable(row.gpu, row.replicas)]
    return sorted(sold, key=_order)


def _recommended(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: PassPlacer, *, is_named: bool
) -> list[PassPlacement]:
    """Return the smallest set with room to grow, of data-centre cards unless others were named."""
    suited = [gpu for gpu in gpus if is_named or gpu.segment is Segment.DATACENTER]
    return _fewest(suited, request, placer, _wanted(request, placer))[:1]


def _wanted(request: SizingRequest, placer: PassPlacer) -> int:
    """Return the items to hold: a quarter more than asked, or a team's where none were."""
    items = placer.load.work.items
    if request.concurrent_requests is None:
        return max(items, ROOM_FOR_REQUESTS)
    return ceil_div(items * 5, 4)


def _order(row: PassPlacement) -> tuple[int, float, bool, float, str]:
    """Return the order where prices are unknown: fewer GPUs, less memory, fewer watts, id."""
    gpu, cards = row.gpu, row.cards
    power_w = gpu.board_power_w if gpu.board_power_w is not None else float("inf")
    is_estimate = not gpu.usable_is_measured
    return (cards, gpu.memory_gb * row.replicas, is_estimate, power_w * cards, gpu.id)


def _reasons(
    row: PassPlacement, marks: dict[str, list[PassPlacement]], *, is_of_kind: bool
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
    return (*notes, *_verdict_note(row))


def _verdict_note(row: PassPlacement) -> tuple[Note, ...]:
    """Return by how much the need misses the budget, where it does."""
    total, budget = row.need.total, row.budget_bytes
    if row.verdict is Verdict.DOES_NOT_FIT:
        return (note("short", short_bytes=total.typical_bytes - budget),)
    if row.verdict is Verdict.TIGHT:
        return (note("little_to_spare", short_bytes=total.high_bytes - budget),)
    return ()
