"""Records of accelerators."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records.base import (
    Count,
    Identifier,
    Name,
    Positive,
    PositiveCount,
    SourcedRecord,
    Text,
)
from sizing.records.mig import MigProfile
from sizing.units import MIB


class Segment(StrEnum):
    """Market an accelerator is sold to."""

    DATACENTER = "datacenter"
    WORKSTATION = "workstation"
    CONSUMER = "consumer"
    DESKTOP_SOC = "desktop_soc"
    EDGE = "edge"
    CLOUD_ONLY = "cloud_only"
    RACK = "rack"


class Tier(StrEnum):
    """The articles' three classes of accelerators."""

    ENTRY = "entry"
    MID_RANGE = "mid_range"
    HIGH_END = "high_end"


class GpuRecord(SourcedRecord):
    """One accelerator as the software sees it: half a card where a card shows two devices."""

    id: Identifier
    """Unique id, also the shortest exact name."""

    name: Name
    """Name people read."""

    vendor: Name
    """Company that makes it."""

    family: Identifier
    """Variants of one product share it: `h100` for SXM, PCIe and NVL."""

    family_default: bool = False
    """Whether the bare family name means this variant."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    segment: Segment
    """Market it is sold to."""

    architecture: Identifier
    """Generation that decides which number formats run: `ampere`, `hopper`, `cdna3`."""

    compute_capability: Text | None = None
    """CUDA compute capability such as 8.9, or the compiler target of other vendors."""

    memory_gb: Positive
    """Memory on the name plate of one device, GB as marketed."""

    usable_mib: PositiveCount
    """Memory the driver shows of one device, MiB."""

    usable_is_measured: bool
    """Whether `usable_mib` was read from a machine; else it is the share of its memory class."""

    unified_memory: bool = False
    """Whether the memory is shared with the host's processor."""

    raised_usable_mib: PositiveCount | None = None
    """Memory the driver shows once the system's limit for the GPU is raised, MiB."""

    raised_by: Text | None = None
    """Command or kernel parameter that raises the limit."""

    host_share_mib: Count = 0
    """Part of the usable memory that the operating system keeps from the engine, MiB."""

    coherent_host_gb: Positive | None = None
    """Memory of the attached processor for each GPU, reached over a coherent link, GB."""

    memory_type: Name
    """Kind of memory: HBM3, GDDR6."""

    bandwidth_gb_per_s: Positive
    """Memory bandwidth, GB per second."""

    fp16_dense_tflops: Positive | None = None
    """FP16 matrix rate without sparsity, TFLOPS."""

    bf16_dense_tflops: Positive | None = None
    """BF16 matrix rate without sparsity, TFLOPS."""

    fp8_dense_tflops: Positive | None = None
    """FP8 matrix rate without sparsity, TFLOPS."""

    fp4_dense_tflops: Positive | None = None
    """FP4 matrix rate without sparsity, TFLOPS."""

    int8_dense_tops: Positive | None = None
    """INT8 matrix rate without sparsity, TOPS."""

    board_power_w: Positive | None = None
    """Maximum power of one device, W; unknown where the vendor does not publish it."""

    devices_per_card: PositiveCount = 1
    """Devices that one card carries."""

    sold_in_gpus: tuple[PositiveCount, ...] = ()
    """Devices of one baseboard, tray or card, where they are not sold singly; ascending."""

    most_per_server_gpus: PositiveCount | None = None
    """Devices of the largest server that takes it; None where that is a full server of eight."""

    form_factor: Name | None = None
    """Card or module format."""

    slots: Positive | None = None
    """Slots that a card takes."""

    pcie_generation: PositiveCount | None = None
    """PCI Express generation of the host link."""

    pcie_lanes: PositiveCount | None = None
    """Lanes of the host link."""

    host_link_gb_per_s: Positive | None = None
    """Host link that is not PCI Express (NVLink-C2C), one direction, GB per second."""

    link_gb_per_s: Positive | None = None
    """Card-to-card link (NVLink, xGMI), both directions together, GB per second."""

    link_max_gpus: PositiveCount | None = None
    """Devices that one such link domain joins."""

    mig: bool = False
    """Whether the device can be cut into MIG slices."""

    mig_profiles: tuple[MigProfile, ...] = ()
    """Slices it can be cut into, smallest first; none where slices share all memory."""

    cooling: Name | None = None
    """How the card is cooled."""

    release_year: Annotated[int, Field(ge=2010, le=2100)] | None = None
    """Year of release."""

    in_production: bool
    """Whether it can still be bought new."""

    tier: Tier | None = None
    """Class the articles put it in, where they name it."""

    note: Text | None = None
    """What a buyer should know, one sentence."""

    def is_sold_as(self, gpus: int) -> bool:
        """Return whether `gpus` devices fill whole boards."""
        if not self.sold_in_gpus:
            return True
        return gpus in self.sold_in_gpus or gpus % self.sold_in_gpus[-1] == 0

    def mig_profile(self, name: str) -> MigProfile | None:
        """Return the slice of that name, where the device gives one."""
        return next((each for each in self.mig_profiles if each.name == name), None)

    @property
    def usable_bytes(self) -> int:
        """Return the memory the driver shows, bytes."""
        return self.usable_mib * MIB

    @property
    def raised_usable_bytes(self) -> int:
        """Return the memory it shows at the raised limit; the usual one where none is known."""
        return (self.raised_usable_mib or self.usable_mib) * MIB
