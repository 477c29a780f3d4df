"""What one server draws: from its parts, or as its maker prints it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sizing.notes import Note
from sizing.performance import Estimate
from sizing.records import Count, GpuRecord, Name, Positive, Record
from sizing.running import exactly
from sizing.spec.electricity import Electricity
from sizing.spec.host_parts import HostParts, PowerPart, power_parts, summed
from sizing.spec.machine_records import PartsRecord, SystemRecord
from sizing.spec.power_notes import gpu_notes, printed_notes, supply_notes
from sizing.spec.supplies import (
    Redundancy,
    SupplyPlan,
    efficiency_bounds,
    need_w,
    plan_supplies,
    printed_supplies,
)


class ServerPower(Record):
    """Power of one server."""

    gpus: Count
    """Accelerators in it."""

    board_power_w: Positive | None
    """Maximum of one of them, W."""

    parts: Annotated[tuple[PowerPart, ...], Field(min_length=1)]
    """Parts at the maximum."""

    dc_w: Estimate
    """Sum of the parts: what the supplies give out, W."""

    wall_w: Estimate
    """Maximum at the wall: printed by the maker, else the parts and the loss of supplies, W."""

    in_use_w: Estimate
    """Draw in use, W."""

    heat_w: Positive
    """Heat at the maximum: all that is drawn, W."""

    power_factor: Positive
    """Watts over volt-amperes."""

    apparent_va: Positive
    """Highest draw, VA."""

    supply: SupplyPlan
    """Power supplies."""

    peak_w: Positive | None
    """Peak of the GPUs within 200 microseconds, at the ratio measured on cards, W."""

    system: Name | None = None
    """System whose printed maximum was taken."""

    notes: tuple[Note, ...] = ()
    """What was assumed and what to mind."""

    @property
    def design_w(self) -> float:
        """Return what circuits are counted with: the highest draw, W."""
        return self.wall_w.high

    @property
    def system_factor(self) -> float | None:
        """Return the maximum at the wall over the board power of all GPUs."""
        if not self.board_power_w:
            return None
        return self.wall_w.typical / (self.gpus * self.board_power_w)


def server_power(
    gpu: GpuRecord,
    gpus: int,
    host: HostParts,
    electricity: Electricity,
    *,
    published_max_w: float | None = None,
    system: SystemRecord | None = None,
    redundancy: Redundancy | None = None,
    voltage_v: float | None = None,
) -> ServerPower:
    """Return what a server of these GPUs draws at its maximum and in use.

    A printed maximum (`published_max_w`, or that of `system`) wins over the sum of the parts.
    """
    board_w = gpu.board_power_w or 0.0
    parts = power_parts(gpu, gpus, host, electricity.parts)
    printed_w = published_max_w or (system.most_w if system else None)
    return power_of(
        parts,
        electricity,
        gpus=gpus,
        board_power_w=board_w or None,
        printed_w=printed_w,
        system=system,
        redundancy=redundancy or _usual_redundancy(host),
        voltage_v=voltage_v,
        is_desktop=host.is_desktop,
        notes=gpu_notes(gpu, gpus, electricity.connectors, system),
    )


def power_of(
    parts: tuple[PowerPart, ...],
    electricity: Electricity,
    *,
    gpus: int,
    board_power_w: float | None,
    redundancy: Redundancy,
    printed_w: float | None = None,
    system: SystemRecord | None = None,
    voltage_v: float | None = None,
    is_desktop: bool = False,
    notes: tuple[Note, ...] = (),
) -> ServerPower:
    """Return the power of a server whose parts are known."""
    dc_w = summed([part.draw_w for part in parts])
    gpus_w = gpus * (board_power_w or 0.0)
    needed_w = need_w(max(0.0, dc_w.typical - gpus_w), gpus_w, electricity.supplies)
    printed = printed_supplies(system, dc_w.typical, needed_w, electricity) if system else None
    supply = printed or plan_supplies(
        dc_w.typical,
        needed_w,
        electricity,
        redundancy=redundancy,
        voltage_v=voltage_v,
        is_desktop=is_desktop,
    )
    wall_w = exactly(printed_w) if printed_w else _wall(dc_w, supply, electricity)
    in_use_w = _in_use(wall_w, system, electricity.parts)
    factor = electricity.fallback.power_factor
    return ServerPower(
        gpus=gpus,
        board_power_w=board_power_w,
        parts=parts,
        dc_w=dc_w,
        wall_w=wall_w,
        in_use_w=in_use_w,
        heat_w=wall_w.typical,
        power_factor=factor,
        apparent_va=wall_w.high / factor,
        supply=supply,
        peak_w=_peak_w(gpus_w, electricity) if gpus_w else None,
        system=system.name if system else None,
        notes=(
            *notes,
            *printed_notes(printed_w, dc_w, system),
            *supply_notes(supply, electricity, is_desktop=is_desktop),
        ),
    )


def _wall(dc_w: Estimate, supply: SupplyPlan, electricity: Electricity) -> Estimate:
    """Return the draw at the wall: output over efficiency, the worst one for the high bound, W."""
    worst, best = efficiency_bounds(electricity.supply_class(supply.supply_class))
    return Estimate(
        low=dc_w.low * 100 / best,
        typical=dc_w.typical * 100 / supply.efficiency_percent,
        high=dc_w.high * 100 / worst,
    )


def _in_use(wall_w: Estimate, system: SystemRecord | None, draw: PartsRecord) -> Estimate:
    """Return the draw in use: as measured, else at the share of the maximum measured elsewhere."""
    share = draw.typical_share_percent
    if system and system.typical_low_w and system.typical_high_w:
        low, high = system.typical_low_w, system.typical_high_w
        return Estimate(low=low, typical=(low + high) / 2, high=high)
    most = wall_w.typical / 100
    return Estimate(low=most * share.low, typical=most * share.typical, high=most * share.high)


def _peak_w(gpus_w: float, electricity: Electricity) -> float:
    """Return the peak of the GPUs at the least ratio that was measured, W."""
    measured = electricity.supplies.transients
    return gpus_w * min(each.peak_w / each.board_power_w for each in measured)


def _usual_redundancy(host: HostParts) -> Redundancy:
    return Redundancy.NONE if host.is_desktop else Redundancy.ONE_SPARE
