"""What is in a server beside its GPUs, and what each part draws."""

from __future__ import annotations

from math import ceil

from sizing.performance import Estimate
from sizing.records import Count, GpuRecord, Identifier, Positive, Record, Segment
from sizing.running import all_times, exactly
from sizing.spec.electricity import Electricity
from sizing.spec.machine_records import PartsRecord
from sizing.split_notes import GPUS_PER_SERVER

TWO_SOCKETS_FROM = 4
"""GPUs from which a server has two processors."""

WHOLE_COMPUTERS = frozenset({Segment.DESKTOP_SOC, Segment.EDGE})
"""Markets whose devices are sold with their processor, memory and supply."""

BOARDS = ("SXM", "OAM", "superchip tray")
"""Formats that sit on a baseboard with link switches."""


class HostParts(Record):
    """What is in a server beside its GPUs."""

    cpu_typical_w: Count | Positive
    """All processors at full work, W."""

    cpu_high_w: Count | Positive
    """The same at their highest limit, W."""

    dimms: Count
    """Memory modules."""

    drives: Count
    """NVMe drives."""

    nics: Count
    """Network adapters."""

    is_desktop: bool = False
    """Whether cards bring fans of their own and supplies are a desktop's."""

    fans_share: Estimate | None = None
    """Fans, per cent of all other parts; None for the usual ones."""


class PowerPart(Record):
    """Draw of one kind of part at the server's maximum."""

    code: Identifier
    """What it is: `gpus`, `cpus`, `memory`, `drives`, `network`, `board`, `fans`."""

    count: Count
    """How many; 0 where they are not counted."""

    draw_w: Estimate
    """Draw of all of them, W."""


def usual_parts(
    gpu: GpuRecord, gpus: int, electricity: Electricity, *, cpu_w: float | None = None
) -> HostParts:
    """Return what such a server usually holds; `cpu_w` is that of all its processors, W."""
    if gpu.segment in WHOLE_COMPUTERS:
        return HostParts(cpu_typical_w=0, cpu_high_w=0, dimms=0, drives=1, nics=0, is_desktop=True)
    if gpu.segment in (Segment.CONSUMER, Segment.WORKSTATION) and not _is_passive(gpu):
        one = cpu_w or electricity.parts.workstation_cpu_w
        return HostParts(
            cpu_typical_w=one, cpu_high_w=one, dimms=8, drives=2, nics=1, is_desktop=True
        )
    if gpus == 1 and (gpu.board_power_w or 0) <= electricity.connectors.slot_w:
        one = cpu_w or electricity.parts.edge_cpu_w
        return HostParts(cpu_typical_w=one, cpu_high_w=one, dimms=4, drives=2, nics=1)
    hosts = ceil(gpus / (gpu.most_per_server_gpus or GPUS_PER_SERVER))
    sockets = hosts * (2 if gpus >= TWO_SOCKETS_FROM else 1)
    all_w = cpu_w or sockets * electricity.parts.server_cpu_w
    return HostParts(
        cpu_typical_w=all_w,
        cpu_high_w=all_w,
        dimms=16 * sockets,
        drives=2 * hosts + gpus,
        nics=2 * hosts + (gpus if _on_baseboard(gpu) else 0),
        fans_share=electricity.parts.desktop_fans_percent if needs_liquid(gpu) else None,
    )


def power_parts(
    gpu: GpuRecord, gpus: int, host: HostParts, draw: PartsRecord
) -> tuple[PowerPart, ...]:
    """Return the parts of a server at its maximum; fans follow all others."""
    board = _on_baseboard(gpu)
    switches = _times(draw.switch_per_gpu_w, gpus) if board else None
    found = [
        _part("gpus", gpus, _same(gpus * (gpu.board_power_w or 0.0))),
        _part("cpus", 0, _between(host.cpu_typical_w, host.cpu_high_w)),
        _part("memory", host.dimms, _times(draw.memory_module_w, host.dimms)),
        _part("drives", host.drives, _times(draw.drive_w, host.drives)),
        _part("network", host.nics, _times(draw.adapter_w, host.nics)),
        _part("switches", gpus if board else 0, switches),
        _part("board", 0, draw.board_w),
    ]
    parts = [part for part in found if part]
    usual = draw.desktop_fans_percent if host.is_desktop else draw.fans_percent
    share = host.fans_share or usual
    others = summed([part.draw_w for part in parts])
    fans = Estimate(
        low=others.low * share.low / 100,
        typical=others.typical * share.typical / 100,
        high=others.high * share.high / 100,
    )
    return (*parts, PowerPart(code="fans", count=0, draw_w=fans))


def summed(draws: list[Estimate]) -> Estimate:
    """Return the sum of draws, W."""
    return Estimate(
        low=sum(draw.low for draw in draws),
        typical=sum(draw.typical for draw in draws),
        high=sum(draw.high for draw in draws),
    )


def _part(code: str, count: int, draw_w: Estimate | None) -> PowerPart | None:
    return PowerPart(code=code, count=count, draw_w=draw_w) if draw_w else None


def _same(value: float) -> Estimate | None:
    return exactly(value) if value else None


def _between(typical: float, high: float) -> Estimate | None:
    return Estimate(low=typical, typical=typical, high=max(typical, high)) if typical else None


def _times(each: Estimate, count: int) -> Estimate | None:
    return all_times(each, count) if count else None


def _is_passive(gpu: GpuRecord) -> bool:
    return (gpu.cooling or "").startswith("passive")


def _on_baseboard(gpu: GpuRecord) -> bool:
    return gpu.form_factor in BOARDS


def needs_liquid(gpu: GpuRecord) -> bool:
    """Return whether a device is sold for liquid alone."""
    return gpu.segment is Segment.RACK or (gpu.cooling or "").startswith("liquid")
