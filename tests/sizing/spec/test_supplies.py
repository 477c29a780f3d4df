"""Power supplies: the margin for peaks, efficiency at a load, and what given ones carry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.spec.electricity import load_electricity
from sizing.spec.supplies import (
    Redundancy,
    cards_on,
    check_supplies,
    efficiency_bounds,
    efficiency_percent,
    need_w,
    plan_supplies,
    supply_class,
)

FACTS = load_electricity()
SOLD = FACTS.supplies


@pytest.mark.parametrize("cell", SOLD.rule, ids=lambda cell: f"{cell.supply_w} W, {cell.gpu_w} W")
def test_the_margin_gives_every_cell_of_the_vendors_table(cell) -> None:
    """Lenovo ST650 V2: a redundant pair of 750 W carries 7 x 70, 3 x 160 or 1 x 300 W, and so on.

    By hand, 750 W and 300 W cards: (750 - 60) / (1.4 x 300) = 1.64, so 1.
    """
    check = check_supplies(2, cell.supply_w, SOLD, gpu_w=cell.gpu_w)
    assert check.most_gpus == cell.most_gpus


@pytest.mark.parametrize(("watts", "cards"), [(479, 0), (480, 1), (899, 1), (900, 2)])
def test_cards_at_the_edge(watts: float, cards: int) -> None:
    """One card of 300 W takes 60 + 420 = 480 W, two 60 + 840 = 900 W."""
    assert cards_on(watts, 300, SOLD) == cards


def test_a_pair_is_one_supply_and_both_where_nothing_may_fail() -> None:
    """2 x 1,100 W: one gives 1,100, (1,100 - 60) / 420 = 2.5; both 2,200, 5.1."""
    check = check_supplies(2, 1100, SOLD, gpu_w=300)
    assert (check.redundant_w, check.all_w) == (1100, 2200)
    assert (check.most_gpus, check.most_gpus_without_spare) == (2, 5)
    assert check_supplies(1, 1400, SOLD).redundant_w == 1400
    assert check_supplies(1, 1400, SOLD).most_gpus is None


def test_one_supply_carries_the_whole_server() -> None:
    """1,400 W and 440 W beside the cards: (1,400 - 440) / (1.4 x 350) = 1.96, so one card."""
    check = check_supplies(1, 1400, SOLD, gpu_w=350, rest_w=440)
    assert check.most_gpus == 1


def test_peaks_are_twice_the_board_power_and_more() -> None:
    """654 / 300 = 2.18, 352.8 / 160 = 2.205, 219.6 / 70 = 3.137."""
    ratios = [each.peak_w / each.board_power_w for each in SOLD.transients]
    assert ratios == pytest.approx([2.18, 3.137, 2.205], abs=0.001)


@pytest.mark.parametrize(
    ("load", "efficiency"), [(5, 92), (20, 92), (35, 93), (50, 94), (75, 92), (100, 90), (120, 90)]
)
def test_efficiency_between_two_tested_loads(load: float, efficiency: float) -> None:
    """Platinum, 230 V, not redundant: 92, 94, 90 % at 20, 50, 100 % of the rating."""
    assert efficiency_percent(FACTS.supply_class("platinum-230"), load) == pytest.approx(efficiency)


@pytest.mark.parametrize(
    ("voltage", "redundant", "found"),
    [
        (None, True, "platinum-230-redundant"), (230, False, "platinum-230"),
        (127, True, "platinum-115"), (128, True, "platinum-230-redundant"),
    ],
)  # fmt: skip
def test_the_class_follows_the_voltage(voltage, redundant, found) -> None:
    assert supply_class(FACTS, voltage, redundant=redundant).id == found


@pytest.mark.parametrize(
    ("needed", "redundancy", "expected"),
    [
        (2800, Redundancy.ONE_SPARE, (2, 2800, 1)),
        (2801, Redundancy.ONE_SPARE, (2, 3000, 1)),
        (3301, Redundancy.ONE_SPARE, (3, 1800, 2)),
        (9901, Redundancy.BOTH_FEEDS, (8, 2800, 4)),
        (700, Redundancy.NONE, (1, 750, 1)),
    ],
)
def test_the_fewest_supplies_then_the_smallest(needed, redundancy, expected) -> None:
    """3,301 W are beyond one of 3,300, so two; half of it is 1,651, so 1,800 W each."""
    plan = plan_supplies(needed / 1.4, needed, FACTS, redundancy=redundancy)
    assert (plan.supplies, plan.supply_w, plan.needed_supplies) == expected
    assert plan.capacity_w >= plan.need_w


def test_large_supplies_do_not_run_on_the_low_range() -> None:
    """3,000 W at 120 V: none above 1,600 W, so two of 1,500; at 230 V one of 3,000."""
    low = plan_supplies(2000, 3000, FACTS, redundancy=Redundancy.NONE, voltage_v=120)
    high = plan_supplies(2000, 3000, FACTS, redundancy=Redundancy.NONE, voltage_v=230)
    assert (low.supplies, low.supply_w) == (2, 1500)
    assert (high.supplies, high.supply_w) == (1, 3000)


@pytest.mark.parametrize(
    ("system", "throttles"),
    [("dgx-a100", False), ("dgx-h100", False), ("dgx-b200", False), ("dell-xe9680", False)],
)
def test_published_systems_keep_the_margin(catalogue, system: str, throttles: bool) -> None:
    """Their needed supplies give more than 1.4 x board power: 6 x 3.3 kW, 4 needed, 13.2 > 7.84."""
    found = FACTS.system(system)
    board_w = catalogue.gpus[found.accelerators[-1]].board_power_w * found.gpus
    assert found.needed_supplies * found.supply_w > need_w(0, board_w, SOLD)


def test_three_supplies_of_an_xe9680_brake_its_gpus() -> None:
    """3 x 2,800 = 8.4 kW on one feed is less than its 10.2 kW: the GPUs are slowed down there."""
    found = FACTS.system("xe9680")
    assert 3 * found.supply_w < found.most_w


@given(st.floats(1, 90_000), st.floats(1, 90_000))
def test_a_larger_need_never_gets_less_capacity(one: float, other: float) -> None:
    less, more = sorted((one, other))
    small, large = (
        plan_supplies(each, each, FACTS, redundancy=Redundancy.ONE_SPARE) for each in (less, more)
    )
    assert small.capacity_w <= large.capacity_w
    worst, best = efficiency_bounds(FACTS.supply_class(large.supply_class))
    assert worst <= large.efficiency_percent <= best
