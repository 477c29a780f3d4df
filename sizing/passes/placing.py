"""One kind of GPU against the asked work: a copy of the model on each device."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from sizing.answer import Note, Option, PerGpu, Verdict
from sizing.catalogue import Catalogue
from sizing.gpu_notes import budget_bytes, gpu_notes, limit_notes
from sizing.passes.load import PassLoad, PassNeed, activation, need_of
from sizing.passes.speed import copies_for_rate, performance_of_pass
from sizing.records import GpuRecord, ThroughputRecord
from sizing.slices import GpuSlice, slice_notes, slice_would_do
from sizing.split_notes import GPUS_PER_SERVER
from sizing.support import refusals, storage_notes
from sizing.units import ceil_div


@dataclass(frozen=True)
class PassPlacement:
    """Equal devices, each with a copy of the model and its share of the items."""

    load: PassLoad
    gpu: GpuRecord
    replicas: int
    budget_bytes: int
    notes: tuple[Note, ...]
    unsupported: bool

    @property
    def key(self) -> tuple[str, str | None, int]:
        """Return what tells two candidates apart."""
        return (self.gpu.id, self.mig_profile, self.replicas)

    @property
    def mig_profile(self) -> str | None:
        """Return the MIG slice that each device is, where it is one."""
        return self.gpu.profile.name if isinstance(self.gpu, GpuSlice) else None

    @property
    def cards(self) -> int:
        """Return the uncut devices of all copies."""
        return self.gpu.cards(self.replicas) if isinstance(self.gpu, GpuSlice) else self.replicas

    @property
    def nodes(self) -> int:
        """Return the servers that they stand in."""
        return ceil_div(self.cards, self.gpu.most_per_server_gpus or GPUS_PER_SERVER)

    @property
    def need(self) -> PassNeed:
        """Return what the device with most items needs."""
        return need_of(self.load, self.load.work.on_each(self.replicas))

    @property
    def verdict(self) -> Verdict:
        """Return the verdict: `fits` holds for the high bound of the need as well."""
        if self.unsupported:
            return Verdict.UNSUPPORTED
        total = self.need.total
        if total.high_bytes <= self.budget_bytes:
            return Verdict.FITS
        return Verdict.TIGHT if total.typical_bytes <= self.budget_bytes else Verdict.DOES_NOT_FIT

    def held(self, *, safe: bool = False) -> int | None:
        """Return the items one device holds at once; None where more of them take no more."""
        need, item = self.need, activation(self.load, 1)
        item_bytes = item.high_bytes if safe else item.typical_bytes
        if not self.load.stages or self.load.works_in_steps:
            return None
        runtime_bytes = need.runtime.high_bytes if safe else need.runtime.typical_bytes
        room_bytes = self.budget_bytes - need.weights_bytes - runtime_bytes
        return max(0, room_bytes // item_bytes) if item_bytes else None


class PassPlacer:
    """Weighs one load on any GPU."""

    def __init__(self, load: PassLoad, catalogue: Catalogue) -> None:
        self.load = load
        self.catalogue = catalogue

    def runs_on(self, gpu: GpuRecord) -> bool:
        """Return whether engine and format run on `gpu` at all."""
        return not self._refused(gpu)

    def place(self, gpu: GpuRecord, replicas: int = 1) -> PassPlacement:
        """Return how the work stands on so many devices."""
        refused = self._refused(gpu)
        return PassPlacement(
            load=self.load,
            gpu=gpu,
            replicas=replicas,
            budget_bytes=budget_bytes(gpu, self.load.memory_fraction),
            notes=refused or storage_notes(gpu, self.load.precision),
            unsupported=bool(refused),
        )

    def fewest(self, gpu: GpuRecord, items: int, limit: int) -> PassPlacement | None:
        """Return the fewest devices that hold `items` at the high bound of all overheads.

        More where so many do not answer what arrives.
        """
        one = self.place(gpu)
        held = one.held(safe=True)
        replicas = 1 if held is None else ceil_div(items, held) if held else limit + 1
        arriving = copies_for_rate(self.load, gpu, self.catalogue.throughput)
        replicas = max(replicas, arriving)
        row = self.place(gpu, replicas)
        return row if replicas <= limit and row.verdict is Verdict.FITS else None

    def _refused(self, gpu: GpuRecord) -> tuple[Note, ...]:
        load = self.load
        return refusals(
            gpu,
            load.precision,
            None,
            load.engine,
            catalogue=self.catalogue,
            kind=load.model.kind,
        )


_SILENT: tuple[None, tuple[Note, ...]] = (None, ())
"""No speed, and nothing to say of it: the set does not hold the work."""


def option_of(row: PassPlacement, reasons: tuple[Note, ...], record: ThroughputRecord) -> Option:
    """Return the full record of one candidate, `reasons` before its own notes."""
    runs = not row.unsupported
    held, safe = row.held(), row.held(safe=True)
    power_w = row.gpu.board_power_w
    holds = row.verdict in {Verdict.FITS, Verdict.TIGHT}
    speed, why = performance_of_pass(row.load, row.gpu, row.replicas, record) if holds else _SILENT
    return Option(
        gpu=row.gpu.id,
        gpus=row.replicas,
        nodes=row.nodes,
        replicas=row.replicas,
        tensor_parallel=1,
        pipeline_parallel=1,
        expert_parallel=1,
        verdict=row.verdict,
        per_gpu=_per_gpu(row) if runs else None,
        kv_pool_tokens=None,
        max_context_tokens=None,
        max_concurrent_requests=held * row.replicas if runs and held is not None else None,
        safe_max_concurrent_requests=safe * row.replicas if runs and safe is not None else None,
        minimum_memory_fraction=_minimum_fraction(row) if runs else None,
        mig_profile=row.mig_profile,
        performance=speed,
        power_w=None if power_w is None else power_w * row.cards,
        price=None,
        reasons=(*reasons, *row.notes, *why, *_device_notes(row)),
    )


def _device_notes(row: PassPlacement) -> tuple[Note, ...]:
    high_bytes, fraction = row.need.total.high_bytes, row.load.memory_fraction
    smaller = () if row.unsupported else slice_would_do(row.gpu, high_bytes, fraction)
    return (
        *slice_notes(row.gpu, row.replicas),
        *smaller,
        *limit_notes(row.gpu, high_bytes, row.budget_bytes, fraction),
        *gpu_notes(row.gpu, row.replicas),
    )


def _per_gpu(row: PassPlacement) -> PerGpu:
    need, total = row.need, row.need.total
    return PerGpu(
        usable_bytes=row.gpu.usable_bytes,
        budget_bytes=row.budget_bytes,
        weights_bytes=need.weights_bytes,
        kv_cache_bytes=0,
        adapter_bytes=0,
        activation_bytes=need.activation.typical_bytes,
        runtime_bytes=need.runtime.typical_bytes,
        need_bytes=total.typical_bytes,
        need_low_bytes=total.low_bytes,
        need_high_bytes=total.high_bytes,
        kv_pool_bytes=0,
        free_bytes=row.budget_bytes - total.typical_bytes,
    )


def _minimum_fraction(row: PassPlacement) -> float | None:
    """Return the least share that holds the typical need, rounded up to a thousandth."""
    share = ceil(row.need.total.typical_bytes / row.gpu.usable_bytes * 1000) / 1000
    return share if share <= 1 else None
