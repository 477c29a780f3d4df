"""Whether one machine takes the cards of a load, and how many machines that makes."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.notes import Note, note
from sizing.records import GpuRecord
from sizing.spec.host_plan import HostPlan
from sizing.spec.load import ServerLoad
from sizing.spec.machine_kinds import Cooling, MachineKind
from sizing.spec.machines import ServerRecord
from sizing.spec.slots import (
    cards,
    has_fan,
    is_card,
    needs_airflow,
    places,
    slot_form,
)
from sizing.spec.storage import StoragePlan
from sizing.units import ceil_div


def gpus_taken(server: ServerRecord, gpu: GpuRecord) -> int:
    """Return the GPUs that the machine takes; 0 where it has no place or no air for them.

    Baseboards, trays and built-in GPUs are those that are named; cards go by their size.
    """
    if not is_card(gpu):
        if gpu.id not in server.named_gpus:
            return 0
        return max(places(group, slot_form(gpu)) for group in server.slots)
    if not _has_air(server, gpu):
        return 0
    most = max(places(group, slot_form(gpu)) for group in server.slots)
    return most * gpu.devices_per_card


def gpus_used(server: ServerRecord, load: ServerLoad) -> int:
    """Return the GPUs that the load fills of one such machine: whole copies, unless one spans.

    A rack of trays takes those of all servers. 0 where the machine takes none, or fewer than one
    copy needs.
    """
    whole = load.gpus * load.servers if server.kind is MachineKind.RACK_SYSTEM else load.gpus
    most = min(gpus_taken(server, load.gpu), whole)
    if load.spans_servers or not most:
        return most
    widest = max(model.gpus_per_copy for model in load.models)
    return most // widest * widest


def machines_needed(server: ServerRecord, load: ServerLoad) -> int:
    """Return how many such machines take all GPUs of the load, spare ones not counted."""
    return ceil_div(load.gpus * load.servers, gpus_used(server, load))


def refusals(
    server: ServerRecord,
    load: ServerLoad,
    host: HostPlan,
    storage: StoragePlan,
    *,
    has_liquid: bool | None,
) -> tuple[Note, ...]:
    """Return why the machine does not do; empty where it does."""
    return tuple(_refusals(server, load, host, storage, has_liquid=has_liquid))


def _refusals(
    server: ServerRecord,
    load: ServerLoad,
    host: HostPlan,
    storage: StoragePlan,
    *,
    has_liquid: bool | None,
) -> Iterator[Note]:
    gpu = load.gpu
    if not gpus_taken(server, gpu):
        yield _no_place(server, gpu)
    elif not gpus_used(server, load):
        yield note(
            "platform_copy_too_wide",
            gpus=gpus_taken(server, gpu),
            needed_gpus=max(model.gpus_per_copy for model in load.models),
        )
    if server.is_sure_of("max_ram_gb") and (server.max_ram_gb or 0) < _ram_gb(host):
        yield note("platform_ram_short", ram_gb=server.max_ram_gb, needed_gb=_ram_gb(host))
    if server.is_sure_of("drive_bays") and (server.drive_bays or 0) < storage.data_drives:
        yield note("platform_bays_short", bays=server.drive_bays, needed=storage.data_drives)
    if server.cooling is Cooling.LIQUID and has_liquid is False:
        yield note("platform_no_liquid")


def doubts(
    server: ServerRecord, load: ServerLoad, host: HostPlan, storage: StoragePlan
) -> tuple[Note, ...]:
    """Return what has to be asked of the vendor before the machine is bought."""
    return tuple(_doubts(server, load, host, storage))


def _doubts(
    server: ServerRecord, load: ServerLoad, host: HostPlan, storage: StoragePlan
) -> Iterator[Note]:
    gpu, needed_gb = load.gpu, _ram_gb(host)
    if "slots" in server.unverified:
        yield note("platform_slots_unverified")
    if gpu.id not in server.named_gpus or "named_gpus" in server.unverified:
        yield note("platform_gpu_not_named", gpu=gpu.id)
    is_tested = (server.tested_ram_gb or 0) >= needed_gb
    if not is_tested and not server.is_sure_of("max_ram_gb") and not host.cpu_comes_with_gpu:
        yield note("platform_ram_unknown", needed_gb=needed_gb, tested_gb=server.tested_ram_gb)
    if not server.is_sure_of("drive_bays"):
        yield note("platform_bays_unknown", needed=storage.data_drives)
    if cards(gpu, load.gpus) > 1 and server.max_power_w is None and server.psu_w is None:
        yield note("platform_power_unknown")


def _has_air(server: ServerRecord, gpu: GpuRecord) -> bool:
    """Return whether cards without a fan get the machine's air, and those with one their own.

    Between other cards of a rack server only blowers do, which let their air out behind.
    """
    if gpu.id in server.named_gpus:
        return True
    as_passive = server.airflow_for_passive and "passive" in (gpu.cooling or "")
    blows_in_rack = server.kind is not MachineKind.RACK_SERVER or "blower" in (gpu.cooling or "")
    return as_passive or (has_fan(gpu) and server.room_for_active and blows_in_rack)


def _no_place(server: ServerRecord, gpu: GpuRecord) -> Note:
    has_slots = is_card(gpu) and any(places(group, slot_form(gpu)) for group in server.slots)
    if not has_slots:
        return note("platform_no_slots", gpu=gpu.id)
    is_passive = needs_airflow(gpu)
    return note("platform_no_airflow" if is_passive else "platform_no_room_for_fans", gpu=gpu.id)


def _ram_gb(host: HostPlan) -> float:
    """Return the memory that the machine has to take, GB: as planned, less only if named less."""
    return min(host.ram_gb, host.ram_needed_gb) if host.dimms else host.ram_gb
