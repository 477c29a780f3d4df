"""How wide ranges of speed are: by hand, on rows whose estimates are given."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from sizing.catalogue import load_catalogue
from sizing.records import Spread
from tools.scoring.speed import Speeds
from tools.speed.cases import Case
from tools.speed.folds import HeldOut
from tools.speed.ranges import ranges


@pytest.fixture(scope="module")
def by_model() -> dict[str, list[Case]]:
    """Measured times between tokens of one family, by model, those with most rows first."""
    found: dict[str, list[Case]] = {}
    for row in Speeds(load_catalogue()).rows:
        if row.case.row.kind == "itl" and row.family == "hopper-hbm":
            found.setdefault(row.case.model, []).append(row.case)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def of_layers(by_model: dict[str, list[Case]], layers: str) -> list[list[Case]]:
    return [cases for cases in by_model.values() if cases[0].traits["experts"] == layers]


def held(cases: Iterable[Case], ratio: float) -> list[HeldOut]:
    """Return rows whose estimate without their model is `ratio` times the measurement."""
    return [
        HeldOut(case, {"model": case.row.value * ratio, "gpu": case.row.value}) for case in cases
    ]


def test_each_model_counts_the_same_and_misses_have_no_sign(by_model) -> None:
    """One model with 90 rows 10 % above, two with one each 40 and 60 % below, of one family.

    Weights: of the family 3, and 0.5 of all together, the same three models: 84 % of it is reached
    with the largest miss, 1/0.4; among rows it would be the smallest. All are dense, so that
    nothing is usual of others: once as wide.
    """
    most, other, third, *_ = of_layers(by_model, "dense")
    rows = [*held(most[:90], 1.1), *held(other[:1], 0.6), *held(third[:1], 0.4)]
    found = ranges(rows, "model")
    assert found.spreads["itl"]["hopper-hbm"] == Spread(low=0.4, high=2.5)
    assert found.layers == {"dense": 1.0}
    assert ranges(rows, "gpu").spreads["itl"]["all"] == Spread(low=1.0, high=1.0)


def test_kinds_of_layers_that_are_missed_by_less_have_narrower_ranges(by_model) -> None:
    """Two dense models 10 % off, one with many experts twice as far: 1.1^2 = 1.21.

    Usual is the far one: 84 % of 3 models is more than 2. Of the dense ones, 2 of their own and
    two thirds of a half lie at half of it, 2.33 of 2.5: half as wide. The far one stays as wide
    as usual. Over those, each lies 1.21 off.
    """
    first, second, *_ = of_layers(by_model, "dense")
    far = of_layers(by_model, "many")[0]
    near = [*held(first[:15], 1.1), *held(second[:15], 1 / 1.1)]
    found = ranges([*near, *held(far[:15], 1.21)], "model")
    assert found.layers == {"dense": 0.5, "many": 1.0}
    assert found.spreads["itl"]["hopper-hbm"].high == pytest.approx(1.21)
    assert all(found.is_inside(row, "model") for row in held(first[:2], 1.099))
    assert not found.is_inside(held(first[:1], 1.102)[0], "model")
    assert found.is_inside(held(far[:1], 1.209)[0], "model")


def test_a_figure_with_few_rows_has_a_wide_range(by_model) -> None:
    few = held(next(iter(by_model.values()))[:5], 1.0)
    assert ranges(few, "gpu").spreads == {"itl": {"all": Spread(low=0.5, high=2.0)}}


def test_a_spread_is_widened_on_logarithms() -> None:
    """Twice as wide: both ends squared; half as wide: their roots."""
    assert Spread(low=0.5, high=2.0).widened(2) == Spread(low=0.25, high=4.0)
    assert Spread(low=0.25, high=4.0).widened(0.5) == Spread(low=0.5, high=2.0)
