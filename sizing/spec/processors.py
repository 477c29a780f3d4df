"""Which processors a server gets, and how many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sizing.records import GpuRecord
from sizing.spec.load import ServerLoad
from sizing.spec.machine_kinds import ProcessorUse, SlotForm
from sizing.spec.machines import BuiltInto, CpuModel, CpuRecord, MachineFile
from sizing.spec.ram import Dimms, dimms_for
from sizing.spec.slots import is_for_desks, is_on_board, slot_form
from sizing.units import ceil_div

BOARD_SOCKETS = 2
"""Sockets beside a baseboard of four GPUs or more (NVIDIA's reference 2-8-5; all MLPerf hosts)."""

BOARD_GPUS = 4
"""GPUs from which that holds."""


@dataclass(frozen=True)
class Need:
    """What the processors of one server have to carry."""

    cores: int
    """Physical cores."""

    ram_gb: float
    """Memory, GB."""

    lanes_of: tuple[int, int]
    """PCI Express lanes of everything, and of what a chipset cannot take."""

    def lanes(self, cpu: CpuRecord) -> int:
        """Return the lanes that these processors have to give."""
        everything, without_chipset = self.lanes_of
        return without_chipset if cpu.chipset_lanes else everything


@dataclass(frozen=True)
class Processors:
    """Processors of one server."""

    cpu: CpuRecord
    """Their generation."""

    model: CpuModel
    """One of its models."""

    sockets: int
    """How many."""

    dimms: Dimms | None
    """Memory modules; None where the memory is soldered, or the sockets take less than needed."""

    built: BuiltInto | None = None
    """How they belong to the GPU, where they come with it."""

    @property
    def cores(self) -> int:
        """Return the physical cores of all sockets."""
        return self.model.cores * self.sockets

    @property
    def lanes(self) -> int:
        """Return the lanes of all sockets."""
        return self.cpu.lanes(self.sockets)

    @property
    def channels(self) -> int | None:
        """Return the memory channels of all sockets; None where the memory is soldered."""
        channels = self.cpu.memory_channels
        return channels * self.sockets if channels else None

    @property
    def memory_gb_per_s(self) -> float | None:
        """Return what all sockets read from their memory at most, GB/s."""
        each = self.cpu.bandwidth_gb_per_s
        return round(each * self.sockets, 1) if each else None


def comes_with_processor(gpu: GpuRecord) -> bool:
    """Return whether processor and memory come with the GPU instead of being chosen."""
    built_in = slot_form(gpu) is SlotForm.BUILT_IN
    return built_in or gpu.unified_memory or gpu.coherent_host_gb is not None


def built_in_processors(load: ServerLoad, machines: MachineFile) -> Processors | None:
    """Return the processors that come with the GPUs; None where they are not listed."""
    for cpu in machines.cpu:
        for built in cpu.built_into:
            if built.gpu == load.gpu.id:
                sockets = ceil_div(load.gpus, built.gpus)
                return Processors(cpu, cpu.models[-1], sockets, None, built)
    return None


def built_in_ram_gb(load: ServerLoad) -> float | None:
    """Return the memory that comes with the GPUs of one server, GB; None where it is chosen."""
    gpu = load.gpu
    if gpu.unified_memory:
        return gpu.memory_gb * load.gpus
    return gpu.coherent_host_gb * load.gpus if gpu.coherent_host_gb else None


def choose(
    load: ServerLoad, need: Need, machines: MachineFile, wanted: CpuRecord | None
) -> Processors:
    """Return the smallest processors that carry the need.

    Where none has the lanes, those with most of them: switches then share them out.
    """
    choices = [_equipped(cpu, sockets, need) for cpu, sockets in _ordered(load, machines, wanted)]
    enough = [one for one in choices if one.dimms and one.cores >= need.cores]
    direct = (one for one in enough if one.lanes >= need.lanes(one.cpu))
    return next(direct, min(enough or choices[-1:], key=_most_lanes))


def _most_lanes(one: Processors) -> tuple[int, int]:
    return (-one.lanes, one.dimms.per_channel if one.dimms else 0)


def _ordered(
    load: ServerLoad, machines: MachineFile, wanted: CpuRecord | None
) -> list[tuple[CpuRecord, int]]:
    """Return generations and counts of sockets, smallest first."""
    least = BOARD_SOCKETS if is_on_board(load.gpu) and load.gpus >= BOARD_GPUS else 1
    generations: Iterable[CpuRecord] = (wanted,) if wanted else _sold_for(load, machines)
    pairs = [
        (cpu, sockets)
        for cpu in generations
        for sockets in range(min(least, cpu.sockets), cpu.sockets + 1)
        if sockets >= least or wanted
    ]
    return sorted(pairs, key=lambda pair: (_size(*pair), pair[0].id))


def _size(cpu: CpuRecord, sockets: int) -> tuple[int, int, int]:
    return (sockets, cpu.lanes(sockets), cpu.memory_channels or 0)


def _sold_for(load: ServerLoad, machines: MachineFile) -> Iterable[CpuRecord]:
    uses = {ProcessorUse.SERVER}
    if is_for_desks(load.gpu):
        uses |= {ProcessorUse.DESKTOP, ProcessorUse.WORKSTATION}
    return (cpu for cpu in machines.cpu if cpu.is_default and uses.intersection(cpu.uses))


def _equipped(cpu: CpuRecord, sockets: int, need: Need) -> Processors:
    model = cpu.model_with(ceil_div(need.cores, sockets)) or cpu.models[-1]
    return Processors(cpu, model, sockets, dimms_for(need.ram_gb, cpu, sockets))
