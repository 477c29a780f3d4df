"""data/efficiency.toml and held_out.csv are what one run of tools/fit_efficiency.py writes."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from sizing.records import Promise, Spread
from tools.fit_efficiency import cases_by_form, fit_of
from tools.scoring.speed import Speeds
from tools.speed.folds import REFIT_ROUNDS, HeldOut, spreads
from tools.speed.promises import PROMISES, Point, best_promise, crossing, points
from tools.speed.rows import read_held_out

SMALL_GPU = {"batched": "a10g", "single": "rtx-3090"}
"""GPUs that are refitted without, one for each form: few rows behind them elsewhere."""


@pytest.fixture(scope="module")
def forms():
    """Each form with the numbers that its rows give, refitted here."""
    found = {}
    for name, cases, form in cases_by_form():
        fit = fit_of(cases, form)
        found[name] = (fit, fit.solve(np.ones(len(cases), dtype=bool)))
    return found


@pytest.fixture(scope="module")
def held_out(catalogue) -> list[HeldOut]:
    return Speeds(catalogue).rows


@pytest.mark.parametrize("name", ["batched", "single"])
def test_every_fitted_number_is_what_the_rows_give(catalogue, forms, name: str) -> None:
    fit, numbers = forms[name]
    written = getattr(catalogue.efficiency, name).coefficients
    for block in fit.blocks:
        found = numbers[block.offset : block.offset + len(block.members)]
        coefficient = written[block.coefficient]
        told = coefficient.effects.get(block.trait) if block.trait else {"": coefficient.base}
        assert told.keys() == set(block.members)
        for member, value in zip(block.members, found, strict=True):
            assert log(told[member]) == pytest.approx(value, abs=2e-3), (block, member)


@pytest.mark.parametrize("name", ["batched", "single"])
def test_held_out_estimates_are_those_of_a_fit_without_their_gpu(forms, name: str) -> None:
    fit, numbers = forms[name]
    is_out = np.array([case.gpu.id == SMALL_GPU[name] for case in fit.cases])
    refitted = fit.solve(~is_out, numbers, REFIT_ROUNDS)
    found = fit.estimates(fit.logarithms(refitted))
    written = read_held_out()
    assert is_out.sum() > 10
    for row in np.flatnonzero(is_out):
        told = written[fit.cases[row].row.id]["gpu"]
        assert exp(found[row]) == pytest.approx(told, rel=5e-3)


def test_ranges_and_promises_are_those_of_the_held_out_estimates(catalogue, held_out) -> None:
    for name in ("batched", "single"):
        is_single = name == "single"
        rows = [row for row in held_out if (row.case.row.engine == "llamacpp") is is_single]
        form = getattr(catalogue.efficiency, name)
        for fold, written in (("model", form.spreads), ("gpu", form.spreads_elsewhere)):
            for kind, by_family in spreads(rows, fold).items():
                for family, spread in by_family.items():
                    assert written[kind][family].high == pytest.approx(spread.high, abs=3e-3)
    found = [points(held_out, fold) for fold in ("model", "gpu")]
    assert catalogue.efficiency.batched.promise == best_promise(found)


def _held(case, ratio: float) -> HeldOut:
    value = case.row.value
    return HeldOut(case, {"model": value * ratio, "gpu": value, "half": value})


def test_each_model_counts_the_same_and_misses_have_no_sign(held_out) -> None:
    """One model with 90 rows 10 % above, two with one each 40 and 60 % below, of one family.

    Weights: of the family 3, and 1 of all together, the same three rows: each model 4/3 of 4.
    84 % of the weight is reached with the largest miss, 1/0.4; among rows it would be the smallest.
    """
    by_model = {}
    for row in held_out:
        if row.case.row.kind == "itl" and row.family == "hopper-hbm":
            by_model.setdefault(row.case.model, []).append(row.case)
    most, *others = sorted(by_model.values(), key=len, reverse=True)
    rows = [_held(case, 1.1) for case in most[:90]]
    rows += [_held(others[0][0], 0.6), _held(others[1][0], 0.4)]
    assert spreads(rows, "model")["itl"]["hopper-hbm"] == Spread(low=0.4, high=2.5)
    assert spreads(rows, "gpu")["itl"]["all"] == Spread(low=1.0, high=1.0)


def test_a_figure_with_few_rows_has_a_wide_range(held_out) -> None:
    rows = [_held(row.case, 1.0) for row in held_out[:5]]
    assert all(each == {"all": Spread(low=0.5, high=2.0)} for each in spreads(rows, "gpu").values())


@pytest.mark.parametrize(
    ("limit_ms", "users"),
    [(9.0, 0.0), (10.0, 1.0), (15.0, 2.5), (20.0, 4.0), (99.0, 8.0)],
    ids=["never", "first", "between", "second", "beyond the last"],
)
def test_users_between_two_points(limit_ms: float, users: float) -> None:
    """1 at 10 ms, 4 at 20 ms, 8 at 40 ms: half of the way at 15 ms."""
    assert crossing([(1, 10.0), (4, 20.0), (8, 40.0)], limit_ms) == pytest.approx(users)


def _points(promised: dict[Promise, int], measured: float, count: int) -> list[Point]:
    filled = tuple(promised.get(each, 0) for each in PROMISES)
    return [Point("m", measured, 1.0, filled)] * count


def test_the_promise_that_gives_most_and_is_seldom_broken_is_chosen() -> None:
    """Of 100 points with 10 users measured, the daring one promises 16 at 5, the other at 4."""
    daring, bold, careful = PROMISES[10], PROMISES[9], PROMISES[0]
    usual = _points({daring: 15, bold: 14, careful: 5}, 10, 95)
    broken = _points({daring: 16, bold: 16, careful: 5}, 10, 4)
    worse = _points({daring: 16, bold: 14, careful: 5}, 10, 1)
    assert best_promise([[*usual, *broken, *worse]]) == bold
    assert (
        best_promise([[*usual, *broken, *worse], _points({bold: 16, careful: 5}, 10, 1)]) == careful
    )


def test_where_no_promise_is_kept_the_most_cautious_one_is_made() -> None:
    assert best_promise([_points(dict.fromkeys(PROMISES, 99), 10, 3)]) == Promise(
        time=1.5, share=0.5
    )


def test_a_promise_where_nothing_was_measured_inside_is_held_against_the_least_tried() -> None:
    point = Point("m", 0.0, 4.0, ())
    assert not point.is_broken(4)
    assert point.is_broken(5)
