"""Servers and workstations that take the cards of a load, best first."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.notes import Note, note
from sizing.records import GpuRecord
from sizing.spec.advice import ADVICE
from sizing.spec.fitting import doubts, gpus_taken, gpus_used, machines_needed, refusals
from sizing.spec.host_plan import HostPlan
from sizing.spec.load import ServerLoad
from sizing.spec.machine_kinds import Cooling, MachineKind
from sizing.spec.machines import MachineFile, ServerRecord
from sizing.spec.platform_plan import PlatformAsk, PlatformChoice, PlatformOption
from sizing.spec.slots import cards, is_card, is_for_desks, needs_airflow, slot_form
from sizing.spec.storage import StoragePlan
from sizing.spec.wanted import wanted_server
from sizing.spec.wishes import HostWishes

__all__ = ["PlatformChoice", "fits_at_desk", "platforms_for"]

MOST_OPTIONS = 5
"""Machines that are proposed."""

OVERSIZED = 4
"""Places for each card that is needed from which a machine is too large."""

GENERIC = "generic"
"""Maker of machines that somebody built of parts."""

DESKS = frozenset({MachineKind.DESKTOP, MachineKind.TOWER_SERVER, MachineKind.WORKSTATION})
"""Kinds that stand beside a desk."""


def platforms_for(
    load: ServerLoad,
    wishes: HostWishes,
    machines: MachineFile,
    *,
    host: HostPlan,
    storage: StoragePlan,
    has_liquid: bool | None = None,
) -> PlatformChoice:
    """Return the machines that take the cards of `load` with that host and storage, best first.

    A named machine comes first where it does; else a note says why not. `has_liquid` is whether
    the room cools liquid; None where nobody said.
    """
    fitting = [
        server
        for server in machines.server
        if not refusals(server, load, host, storage, has_liquid=has_liquid)
    ]
    wanted = wanted_server(wishes.platform, machines)
    options = [_option(server, load, host, storage) for server in fitting]
    by_id = {server.id: server for server in fitting}
    ranked = sorted(options, key=lambda one: _rank(one, by_id[one.id], load, wanted))
    why_not = refusals(wanted, load, host, storage, has_liquid=has_liquid) if wanted else ()
    return PlatformChoice(
        options=tuple(ranked[:MOST_OPTIONS]),
        ask=_ask(load, host, storage),
        notes=tuple(_notes(wishes, wanted, why_not, ranked)),
    )


def fits_at_desk(load: ServerLoad) -> bool:
    """Return whether one workstation is enough: one server, of GPUs that are made for desks.

    The second article's advice: begin with one workstation before a rack.
    """
    return is_for_desks(load.gpu) and load.servers + load.spare_servers == 1


def _rank(
    option: PlatformOption, server: ServerRecord, load: ServerLoad, wanted: ServerRecord | None
) -> tuple[bool | int | str, ...]:
    """Return what machines are ordered by, least first."""
    sure_of_gpu = _is_sure_of_gpu(server, load.gpu)
    return (
        wanted is None or server.id != wanted.id,
        fits_at_desk(load) and server.kind not in DESKS,
        "slots" in server.unverified,
        not sure_of_gpu,
        server.vendor == GENERIC and not sure_of_gpu,
        option.machines,
        server.cooling is Cooling.LIQUID,
        option.takes_gpus > OVERSIZED * option.gpus_per_machine,
        len(option.doubts),
        option.takes_gpus - option.gpus_per_machine,
        server.rack_units or 0,
        server.id,
    )


def _option(
    server: ServerRecord, load: ServerLoad, host: HostPlan, storage: StoragePlan
) -> PlatformOption:
    return PlatformOption(
        id=server.id,
        name=server.name if server.vendor == GENERIC else f"{server.vendor} {server.name}",
        kind=server.kind,
        machines=machines_needed(server, load),
        gpus_per_machine=gpus_used(server, load),
        takes_gpus=gpus_taken(server, load.gpu),
        rack_units=server.rack_units,
        max_power_w=server.max_power_w,
        psus=server.psus,
        psu_w=server.psu_w,
        psus_needed=server.psus_needed,
        weight_kg=server.weight_kg,
        inlet_low_c=server.inlet_low_c,
        inlet_high_c=server.inlet_high_c,
        cooling=server.cooling,
        reasons=tuple(_reasons(server, load)),
        doubts=doubts(server, load, host, storage),
        unverified=server.unverified,
        sources=server.sources,
    )


def _reasons(server: ServerRecord, load: ServerLoad) -> Iterator[Note]:
    gpu = load.gpu
    if _is_sure_of_gpu(server, gpu):
        yield note("platform_gpu_named", gpu=gpu.id)
    if fits_at_desk(load) and server.kind in DESKS:
        yield note("platform_workstation_first")
    if needs_airflow(gpu):
        yield note("platform_airflow")
    yield from _sizes(server, load)
    if server.cooling is Cooling.LIQUID:
        yield note("platform_needs_liquid")
    for advice in server.advice:
        yield ADVICE[advice]


def _sizes(server: ServerRecord, load: ServerLoad) -> Iterator[Note]:
    """Return how its places and the machines go with the GPUs of the load."""
    taken, used = gpus_taken(server, load.gpu), gpus_used(server, load)
    machines = machines_needed(server, load)
    if taken > used:
        yield note(
            "platform_room_to_grow" if is_card(load.gpu) else "platform_board_is_larger",
            gpus=taken,
            free_gpus=taken - used,
        )
    if machines > load.servers:
        yield note("platform_more_machines", machines=machines, gpus=used)


def _is_sure_of_gpu(server: ServerRecord, gpu: GpuRecord) -> bool:
    """Return whether a source names that GPU for the machine."""
    return gpu.id in server.named_gpus and "named_gpus" not in server.unverified


def _ask(load: ServerLoad, host: HostPlan, storage: StoragePlan) -> PlatformAsk:
    gpu = load.gpu
    each_w = gpu.board_power_w
    return PlatformAsk(
        form=slot_form(gpu),
        gpus=load.gpus,
        cards=cards(gpu, load.gpus),
        card_w=each_w * gpu.devices_per_card if each_w else None,
        needs_airflow=needs_airflow(gpu),
        stands_at_desk=fits_at_desk(load),
        sockets=host.sockets,
        cores=max(host.cores or 0, host.cores_needed),
        ram_gb=max(host.ram_gb, host.ram_needed_gb),
        pcie_generation=host.pcie_generation,
        system_drives=storage.drives - storage.data_drives,
        data_bays=storage.data_drives,
        link=host.gpu_link.code,
    )


def _notes(
    wishes: HostWishes,
    wanted: ServerRecord | None,
    why_not: tuple[Note, ...],
    options: list[PlatformOption],
) -> Iterator[Note]:
    if wishes.platform and wanted is None:
        yield note("platform_not_listed", platform=wishes.platform)
    if wanted and why_not:
        yield note("platform_wanted_does_not_do", platform=wanted.name)
        yield from why_not
    if not options:
        yield note("platform_none_listed")
    elif len(options) > MOST_OPTIONS:
        yield note("platform_more_listed", count=len(options) - MOST_OPTIONS)
    yield note("platform_ask_vendor")
