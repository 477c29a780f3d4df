"""Why a set stands where it does in the order, and by how much it misses its budget of memory."""

from __future__ import annotations

from collections.abc import Iterable

from sizing.answer import Note, Verdict, note
from sizing.ordering import Order, PaidSet, Size
from sizing.placement import Placement, Placer, max_requests
from sizing.split_notes import GPUS_PER_SERVER
from sizing.units import ceil_div


def order_key(row: Placement) -> Size:
    """Return the order by size: fewer GPUs, less memory, fewer watts, id.

    Of cards of one size, those whose usable memory was measured go before estimates.
    """
    gpu, gpus = row.gpu, row.layout.gpus
    power_w = gpu.board_power_w if gpu.board_power_w is not None else float("inf")
    return (gpus, gpu.memory_gb * gpus, not gpu.usable_is_measured, power_w * gpus, gpu.id)


def paid_set(row: Placement) -> PaidSet:
    """Return what is paid for with a placement."""
    gpu, layout = row.gpu, row.layout
    return PaidSet(
        gpu_id="" if row.shares else gpu.id,
        mig_profile=row.mig_profile,
        gpus=layout.gpus,
        replicas=layout.replicas,
        servers=ceil_div(row.cards, gpu.most_per_server_gpus or GPUS_PER_SERVER),
        power_w=None if gpu.board_power_w is None else gpu.board_power_w * row.cards,
    )


class Marks:
    """Says of each placement why it stands where it does."""

    def __init__(
        self,
        *,
        asked: Iterable[Placement],
        smallest: Iterable[Placement],
        recommended: Iterable[Placement],
        cheapest: Iterable[Placement],
        nearest: Iterable[Placement],
        unjudged: Iterable[Placement],
        too_slow: Iterable[Placement],
        of_kind: bool,
    ) -> None:
        self._asked = {row.key for row in asked}
        self._smallest = {row.key for row in smallest}
        self._recommended = {row.key for row in recommended}
        self._cheapest = {row.key for row in cheapest}
        self._nearest = {row.key for row in nearest}
        self._unjudged = {row.key for row in unjudged}
        self._too_slow = {row.key for row in too_slow}
        self._of_kind = of_kind

    def of(self, row: Placement, placer: Placer, order: Order[Placement]) -> tuple[Note, ...]:
        """Return the marks of one placement."""
        notes = []
        if row.key in self._asked:
            notes.append(note("asked"))
        if row.key in self._nearest:
            notes.append(note("nearest"))
        if row.key in self._smallest:
            notes.append(note("smallest", of_kind=self._of_kind))
        if row.key in self._recommended:
            notes.append(_recommendation(row, placer))
        if row.key in self._cheapest:
            notes.append(order.cheapest_note(row))
        if row.key in self._unjudged:
            notes.append(note("unjudged"))
        if row.key in self._too_slow:
            notes.append(note("too_slow"))
        return (*notes, *_verdict_note(row))


def _recommendation(row: Placement, placer: Placer) -> Note:
    context = placer.load.context_tokens
    requests = max_requests(row, placer.load)
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
