"""One set of GPUs against one training run, and where it stands in the order."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.answer import Note, Verdict
from sizing.ordering import PaidSet, Size
from sizing.records import GpuRecord
from sizing.slices import GpuSlice
from sizing.split_notes import GPUS_PER_SERVER
from sizing.training.layout import TrainingLayout
from sizing.training.need import TrainingNeed
from sizing.units import ceil_div


@dataclass(frozen=True)
class TrainingSet:
    """One set of GPUs against one training run."""

    gpu: GpuRecord
    layout: TrainingLayout
    need: TrainingNeed
    budget_bytes: int
    refused: tuple[Note, ...]

    @property
    def gpus(self) -> int:
        """Return the devices of the set."""
        return self.layout.gpus

    @property
    def key(self) -> tuple[str, str | None, int]:
        """Return what tells two sets apart."""
        return (self.gpu.id, self.mig_profile, self.gpus)

    @property
    def mig_profile(self) -> str | None:
        """Return the MIG slice that each device is, where it is one."""
        return self.gpu.profile.name if isinstance(self.gpu, GpuSlice) else None

    @property
    def cards(self) -> int:
        """Return the whole GPUs of the set."""
        return self.gpu.cards(self.gpus) if isinstance(self.gpu, GpuSlice) else self.gpus

    @property
    def nodes(self) -> int:
        """Return the servers the set stands in."""
        return ceil_div(self.cards, self.gpu.most_per_server_gpus or GPUS_PER_SERVER)

    @property
    def verdict(self) -> Verdict:
        """Return the verdict: `fits` holds for the high bound of the need as well."""
        if self.refused:
            return Verdict.UNSUPPORTED
        if self.need.total.high_bytes <= self.budget_bytes:
            return Verdict.FITS
        if self.need.total.typical_bytes <= self.budget_bytes:
            return Verdict.TIGHT
        return Verdict.DOES_NOT_FIT


def size_of(row: TrainingSet) -> Size:
    """Return the order by size: fewer GPUs, less memory, fewer watts, id."""
    gpu = row.gpu
    power_w = gpu.board_power_w if gpu.board_power_w is not None else float("inf")
    is_estimate = not gpu.usable_is_measured
    return (row.gpus, gpu.memory_gb * row.gpus, is_estimate, power_w * row.gpus, gpu.id)


def paid_set(row: TrainingSet) -> PaidSet:
    """Return what is paid for with a set."""
    gpu = row.gpu
    return PaidSet(
        gpu_id=gpu.id,
        mig_profile=row.mig_profile,
        gpus=row.gpus,
        replicas=1,
        servers=row.nodes,
        power_w=None if gpu.board_power_w is None else gpu.board_power_w * row.cards,
    )
