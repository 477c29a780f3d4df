"""Order of options: the asked GPUs first, then the smallest, the recommended, and the rest."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import Note, Option, Verdict, note
from sizing.candidates import asked_placements, on_sale, placements_on, proposable, smallest_fits
from sizing.parallelism import Layout
from sizing.placement import GPUS_PER_SERVER, Placement, Placer, max_requests, option_of
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.units import ceil_div

MOST_OPTIONS = 10
"""Options of one answer."""

ROOM_FOR_REQUESTS = 4
"""Requests of the default load that a set for a team should hold."""


def rank(request: SizingRequest, placer: Placer) -> tuple[Option, ...]:
    """Return the options of an answer, best first, at most ten."""
    asked = asked_placements(request, placer)
    gpus = [gpu for gpu in proposable(request, placer.catalogue) if placer.runs_on(gpu)]
    fitting = _smallest_of_each(gpus, request, placer)
    fallback = not fitting and bool(request.gpus)
    if fallback:
        gpus = [gpu for gpu in on_sale(placer.catalogue) if placer.runs_on(gpu)]
        fitting = _smallest_of_each(gpus, request, placer)
    recommended = _recommended(gpus, request, placer)
    chosen = [*asked, *fitting[:1], *_some(recommended), *fitting[1:]]
    if request.gpus and not asked and fallback:
        chosen = [*_largest_tried(request, placer), *chosen]
    elif request.gpus and not fallback:
        chosen += _alternatives(request, placer)
    unique = list({row.key: row for row in chosen}.values())
    marks = _Marks(asked, fitting[:1], _some(recommended), placer)
    return tuple(option_of(row, placer.load, marks.reasons(row)) for row in unique[:MOST_OPTIONS])


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


def order_key(placement: Placement) -> tuple[int, float, float, str]:
    """Return the order where prices are unknown: fewer GPUs, less memory, fewer watts, id."""
    gpu, gpus = placement.gpu, placement.layout.gpus
    power_w = gpu.board_power_w if gpu.board_power_w is not None else float("inf")
    return (gpus, gpu.memory_gb * gpus, power_w * gpus, gpu.id)


class _Marks:
    """Says of each placement why it stands where it does."""

    def __init__(
        self,
        asked: Iterable[Placement],
        smallest: Iterable[Placement],
        recommended: Iterable[Placement],
        placer: Placer,
    ) -> None:
        self._asked = {row.key for row in asked}
        self._smallest = {row.key for row in smallest}
        self._recommended = {row.key for row in recommended}
        self._placer = placer

    def reasons(self, row: Placement) -> tuple[Note, ...]:
        """Return the marks of one placement."""
        notes = []
        if row.key in self._asked:
            notes.append(note("asked"))
        if row.key in self._smallest:
            notes.append(note("smallest"))
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
        return (note("short", short_bytes=total.typical_bytes - budget),)
    if row.verdict is Verdict.TIGHT:
        return (note("little_to_spare", short_bytes=total.high_bytes - budget),)
    return ()


def _smallest_of_each(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> list[Placement]:
    found = (smallest_fits(gpu, request, placer) for gpu in gpus)
    return sorted((row for row in found if row), key=order_key)


def _recommended(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> Placement | None:
    """Return the smallest set with room to grow, of data-centre cards unless others were named."""
    wanted = _wanted_requests(request)
    suited = [gpu for gpu in gpus if request.gpus or gpu.segment is Segment.DATACENTER]
    rows = [_roomy(gpu, request, placer, wanted) for gpu in suited]
    return min((row for row in rows if row), key=_recommendation_key, default=None)


def _recommendation_key(placement: Placement) -> tuple[int, float, bool, tuple[object, ...]]:
    """Return the common order, but cards whose usable memory was measured before estimates."""
    gpus, memory_gb, *rest = order_key(placement)
    return (gpus, memory_gb, not placement.gpu.usable_is_measured, tuple(rest))


def _wanted_requests(request: SizingRequest) -> int:
    """Return the requests to hold: a quarter more than asked, or a team's where none were."""
    if request.concurrent_requests is None:
        return ROOM_FOR_REQUESTS
    return ceil_div(request.concurrent_requests * 5, 4)


def _roomy(gpu: GpuRecord, request: SizingRequest, placer: Placer, wanted: int) -> Placement | None:
    rows = placements_on(gpu, request, placer)
    return next(
        (
            row
            for row in rows
            if row.verdict is Verdict.FITS and max_requests(row, placer.load) >= wanted
        ),
        None,
    )


def _largest_tried(request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return a set of each named kind that shows why none fits."""
    gpus = proposable(request, placer.catalogue)
    return [_largest_in_a_server(gpu, request, placer) for gpu in gpus]


def _largest_in_a_server(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Placement:
    rows = list(placements_on(gpu, request, placer)) if placer.runs_on(gpu) else []
    inside = [row for row in rows if row.layout.gpus <= GPUS_PER_SERVER]
    return max(inside, key=lambda row: row.layout.gpus) if inside else placer.place(gpu, Layout())


def _alternatives(request: SizingRequest, placer: Placer) -> list[Placement]:
    """Return the smallest sets of other kinds that fit, for comparison."""
    gpus = [gpu for gpu in on_sale(placer.catalogue) if placer.runs_on(gpu)]
    return _smallest_of_each(gpus, request, placer)


def _some(row: Placement | None) -> list[Placement]:
    return [] if row is None else [row]
