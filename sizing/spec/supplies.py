"""Power supplies: how many of what rating, what they lose, and how many cards given ones carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise
from math import ceil, floor

from sizing.records import Count, Identifier, Positive, PositiveCount, Record
from sizing.spec.electricity import Electricity
from sizing.spec.electricity_records import SuppliesRecord, SupplyClassRecord
from sizing.spec.machine_records import SystemRecord

PAIR = 2
"""Supplies of the smallest redundant set."""


class Redundancy(StrEnum):
    """What a set of supplies survives."""

    NONE = "none"
    ONE_SPARE = "n_plus_1"
    BOTH_FEEDS = "n_plus_n"


class SupplyPlan(Record):
    """Supplies of one server."""

    supplies: PositiveCount
    """Supplies in it."""

    supply_w: Positive
    """Rating of one: what it gives out, W."""

    needed_supplies: PositiveCount
    """Supplies that carry the load with its peaks."""

    redundancy: Redundancy
    """What the set survives."""

    need_w: Positive
    """Load with the margin for peaks, W."""

    capacity_w: Positive
    """What the needed supplies give out, W."""

    supply_class: Identifier
    """Efficiency class, id."""

    load_percent: Positive
    """Load of each supply at the maximum, all of them running, per cent."""

    efficiency_percent: Positive
    """Efficiency at that load, per cent."""


class SupplyCheck(Record):
    """What given supplies carry."""

    supplies: PositiveCount
    """Supplies."""

    supply_w: Positive
    """Rating of one, W."""

    gpu_w: Positive | None
    """Board power of a card, W; None where no card was told."""

    need_w: Positive | None
    """Load with the margin for peaks, W; None where no card was told."""

    all_w: Positive
    """What all give out, W."""

    redundant_w: Positive
    """What is left when one fails; of a single supply nothing is, and its own rating stands, W."""

    most_gpus: Count | None
    """Cards that may be in the server when one supply can fail."""

    most_gpus_without_spare: Count | None
    """Cards that all supplies together carry."""


def need_w(rest_w: float, gpus_w: float, supplies: SuppliesRecord) -> float:
    """Return what supplies must give out: the cards' board power with its margin, and the rest, W.

    Source: the table of Lenovo's ST650 V2 setup guide; its cells all follow from 1.4 x board power.
    """
    return rest_w + gpus_w * supplies.gpu_margin


def cards_on(
    capacity_w: float, gpu_w: float, supplies: SuppliesRecord, *, rest_w: float | None = None
) -> int:
    """Return how many cards a capacity carries beside the rest of the server.

    Without `rest_w` that is the reserve of one whose processors are slowed when a supply fails.
    """
    left_w = capacity_w - (supplies.reserve_w if rest_w is None else rest_w)
    return max(0, floor(left_w / (gpu_w * supplies.gpu_margin)))


def check_supplies(
    count: int,
    supply_w: float,
    supplies: SuppliesRecord,
    *,
    gpu_w: float | None = None,
    needed_w: float | None = None,
    rest_w: float | None = None,
) -> SupplyCheck:
    """Return what `count` supplies of `supply_w` carry; a pair is taken as redundant.

    `rest_w` is what a server with one supply draws beside its cards, W.
    """
    redundant_w = max(1, count - 1) * supply_w

    def cards(capacity_w: float) -> int | None:
        return None if gpu_w is None else cards_on(capacity_w, gpu_w, supplies, rest_w=rest_w)

    return SupplyCheck(
        supplies=count,
        supply_w=supply_w,
        gpu_w=gpu_w,
        need_w=needed_w,
        all_w=count * supply_w,
        redundant_w=redundant_w,
        most_gpus=cards(redundant_w),
        most_gpus_without_spare=cards(count * supply_w),
    )


def plan_supplies(
    load_w: float,
    needed_w: float,
    electricity: Electricity,
    *,
    redundancy: Redundancy,
    voltage_v: float | None = None,
    is_desktop: bool = False,
) -> SupplyPlan:
    """Return the fewest supplies that give out `needed_w`, of the smallest rating that does.

    `load_w` is the highest steady load, W; on the low range of voltages large ratings do not run.
    """
    sold = _ratings(electricity.supplies, voltage_v, is_desktop=is_desktop)
    needed = ceil(needed_w / sold[-1])
    rating = next(each for each in sold if each * needed >= needed_w)
    count = needed + _spare(needed, redundancy)
    chosen = supply_class(electricity, voltage_v, redundant=redundancy is not Redundancy.NONE)
    load_percent = 100 * load_w / (count * rating)
    return SupplyPlan(
        supplies=count,
        supply_w=rating,
        needed_supplies=needed,
        redundancy=redundancy,
        need_w=needed_w,
        capacity_w=needed * rating,
        supply_class=chosen.id,
        load_percent=load_percent,
        efficiency_percent=efficiency_percent(chosen, load_percent),
    )


def printed_supplies(
    system: SystemRecord, load_w: float, needed_w: float, electricity: Electricity
) -> SupplyPlan | None:
    """Return the supplies that a maker prints for a whole system, where it does."""
    if not (system.supplies and system.supply_w and system.needed_supplies):
        return None
    count, needed = system.supplies, system.needed_supplies
    chosen = supply_class(electricity, None, redundant=True)
    load_percent = 100 * load_w / (count * system.supply_w)
    both = count >= PAIR * needed
    return SupplyPlan(
        supplies=count,
        supply_w=system.supply_w,
        needed_supplies=needed,
        redundancy=Redundancy.BOTH_FEEDS if both else Redundancy.ONE_SPARE,
        need_w=needed_w,
        capacity_w=needed * system.supply_w,
        supply_class=chosen.id,
        load_percent=load_percent,
        efficiency_percent=efficiency_percent(chosen, load_percent),
    )


def supply_class(
    electricity: Electricity, voltage_v: float | None, *, redundant: bool
) -> SupplyClassRecord:
    """Return the usual efficiency class at a voltage; 80 PLUS tests at 115 and 230 V."""
    level, supplies = electricity.supplies.level, electricity.supplies
    if voltage_v is not None and voltage_v <= supplies.low_line_v:
        return electricity.supply_class(f"{level}-115")
    return electricity.supply_class(f"{level}-230-redundant" if redundant else f"{level}-230")


def efficiency_percent(chosen: SupplyClassRecord, load_percent: float) -> float:
    """Return the efficiency at a load, straight between two tested loads, level outside, %."""
    points = [(each.load_percent, each.efficiency_percent) for each in chosen.efficiency]
    if load_percent <= points[0][0]:
        return points[0][1]
    for (low, at_low), (high, at_high) in pairwise(points):
        if load_percent <= high:
            return at_low + (at_high - at_low) * (load_percent - low) / (high - low)
    return points[-1][1]


def efficiency_bounds(chosen: SupplyClassRecord) -> tuple[float, float]:
    """Return the lowest and the highest efficiency of the tested loads, %."""
    tested = [each.efficiency_percent for each in chosen.efficiency]
    return min(tested), max(tested)


def _ratings(
    supplies: SuppliesRecord, voltage_v: float | None, *, is_desktop: bool
) -> Sequence[float]:
    sold: Iterable[float] = supplies.desktop_w if is_desktop else supplies.redundant_w
    if voltage_v is not None and voltage_v <= supplies.low_line_v:
        return [each for each in sold if each <= supplies.low_line_most_w]
    return list(sold)


def _spare(needed: int, redundancy: Redundancy) -> int:
    match redundancy:
        case Redundancy.NONE:
            return 0
        case Redundancy.ONE_SPARE:
            return 1
    return needed
