"""From the host, storage and machine of a plan to its electricity, cooling and room."""

from __future__ import annotations

from sizing.spec.drives import DriveSet
from sizing.spec.electricity import Electricity
from sizing.spec.facility import FacilityPlan, Machine, Use, facility_of
from sizing.spec.host_parts import HostParts, usual_parts
from sizing.spec.host_plan import HostPlan
from sizing.spec.load import ServerLoad
from sizing.spec.machine_kinds import Cooling, MachineKind
from sizing.spec.platform_plan import PlatformOption
from sizing.spec.storage import StoragePlan
from sizing.spec.wishes import SiteWishes
from sizing.units import ceil_div

UNKNOWN_UNITS = 4
"""Rack units of a machine whose height nobody tells: the usual one for eight cards."""

AT_DESK = frozenset({MachineKind.WORKSTATION, MachineKind.DESKTOP, MachineKind.EDGE})
"""Machines with a desktop's supplies and one outlet."""


def facility_for(
    load: ServerLoad,
    host: HostPlan,
    storage: StoragePlan,
    machine: PlatformOption | None,
    *,
    site: SiteWishes,
    electricity: Electricity,
    use: Use,
) -> FacilityPlan:
    """Return what the servers of a plan ask of electricity, cooling and the room.

    `machine` is the one they are; None where none was chosen. Its printed maximum counts where the
    load fills it. Raises UnknownCountryError.
    """
    whole = in_machines(load, machine)
    parts = planned_parts(whole, load, host, storage, machine=machine, electricity=electricity)
    printed = _machine(machine, electricity)
    return facility_of(whole, parts, printed, site, electricity=electricity, use=use)


def in_machines(load: ServerLoad, machine: PlatformOption | None) -> ServerLoad:
    """Return the load by whole machines: eighteen trays of four GPUs are one rack of 72."""
    if machine is None or machine.gpus_per_machine == load.gpus:
        return load
    gpus = machine.gpus_per_machine
    spare = ceil_div(load.spare_servers * load.gpus, gpus)
    return load.model_copy(
        update={"gpus": gpus, "servers": machine.machines, "spare_servers": spare}
    )


def planned_parts(
    whole: ServerLoad,
    load: ServerLoad,
    host: HostPlan,
    storage: StoragePlan,
    *,
    machine: PlatformOption | None,
    electricity: Electricity,
) -> HostParts:
    """Return the parts of one machine: those of each host in it, and fans as usual for its GPUs."""
    usual = usual_parts(whole.gpu, whole.gpus, electricity)
    hosts = ceil_div(whole.gpus, load.gpus)
    typical, high = _processors(host, usual, hosts)
    return HostParts(
        cpu_typical_w=typical,
        cpu_high_w=high,
        dimms=host.dimms.modules * hosts if host.dimms else usual.dimms,
        drives=_drives(storage.sets) * hosts,
        nics=sum(port.adapters for port in host.ports) * hosts,
        is_desktop=machine.kind in AT_DESK if machine else usual.is_desktop,
        fans_share=usual.fans_share,
    )


def _processors(host: HostPlan, usual: HostParts, hosts: int) -> tuple[float, float]:
    """Return typical and highest draw of all processors, W; none where the GPU counts them."""
    if host.cpu_w:
        # At the maximum of the server its processors are at theirs.
        return host.cpu_w.high * hosts, host.cpu_w.high * hosts
    if host.cpu_comes_with_gpu:
        return 0, 0
    return usual.cpu_typical_w, usual.cpu_high_w


def _drives(sets: tuple[DriveSet, ...]) -> int:
    return sum(each.drives for each in sets)


def _machine(machine: PlatformOption | None, electricity: Electricity) -> Machine:
    if machine is None:
        return Machine(rack_units=UNKNOWN_UNITS)
    is_full = machine.gpus_per_machine == machine.takes_gpus
    inlet_c = None
    if machine.inlet_low_c is not None and machine.inlet_high_c is not None:
        inlet_c = (machine.inlet_low_c, machine.inlet_high_c)
    return Machine(
        rack_units=machine.rack_units or UNKNOWN_UNITS,
        most_w=machine.max_power_w if is_full else None,
        weight_kg=machine.weight_kg,
        inlet_c=inlet_c,
        needs_liquid=machine.cooling is Cooling.LIQUID,
        system=electricity.system(machine.id) if is_full else None,
    )
