"""The published score holds: what is answered is right, what is not covered says so."""

from __future__ import annotations

import pytest

from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from tools.accuracy import LEAST_ANSWERED, kv_gib, reference_rows, stored_weights_gib
from tools.scoring import Case, Engine, Outcome, agrees, load_cases, score_case


@pytest.fixture(scope="module")
def engine(catalogue: Catalogue) -> Engine:
    return Engine(catalogue)


@pytest.fixture(scope="module")
def cases(engine: Engine) -> list[Case]:
    return [score_case(case, engine) for case in load_cases()]


@pytest.mark.parametrize("row", reference_rows(), ids=lambda row: row["case"])
def test_weights_are_within_two_percent_of_tensor_headers(row, engine: Engine) -> None:
    """Headers store multi-token-prediction heads too: those are counted beside what is loaded."""
    found = engine.answer(row["question"])
    assert isinstance(found, SizingAnswer)
    assert stored_weights_gib(found) == pytest.approx(float(row["weights_gib"]), rel=0.02)


@pytest.mark.parametrize("row", reference_rows(), ids=lambda row: row["case"])
def test_kv_cache_is_exact(row, engine: Engine) -> None:
    found = engine.answer(row["question"])
    assert kv_gib(found) == pytest.approx(float(row["kv_gib"]), rel=0.005)


def test_no_answer_is_outside_its_bounds(cases: list[Case]) -> None:
    outside = [
        figure for case in cases for figure in case.figures if figure.outcome is Outcome.OUTSIDE
    ]
    assert outside == []


def test_most_cases_are_answered(cases: list[Case]) -> None:
    inside = [case.id for case in cases if case.outcome is Outcome.INSIDE]
    assert len(inside) >= LEAST_ANSWERED


def test_a_case_that_is_not_covered_gives_a_reason(cases: list[Case]) -> None:
    """Either no answer at all, with its code, or a figure that is left open."""
    for case in cases:
        if case.outcome is Outcome.NOT_COVERED:
            open_figures = [figure for figure in case.figures if figure.answered is None]
            assert case.refusals or open_figures, case.id


@pytest.mark.parametrize(
    ("expected", "answered", "agreed"),
    [
        (100, 100.9, True),
        (100, 101.1, False),
        ([10, 20], 10, True),
        ([10, 20], 20.1, False),
        (True, True, True),
        (True, "tight", False),
        (["tight", False], "tight", True),
        (["tight", False], False, True),
        (["tight", False], True, False),
        (False, True, False),
        ([3, 6], [3, 6], True),
        ([3, 6], [3], False),
        ({"total": 30, "active": 3}, {"total": 30, "active": 4}, False),
    ],
)
def test_how_agreement_is_judged(expected, answered, *, agreed: bool) -> None:
    assert agrees(expected, answered) is agreed
