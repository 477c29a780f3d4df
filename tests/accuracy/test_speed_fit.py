"""data/efficiency.toml and held_out.csv are what one run of tools/fit_efficiency.py writes."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from sizing.records import Promise
from tools.fit_efficiency import cases_by_form, fit_of
from tools.scoring.speed import Speeds
from tools.speed.folds import REFIT_ROUNDS, HeldOut
from tools.speed.promises import PROMISES, Point, best_promise, crossing, points
from tools.speed.ranges import ranges
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
        rows = [row for row in held_out if row.case.is_single is (name == "single")]
        form = getattr(catalogue.efficiency, name)
        written = {"model": (form.spreads, form.layers)}
        written["gpu"] = (form.spreads_elsewhere, form.layers_elsewhere)
        for fold, (spreads, layers) in written.items():
            found = ranges(rows, fold)
            assert layers == pytest.approx(found.layers, abs=3e-3)
            for kind, by_family in found.spreads.items():
                for family, spread in by_family.items():
                    assert spreads[kind][family].high == pytest.approx(spread.high, rel=3e-3)
    found = [points(held_out, fold) for fold in ("model", "gpu")]
    assert catalogue.efficiency.batched.promise == best_promise(found)


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
