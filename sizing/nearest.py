"""The set that comes nearest to wishes about speed, where none whose speed is known keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sizing.answer import Verdict
from sizing.growing import first_that_holds, placements_on
from sizing.marks import order_key
from sizing.ordering import Size
from sizing.placement import Placement, Placer, max_requests
from sizing.records import GpuRecord
from sizing.request import SizingRequest, Targets
from sizing.speed.case import Case, case_of
from sizing.speed.targets import Limits, limits_of
from sizing.split_notes import GPUS_PER_SERVER
from sizing.weighing import placer_of

MOST_NEAREST = 3
"""Sets of known speed that are shown where none keeps the wishes."""


def nearest_sets(
    gpus: Iterable[GpuRecord], request: SizingRequest, placer: Placer
) -> list[Placement]:
    """Return up to three sets of known speed that miss the wishes by least, one of each kind.

    Fewer GPUs go first where they are equal. Sets of one server that hold the load are weighed,
    and larger ones of a kind where no server holds it. Empty where no wish was told or no speed is
    known.
    """
    limits = limits_of(placer.load.targets)
    if limits is None:
        return []
    free = request.model_copy(update={"targets": Targets()})
    unlimited = placer_of(free, placer.catalogue)

    def best(gpu: GpuRecord) -> list[tuple[float, Size, Placement]]:
        rows = _holding(gpu, free, unlimited)
        missed = ((missed_by(row, limits, placer), row) for row in rows)
        known = [(times, order_key(row), row) for times, row in missed if times is not None]
        return [min(known, key=_order)] if known else []

    found = sorted((each for gpu in gpus for each in best(gpu)), key=_order)
    return [row for _, _, row in found[:MOST_NEAREST]]


def _order(missed: tuple[float, Size, Placement]) -> tuple[float, Size]:
    return missed[:2]


def missed_by(row: Placement, limits: Limits, placer: Placer) -> float | None:
    """Return the worst typical figure of the asked load over its limit; None without a speed."""
    case = case_of(row, placer.load, placer.precision, placer.catalogue)
    return limits.used(case.work, case.pace, case.batch) if isinstance(case, Case) else None


def _holding(gpu: GpuRecord, request: SizingRequest, placer: Placer) -> Iterator[Placement]:
    requests = placer.load.concurrent_requests
    most = gpu.most_per_server_gpus or GPUS_PER_SERVER
    inside = False
    for row in placements_on(gpu, request, placer, requests):
        if row.layout.gpus > most:
            break
        fits = row.starts and row.verdict is Verdict.FITS
        if fits and max_requests(row, placer.load) >= requests:
            inside = True
            yield row
    larger = None if inside else first_that_holds(gpu, request, placer, requests)
    if larger is not None:
        yield larger
