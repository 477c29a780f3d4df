"""What to know about a host beside its sizes."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.notes import Note, note
from sizing.spec.host_plan import HostPlan
from sizing.spec.load import ServerLoad
from sizing.spec.network import is_inside_link
from sizing.spec.processors import Processors
from sizing.spec.wishes import HostWishes

SWAP_GB_PER_S = 7
"""What an NVMe drive of PCI Express 4 reads at best, GB per second (storage part)."""


def host_notes(
    plan: HostPlan, load: ServerLoad, wishes: HostWishes, chosen: Processors | None
) -> tuple[Note, ...]:
    """Return the notes, what falls short first."""
    found = (
        *_shortfalls(plan, wishes),
        *_practice(plan, load),
        *_memory(plan, chosen),
        *_processors(plan, chosen),
        *_links(plan, load),
    )
    return tuple(found)


def _shortfalls(plan: HostPlan, wishes: HostWishes) -> Iterator[Note]:
    ram_gb, needed_gb = plan.ram_gb, plan.ram_needed_gb
    if ram_gb < needed_gb and wishes.ram_gb:
        yield note("host_ram_given_short", ram_gb=ram_gb, needed_gb=needed_gb)
    elif ram_gb < needed_gb:
        yield note("host_ram_built_in_short", ram_gb=ram_gb, needed_gb=needed_gb)
    elif plan.dimms is None and not wishes.ram_gb and not plan.cpu_comes_with_gpu:
        yield note("host_ram_beyond_sockets", needed_gb=needed_gb)
    if wishes.cpu_cores and wishes.cpu_cores < plan.cores_needed:
        yield note("host_cores_given_short", cores=wishes.cpu_cores, needed=plan.cores_needed)


def _practice(plan: HostPlan, load: ServerLoad) -> Iterator[Note]:
    """Say where the memory is below that of every published host with as many GPUs."""
    if plan.practised_ratio is None:
        return
    least_gb = plan.practised_ratio.low * load.gpu.memory_gb * load.gpus
    if plan.ram_gb < least_gb:
        yield note("host_ram_below_practice", least_gb=least_gb)


def _memory(plan: HostPlan, chosen: Processors | None) -> Iterator[Note]:
    if plan.dimms:
        yield note(
            "host_channels_filled",
            modules=plan.dimms.modules,
            module_gb=plan.dimms.module_gb,
            channels=plan.memory_channels,
        )
        if plan.dimms.per_channel > 1:
            yield note("host_two_modules_per_channel")
    if plan.memory_gb_per_s and not (chosen and chosen.built):
        yield note(
            "host_swap",
            memory_gb_per_s=round(plan.memory_gb_per_s),
            drive_gb_per_s=SWAP_GB_PER_S,
            times=round(plan.memory_gb_per_s / SWAP_GB_PER_S),
        )


def _processors(plan: HostPlan, chosen: Processors | None) -> Iterator[Note]:
    if plan.cpu_comes_with_gpu:
        yield note("host_comes_with_gpu")
        return
    yield note("host_cores_before_clock")
    if chosen and chosen.cpu.unverified:
        yield note("host_cpu_unverified", cpu=chosen.cpu.name)
    if plan.needs_switches:
        yield note("host_pcie_switches", lanes_needed=plan.lanes_needed, lanes=plan.lanes)


def _links(plan: HostPlan, load: ServerLoad) -> Iterator[Note]:
    if plan.gpu_link.code == "pcie_only":
        yield note("host_split_over_pcie", gpu=load.gpu.id)
    if plan.gpu_link.code == "bridge_too_small":
        yield note("host_bridge_too_small", joined_gpus=plan.gpu_link.joined_gpus)
    if load.spans_servers and is_inside_link(load):
        yield note("host_inside_link_domain", joined_gpus=plan.gpu_link.joined_gpus)
