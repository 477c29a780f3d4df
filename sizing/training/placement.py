"""Sets of GPUs for a training run: the named ones, and the smallest of each kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sizing.answer import Note, Option, PerGpu, Verdict, note
from sizing.candidates import CLUSTERED, chosen_gpu, on_sale, proposable
from sizing.catalogue import Catalogue
from sizing.ordering import Order, Purse, first_of
from sizing.parallelism import Layout
from sizing.records import EngineRecord, GpuRecord, KvPrecisionRecord, PrecisionRecord
from sizing.request import GpuChoice, SizingRequest
from sizing.slices import GpuSlice, slice_notes, split_over_slices
from sizing.split_notes import GPUS_PER_SERVER
from sizing.support import refusals
from sizing.training.layout import TrainingLayout, layout_of
from sizing.training.need import TrainingNeed, training_need
from sizing.training.plan import TrainingPlan
from sizing.training.sets import TrainingSet, paid_set, size_of

COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
"""GPUs that are proposed: a part of one server, then whole servers."""


@dataclass(frozen=True)
class Software:
    """What the GPUs must run."""

    engine: EngineRecord
    precision: PrecisionRecord
    kv_precision: KvPrecisionRecord


class TrainingPlacer:
    """Weighs one training run on any GPU; what depends on the count alone is computed once."""

    def __init__(
        self, request: SizingRequest, plan: TrainingPlan, software: Software, catalogue: Catalogue
    ) -> None:
        self._request = request
        self._plan = plan
        self._software = software
        self._catalogue = catalogue
        self._needs: dict[int, TrainingNeed] = {}

    def options(self) -> tuple[Option, ...]:
        """Return the options of an answer, the asked sets first, at most ten."""
        asked = [self._asked(choice) for choice in self._request.gpus if choice.count]
        fitting = self._smallest_of_each(proposable(self._request, self._catalogue))
        of_kind = bool(self._request.gpus and fitting)
        elsewhere = self._elsewhere if self._request.gpus else []
        if not (asked or fitting):
            asked = self._largest_tried()
        order = Order(Purse(self._request, self._catalogue), paid=paid_set, size=size_of)
        safe = [row for row in asked if row.verdict is Verdict.FITS]
        smallest = order.by_size([*safe, *(fitting or elsewhere)])[:1]
        cheapest = order.cheapest([*safe, *fitting, *elsewhere])
        listed = order.listed(smallest, fitting or elsewhere)
        rows = [*asked, *listed, *order.by_money(elsewhere)]
        marks = _Marks(asked, smallest, cheapest, order, of_kind=of_kind)
        unique = first_of(rows, [*asked, *smallest, *cheapest])
        return tuple(option_of(row, marks.of(row)) for row in unique)

    @cached_property
    def _elsewhere(self) -> list[TrainingSet]:
        return self._smallest_of_each(on_sale(self._catalogue))

    def _smallest_of_each(self, gpus: Iterable[GpuRecord]) -> list[TrainingSet]:
        found = (self._smallest(gpu) for gpu in gpus)
        return [row for row in found if row]

    def _smallest(self, gpu: GpuRecord) -> TrainingSet | None:
        rows = self._candidates(gpu)
        return next((row for row in rows if row.verdict is Verdict.FITS), None)

    def _candidates(self, gpu: GpuRecord) -> Iterator[TrainingSet]:
        """Yield sets of one kind of GPU, fewest devices first."""
        limit = self._request.max_gpus or COUNTS[-1]
        named = any(choice.gpu == gpu.id for choice in self._request.gpus)
        least = self._degrees(COUNTS[-1]).smallest_gpus
        for count in COUNTS[:1] if isinstance(gpu, GpuSlice) else COUNTS:
            if count % least:
                continue
            beyond = count > GPUS_PER_SERVER and gpu.segment not in CLUSTERED
            if count <= limit and not beyond and (named or _is_buyable(gpu, count)):
                yield self._place(gpu, count)

    def _largest_tried(self) -> list[TrainingSet]:
        """Return one set of each named kind that shows why none fits."""
        if not self._request.gpus:
            return []
        gpus = proposable(self._request, self._catalogue)
        return [_nearest(rows) for gpu in gpus if (rows := list(self._candidates(gpu)))]

    def _asked(self, choice: GpuChoice) -> TrainingSet:
        return self._place(chosen_gpu(choice, self._catalogue), choice.count or 1)

    def _place(self, gpu: GpuRecord, gpus: int) -> TrainingSet:
        layout = self._degrees(gpus)
        if gpus not in self._needs:
            self._needs[gpus] = training_need(self._plan, layout)
        software = self._software
        return TrainingSet(
            gpu=gpu,
            layout=layout,
            need=self._needs[gpus],
            budget_bytes=int(gpu.usable_bytes * self._share),
            refused=refusals(
                gpu,
                software.precision,
                software.kv_precision,
                software.engine,
                catalogue=self._catalogue,
            )
            + split_over_slices(gpu, Layout(tensor_parallel=gpus))
            + _undivided(layout),
        )

    @cached_property
    def _share(self) -> float:
        """Return the share of a GPU that the run may take: all but that of a rollout engine."""
        return (self._request.memory_fraction or 1) - (self._plan.tuning.rollout_fraction or 0)

    def _degrees(self, gpus: int) -> TrainingLayout:
        return layout_of(self._request, self._plan, gpus)


class _Marks:
    """Says of each set why it stands where it does."""

    def __init__(
        self,
        asked: Iterable[TrainingSet],
        smallest: Iterable[TrainingSet],
        cheapest: Iterable[TrainingSet],
        order: Order[TrainingSet],
        *,
        of_kind: bool,
    ) -> None:
        self._asked = {row.key for row in asked}
        self._smallest = {row.key for row in smallest}
        self._cheapest = {row.key for row in cheapest}
        self._order = order
        self._of_kind = of_kind

    def of(self, row: TrainingSet) -> tuple[Note, ...]:
        """Return the marks of one set."""
        notes = []
        if row.key in self._asked:
            notes.append(note("asked"))
        if row.key in self._smallest:
            notes.append(note("smallest", of_kind=self._of_kind))
        if row.key in self._cheapest:
            notes.append(self._order.cheapest_note(row))
        return (*notes, *_verdict_note(row), *row.refused, *_set_notes(row))


def _nearest(rows: list[TrainingSet]) -> TrainingSet:
    """Return the smallest tight set, else the largest."""
    return next((row for row in rows if row.verdict is Verdict.TIGHT), rows[-1])


def option_of(row: TrainingSet, reasons: tuple[Note, ...]) -> Option:
    """Return the full record of one set."""
    power_w = row.gpu.board_power_w
    return Option(
        gpu=row.gpu.id,
        gpus=row.gpus,
        nodes=row.nodes,
        replicas=1,
        tensor_parallel=row.layout.tensor,
        pipeline_parallel=row.layout.pipeline,
        expert_parallel=row.layout.expert,
        zero_stage=row.layout.zero_stage if row.gpus > 1 else None,
        verdict=row.verdict,
        per_gpu=None if row.refused else _per_gpu(row),
        kv_pool_tokens=None,
        max_context_tokens=None,
        max_concurrent_requests=None,
        minimum_memory_fraction=None,
        mig_profile=row.mig_profile,
        performance=None,
        power_w=None if power_w is None else power_w * row.cards,
        price=None,
        reasons=reasons,
    )


def _per_gpu(row: TrainingSet) -> PerGpu:
    need, total = row.need, row.need.total
    return PerGpu(
        usable_bytes=row.gpu.usable_bytes,
        budget_bytes=row.budget_bytes,
        weights_bytes=need.weights.typical_bytes,
        kv_cache_bytes=0,
        adapter_bytes=need.adapters.typical_bytes,
        activation_bytes=need.activations.typical_bytes,
        runtime_bytes=need.runtime.typical_bytes + need.buffers.typical_bytes,
        reference_bytes=need.reference.typical_bytes,
        gradient_bytes=need.gradients.typical_bytes,
        optimizer_bytes=need.optimizer.typical_bytes,
        need_bytes=total.typical_bytes,
        need_low_bytes=total.low_bytes,
        need_high_bytes=total.high_bytes,
        kv_pool_bytes=0,
        free_bytes=row.budget_bytes - total.typical_bytes,
    )


def _is_buyable(gpu: GpuRecord, gpus: int) -> bool:
    """Return whether servers take that many of them, on whole boards."""
    most = gpu.most_per_server_gpus
    return gpu.is_sold_as(gpus) and (most is None or gpus <= most)


def _verdict_note(row: TrainingSet) -> tuple[Note, ...]:
    total, budget = row.need.total, row.budget_bytes
    if row.verdict is Verdict.DOES_NOT_FIT:
        return (note("short", short_bytes=total.typical_bytes - budget),)
    if row.verdict is Verdict.TIGHT:
        return (note("little_to_spare", short_bytes=total.high_bytes - budget),)
    return ()


def _undivided(layout: TrainingLayout) -> tuple[Note, ...]:
    """Return why so many GPUs cannot have these degrees."""
    if layout.gpus % layout.smallest_gpus == 0:
        return ()
    return (note("degrees_do_not_divide", gpus=layout.gpus, degree=layout.smallest_gpus),)


def _set_notes(row: TrainingSet) -> tuple[Note, ...]:
    notes = list(slice_notes(row.gpu, row.gpus))
    if row.nodes > 1:
        notes.append(note("sharding_across_servers", nodes=row.nodes))
    if not row.gpu.in_production:
        notes.append(note("out_of_production", gpu=row.gpu.id))
    if row.gpu.unified_memory:
        notes.append(note("unified_memory", gpu=row.gpu.id))
    if not row.gpu.usable_is_measured:
        notes.append(note("usable_memory_estimated", gpu=row.gpu.id))
    return tuple(notes)
