"""Records of servers and processors, and the file that lists them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from sizing.catalogue import data_dir
from sizing.catalogue_reading import validated
from sizing.catalogue_rules import check_sorted
from sizing.errors import CatalogueError
from sizing.records import (
    Count,
    Identifier,
    Name,
    Positive,
    PositiveCount,
    Record,
    SourcedRecord,
    Text,
)
from sizing.spec.machine_kinds import Advice, Cooling, MachineKind, ProcessorUse, SlotForm

SERVERS = "servers.toml"


class SlotGroup(Record):
    """Places for GPUs of one form; a machine with two groups takes one or the other."""

    form: SlotForm
    """Form of the places."""

    gpus: PositiveCount
    """GPUs they take."""


class CpuModel(Record):
    """One processor as it is sold."""

    name: Name
    """Name people read."""

    cores: PositiveCount
    """Physical cores."""

    tdp_w: Positive | None = None
    """Thermal design power, W; None where it is part of a board's."""


class BuiltInto(Record):
    """GPU that a processor comes with."""

    gpu: Identifier
    """Id of the GPU."""

    gpus: PositiveCount
    """GPUs for each such processor."""

    in_board_power: bool
    """Whether the power of the GPU counts the processor as well."""


class CpuRecord(SourcedRecord):
    """One generation of processors on one socket."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    uses: Annotated[tuple[ProcessorUse, ...], Field(min_length=1)]
    """Machines it is sold for."""

    sockets: Annotated[int, Field(ge=1, le=2)] = 1
    """Most of them in one machine."""

    is_default: bool = False
    """Whether it is proposed where no machine is named: its models are known from a source."""

    memory_channels: PositiveCount | None = None
    """Memory channels of one socket; None where memory is soldered."""

    dimms_per_channel: PositiveCount = 1
    """Most modules on a channel."""

    dimm_gb: tuple[PositiveCount, ...] = ()
    """Sizes of modules it takes, ascending, GB."""

    memory_mt_per_s: PositiveCount | None = None
    """Transfers of one channel each second, millions, with one module a channel."""

    pcie_generation: PositiveCount | None = None
    """PCI Express generation."""

    pcie_lanes: Count = 0
    """Lanes of one socket alone; 0 where they are not for the buyer to use."""

    two_socket_pcie_lanes: PositiveCount | None = None
    """Lanes of two sockets together, which share some between them."""

    chipset_lanes: Count = 0
    """Lanes behind a chipset: enough for system disks and a network port."""

    models: Annotated[tuple[CpuModel, ...], Field(min_length=1)]
    """Some of its models, cores ascending."""

    built_into: tuple[BuiltInto, ...] = ()
    """GPUs it comes with, where it is not bought alone."""

    unverified: tuple[Identifier | Text, ...] = ()
    """Keys whose value no source at hand confirms."""

    def lanes(self, sockets: int) -> int:
        """Return the lanes of that many sockets."""
        return (self.two_socket_pcie_lanes or self.pcie_lanes) if sockets > 1 else self.pcie_lanes

    def model_with(self, cores: int) -> CpuModel | None:
        """Return the smallest model with so many cores; None where none has as many."""
        return next((model for model in self.models if model.cores >= cores), None)

    @property
    def bandwidth_gb_per_s(self) -> float | None:
        """Return what one socket reads from its memory at most, GB/s: 8 bytes a transfer."""
        if self.memory_channels is None or self.memory_mt_per_s is None:
            return None
        return self.memory_channels * self.memory_mt_per_s * 8 / 1000


class ServerRecord(SourcedRecord):
    """One server or workstation."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    vendor: Name
    """Company that makes it."""

    kind: MachineKind
    """What it is."""

    slots: Annotated[tuple[SlotGroup, ...], Field(min_length=1)]
    """What it takes: one of these groups."""

    named_gpus: tuple[Identifier, ...] = ()
    """GPUs that its maker, or a published test, names for it; catalogue ids."""

    airflow_for_passive: bool = False
    """Whether its fans cool cards without a fan of their own."""

    room_for_active: bool = False
    """Whether cards with a fan of their own get their air."""

    cpu_sockets: PositiveCount | None = None
    """Processor sockets."""

    cpu_example: Name | None = None
    """Processor it is sold or was tested with."""

    cpu: Identifier | None = None
    """Generation of its processors, where it is listed here."""

    max_ram_gb: Positive | None = None
    """Most memory it takes, GB."""

    tested_ram_gb: Positive | None = None
    """Memory of a published test, GB."""

    drive_bays: PositiveCount | None = None
    """Bays for NVMe data drives."""

    drives: Name | None = None
    """Drives it comes with, or its bays in words."""

    rack_units: PositiveCount | None = None
    """Height, rack units; None for towers and desktops."""

    max_power_w: Positive | None = None
    """Published maximum draw, W."""

    psus: PositiveCount | None = None
    """Power supplies, or their bays."""

    psu_w: Positive | None = None
    """Rating of one, the smallest where several are offered, W."""

    psus_needed: PositiveCount | None = None
    """Supplies that carry the whole machine; the others are spare."""

    cooling: Cooling = Cooling.AIR
    """How it is cooled."""

    weight_kg: Positive | None = None
    """Weight with everything in it, or of the chassis where the note says so, kg."""

    inlet_low_c: float | None = None
    """Coldest air at its intake, degrees Celsius."""

    inlet_high_c: float | None = None
    """Warmest air at its intake, degrees Celsius."""

    advice: tuple[Advice, ...] = ()
    """What a buyer should know."""

    note: Text | None = None
    """What else the sources say; for the reader of this file."""

    unverified: tuple[Identifier | Text, ...] = ()
    """Keys whose value no source at hand confirms: to be asked of the vendor."""

    @model_validator(mode="after")
    def _marks_what_it_says(self) -> Self:
        """Refuse marks on keys that are unknown or hold nothing."""
        for key in self.unverified:
            if not getattr(self, key, None):
                raise ValueError(f"unverified names {key}, which says nothing")
        return self

    @property
    def max_gpus(self) -> int:
        """Return the GPUs of its largest group of places."""
        return max(group.gpus for group in self.slots)

    def is_sure_of(self, key: str) -> bool:
        """Return whether a source confirms what it says under that key."""
        return getattr(self, key) is not None and key not in self.unverified


class MachineFile(Record):
    """What servers.toml holds."""

    cpu: tuple[CpuRecord, ...]
    """Generations of processors."""

    server: tuple[ServerRecord, ...]
    """Servers and workstations."""


def load_servers(path: Path | None = None) -> MachineFile:
    """Read servers and processors; raise CatalogueError naming file and entry."""
    machines = validated(SERVERS, ((path or data_dir()) / SERVERS).read_bytes(), MachineFile)
    check_sorted(SERVERS, [record.id for record in machines.cpu])
    check_sorted(SERVERS, [record.id for record in machines.server])
    generations = {record.id for record in machines.cpu}
    for server in machines.server:
        if server.cpu and server.cpu not in generations:
            detail = f"{server.id}: no processor is called {server.cpu}"
            raise CatalogueError(file=SERVERS, detail=detail)
    return machines
