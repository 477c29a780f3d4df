"""What stands around the GPUs: host, drives, machine, electricity, cooling, room."""

from __future__ import annotations

from sizing.price import Terms
from sizing.records import GpuRecord, Record
from sizing.spec.facility import FacilityPlan, Use
from sizing.spec.facts_files import SpecFacts
from sizing.spec.fitting import gpus_taken
from sizing.spec.host import HostPlan, host_for
from sizing.spec.load import ServerLoad
from sizing.spec.planned import facility_for
from sizing.spec.platform import PlatformChoice, platforms_for
from sizing.spec.request import SpecRequest
from sizing.spec.storage import StoragePlan, storage_for
from sizing.spec.wanted import wanted_server

USUAL_PUE = 1.54
"""Power of a site over that of its computers where the catalogue has none (Uptime 2025)."""


class Around(Record):
    """One server without its GPUs, and the room of all of them."""

    host: HostPlan
    """Processors, memory, lanes, links, network."""

    storage: StoragePlan
    """Drives."""

    platform: PlatformChoice
    """Machines that take the cards."""

    facility: FacilityPlan
    """Power, circuits, cooling and the room of all servers."""


def around_of(
    load: ServerLoad, request: SpecRequest, facts: SpecFacts, terms: Terms | None
) -> Around:
    """Return what stands around the GPUs of `load`; raise UnknownCountryError."""
    storage = storage_for(load, request.storage)
    host = host_for(load, request.host, facts.machines, data_drives=storage.data_drives)
    platform = platforms_for(
        load,
        request.host,
        facts.machines,
        host=host,
        storage=storage,
        has_liquid=request.site.liquid,
    )
    facility = facility_for(
        load,
        host,
        storage,
        platform.options[0] if platform.options else None,
        site=request.site,
        electricity=facts.electricity,
        use=Use(terms.pue, terms.hours_per_day) if terms else Use(USUAL_PUE),
    )
    return Around(host=host, storage=storage, platform=platform, facility=facility)


def most_per_server(request: SpecRequest, gpu: GpuRecord, facts: SpecFacts) -> int | None:
    """Return the GPUs that the wanted machine takes; None without one, or where it takes none."""
    machine = wanted_server(request.host.platform, facts.machines)
    return (gpus_taken(machine, gpu) or None) if machine else None
