"""The host of one server: processors, memory, PCI Express, links, network."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.performance import Estimate
from sizing.spec import cores as core_counts
from sizing.spec import ram as memory
from sizing.spec.cores import CoreRule, cpu_w
from sizing.spec.host_notes import host_notes
from sizing.spec.host_plan import HostPlan
from sizing.spec.lanes import LanePart, gpu_link, lane_parts
from sizing.spec.load import ServerLoad
from sizing.spec.machines import MachineFile
from sizing.spec.network import network_ports
from sizing.spec.processors import (
    Need,
    Processors,
    built_in_processors,
    built_in_ram_gb,
    choose,
    comes_with_processor,
)
from sizing.spec.ram import RamRule
from sizing.spec.wanted import wanted_server
from sizing.spec.wishes import HostWishes

__all__ = ["HostPlan", "host_for"]

GIVEN = "given"
"""Rule that decides where the asker named the size."""

BUILT_IN = "built_in"
"""Rule that decides where it comes with the GPU."""


@dataclass(frozen=True)
class _Sizes:
    """Sizes that were named or that the rules lead to, and what decided them."""

    ram_gb: float
    ram_by: str
    cores: int
    cores_by: str


def host_for(
    load: ServerLoad, wishes: HostWishes, machines: MachineFile, *, data_drives: int = 1
) -> HostPlan:
    """Return the host of one server of `load`, with `data_drives` NVMe drives beside the system's.

    Named sizes are taken as they are, and a note says where they fall short.
    """
    rules, core_rules = memory.ram_rules(load), core_counts.core_rules(load)
    sizes = _sizes(load, wishes, rules, core_rules)
    ports = network_ports(load)
    all_lanes, own_lanes = (
        lane_parts(load, ports, data_drives=data_drives, has_chipset=chipset)
        for chipset in (False, True)
    )
    need = Need(sizes.cores, sizes.ram_gb, (_sum(all_lanes), _sum(own_lanes)))
    chosen = _processors(load, need, wishes, machines)
    lanes = _lanes(load, own_lanes if chosen and chosen.cpu.chipset_lanes else all_lanes)
    ram_gb = float(chosen.dimms.ram_gb) if chosen and chosen.dimms else sizes.ram_gb
    ram_gb = wishes.ram_gb or ram_gb
    plan = HostPlan(
        cpu=chosen.cpu.id if chosen else None,
        cpu_example=chosen.model.name if chosen else None,
        cpu_comes_with_gpu=comes_with_processor(load.gpu),
        sockets=chosen.sockets if chosen else None,
        cores=wishes.cpu_cores or (chosen.cores if chosen else None),
        cores_needed=core_counts.deciding(core_rules).cores,
        core_rules=core_rules,
        cores_bound_by=sizes.cores_by,
        practised_cores=core_counts.practised(load.gpus),
        ram_gb=ram_gb,
        ram_needed_gb=memory.deciding(rules).ram_gb,
        ram_rules=rules,
        ram_bound_by=sizes.ram_by,
        dimms=chosen.dimms if chosen and wishes.ram_gb is None else None,
        memory_channels=chosen.channels if chosen else None,
        memory_gb_per_s=chosen.memory_gb_per_s if chosen else None,
        ram_to_gpu_memory=round(ram_gb / (load.gpu.memory_gb * load.gpus), 2),
        practised_ratio=memory.practised_ratio(load),
        pcie_generation=load.gpu.pcie_generation,
        lane_parts=lanes,
        lanes_needed=_sum(lanes),
        lanes=chosen.lanes if chosen and not chosen.built else None,
        needs_switches=bool(chosen and not chosen.built and chosen.lanes < _sum(lanes)),
        gpu_link=gpu_link(load),
        ports=ports,
        shared_memory_gb=memory.shared_memory_gb(load),
        cpu_w=_cpu_w(chosen),
    )
    return plan.model_copy(update={"notes": host_notes(plan, load, wishes, chosen)})


def _sizes(
    load: ServerLoad,
    wishes: HostWishes,
    rules: tuple[RamRule, ...],
    core_rules: tuple[CoreRule, ...],
) -> _Sizes:
    ram, cores = memory.deciding(rules), core_counts.deciding(core_rules)
    built_in_gb = built_in_ram_gb(load)
    ram_gb, ram_by = ram.ram_gb, ram.code
    if wishes.ram_gb is not None:
        ram_gb, ram_by = wishes.ram_gb, GIVEN
    elif built_in_gb is not None:
        ram_gb, ram_by = built_in_gb, BUILT_IN
    named = wishes.cpu_cores
    return _Sizes(ram_gb, ram_by, named or cores.cores, GIVEN if named else cores.code)


def _processors(
    load: ServerLoad, need: Need, wishes: HostWishes, machines: MachineFile
) -> Processors | None:
    if comes_with_processor(load.gpu):
        return built_in_processors(load, machines)
    server = wanted_server(wishes.platform, machines)
    wanted = next((cpu for cpu in machines.cpu if server and cpu.id == server.cpu), None)
    return choose(load, need, machines, wanted)


def _lanes(load: ServerLoad, parts: tuple[LanePart, ...]) -> tuple[LanePart, ...]:
    """Return what takes lanes; nothing where the processors come with the GPUs."""
    return () if comes_with_processor(load.gpu) else parts


def _cpu_w(chosen: Processors | None) -> Estimate | None:
    if chosen is None or (chosen.built and chosen.built.in_board_power):
        return None
    return cpu_w(chosen.model, chosen.sockets)


def _sum(parts: tuple[LanePart, ...]) -> int:
    return sum(part.lanes for part in parts)
