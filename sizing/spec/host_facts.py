"""What the plan of host, drives and machine tells a purchase."""

from __future__ import annotations

from typing import Any

from sizing.spec.drives import DriveSet
from sizing.spec.host_plan import HostPlan
from sizing.spec.machine_kinds import Cooling, MachineKind
from sizing.spec.platform_plan import PlatformChoice, PlatformOption
from sizing.spec.storage import StoragePlan
from sizing.units import GB, GIB

RAIDS = {"raid0": "RAID 0", "raid1": "RAID 1", "raid10": "RAID 10"}
"""Names of the levels."""

COMMON_DRIVE = "nvme4"
"""Kind of drive whose rate and load time are asked for: to be had from every maker."""

IN_RACKS = frozenset({MachineKind.RACK_SERVER, MachineKind.RACK_SYSTEM})
"""Machines that stand in a rack."""

Facts = dict[str, Any]


def host_facts(host: HostPlan, storage: StoragePlan, choice: PlatformChoice) -> Facts:
    """Return values of ChecklistFacts by name; None for what is not known."""
    best = choice.options[0] if choice.options else None
    return _host(host) | _network(host) | _storage(storage) | (_machine(best) if best else {})


def _host(host: HostPlan) -> Facts:
    modules = host.dimms
    return {
        "cpu_sockets": host.sockets,
        "cpu_cores": host.cores or host.cores_needed,
        "ram_gb": host.ram_gb,
        "ram_modules": modules.modules if modules else None,
        "ram_module_gb": modules.module_gb if modules else None,
        "ram_channels": host.memory_channels,
        "pcie_generation": host.pcie_generation,
        "shm_gib": host.shared_memory_gb * GB / GIB,
        "gpu_link": host.gpu_link.name,
        "gpu_link_gb_per_s": host.gpu_link.link_gb_per_s,
    }


def _network(host: HostPlan) -> Facts:
    ports = {port.code: port for port in host.ports}
    service, fabric = ports.get("service"), ports.get("fabric")
    return {
        "network_ports": service.ports if service else None,
        "network_gbps": service.rate_gbps if service else None,
        "fabric_ports": fabric.ports if fabric else 0,
        "fabric_gbps": fabric.rate_gbps if fabric else None,
    }


def _storage(storage: StoragePlan) -> Facts:
    sets = {one.code: one for one in storage.sets}
    system, cache, kept = sets["system"], sets["cache"], sets.get("kept")
    loading = next((one for one in storage.load_times if one.drive == COMMON_DRIVE), None)
    return {
        "os_disks": system.drives,
        "os_disk_gb": system.drive_gb,
        **_disks("data", cache),
        **(_disks("kept", kept) if kept else {"kept_disks": 0}),
        "data_is_single": cache.raid not in RAIDS,
        "data_needed_gb": cache.needed_gb + (kept.needed_gb if kept else 0),
        "read_gb_per_s": loading.read_gb_per_s if loading else None,
        "load_seconds": loading.load_seconds.high if loading else None,
        "backup_gb": storage.backup_gb or None,
    }


def _disks(purpose: str, drives: DriveSet) -> Facts:
    return {
        f"{purpose}_disks": drives.drives,
        f"{purpose}_disk_gb": drives.drive_gb,
        f"{purpose}_raid": RAIDS.get(drives.raid),
    }


def _machine(option: PlatformOption) -> Facts:
    """Return what sources confirm of the machine that comes first."""
    known = {
        "psus": option.psus,
        "psu_w": option.psu_w,
        "psus_needed": option.psus_needed,
        "weight_kg": option.weight_kg,
        "inlet_low_c": option.inlet_low_c,
        "inlet_high_c": option.inlet_high_c,
    }
    sure = {name: value for name, value in known.items() if name not in option.unverified}
    return {
        "platform": option.name,
        "is_rack_mounted": option.kind in IN_RACKS,
        "free_gpu_slots": option.takes_gpus - option.gpus_per_machine,
        "liquid_required": option.cooling is Cooling.LIQUID,
        "server_kg": sure.pop("weight_kg", None),
        **sure,
    }
