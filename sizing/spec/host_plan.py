"""What the host of one server is made of."""

from __future__ import annotations

from sizing.notes import Note
from sizing.performance import Estimate
from sizing.records import Count, Identifier, Name, Positive, PositiveCount, Record
from sizing.spec.cores import CoreRule
from sizing.spec.lanes import GpuLink, LanePart
from sizing.spec.network import NetworkPort
from sizing.spec.ram import Dimms, PractisedRatio, RamRule


class HostPlan(Record):
    """Host of one server."""

    cpu: Identifier | None
    """Generation of its processors, id; None where they come with the GPU and are not listed."""

    cpu_example: Name | None
    """A model with enough cores: cores come before clock."""

    cpu_comes_with_gpu: bool
    """Whether processors and memory come with the GPU."""

    sockets: PositiveCount | None
    """Processors."""

    cores: PositiveCount | None
    """Physical cores of all of them."""

    cores_needed: PositiveCount
    """Cores that the load asks for."""

    core_rules: tuple[CoreRule, ...]
    """What each rule for cores asks for."""

    cores_bound_by: str
    """Rule that decided."""

    practised_cores: tuple[int, int, int] | None
    """Cores that others buy, least, median and most; None where few such servers are published."""

    ram_gb: Positive
    """Memory, GB."""

    ram_needed_gb: Positive
    """Memory that the load asks for, GB."""

    ram_rules: tuple[RamRule, ...]
    """What each rule for memory asks for, those that hold first."""

    ram_bound_by: str
    """Rule that decided."""

    dimms: Dimms | None
    """Modules that make it up; None where it is soldered or given."""

    memory_channels: PositiveCount | None
    """Memory channels of all sockets."""

    memory_gb_per_s: Positive | None
    """What they read at most, GB per second."""

    ram_to_gpu_memory: Positive
    """Memory for each GB on the GPUs' name plates."""

    practised_ratio: PractisedRatio | None
    """The same on hosts that others bought: a check, no rule; None where it comes with the GPU."""

    pcie_generation: PositiveCount | None
    """PCI Express generation that the GPUs use; None where they have none."""

    lane_parts: tuple[LanePart, ...]
    """What takes lanes of the processors."""

    lanes_needed: Count
    """Sum of the parts."""

    lanes: PositiveCount | None
    """Lanes of all sockets."""

    needs_switches: bool
    """Whether PCI Express switches have to share the lanes out."""

    gpu_link: GpuLink
    """Link between the GPUs: needed or not, there or not."""

    ports: tuple[NetworkPort, ...]
    """Network ports."""

    shared_memory_gb: Positive
    """What the containers together need in /dev/shm, GB."""

    cpu_w: Estimate | None
    """Draw of the processors, W; None where the power of the GPUs counts them."""

    notes: tuple[Note, ...] = ()
    """What was assumed, and what to know."""
