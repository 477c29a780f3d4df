"""Training runs that were measured: the score that the published page states holds."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from tools.scoring_training import (
    UNITS,
    TrainingScore,
    left_out,
    rows,
    score_training,
    summary,
)

MEDIAN_ERROR = 0.20
"""Largest median of the absolute errors."""

P90_ERROR = 0.45
"""Largest 90th percentile of the absolute errors."""

COVERAGE = 0.80
"""Least share of measurements between the low and the high estimate."""

REASONS = (
    "no measurement:",
    "no training peak:",
    "contradicts its configuration:",
    "settings not stated:",
    "another method:",
    "another model:",
    "another optimizer:",
    "another task:",
    "another way to split:",
)
"""How a reason for leaving a row out begins."""


@pytest.fixture(scope="module")
def scores(catalogue: Catalogue) -> list[TrainingScore]:
    return score_training(catalogue)


def test_the_estimate_is_as_good_as_promised(scores: list[TrainingScore]) -> None:
    found = summary(scores)
    assert found.median_error <= MEDIAN_ERROR
    assert found.p90_error <= P90_ERROR
    assert found.coverage >= COVERAGE


@pytest.mark.parametrize("mode", ["full", "lora", "qlora"])
def test_each_kind_of_run_is_as_good(scores: list[TrainingScore], mode: str) -> None:
    found = summary(score for score in scores if score.mode == mode)
    assert found.count >= 20
    assert found.median_error <= MEDIAN_ERROR
    assert found.coverage >= COVERAGE


def test_a_row_is_scored_or_its_reason_told() -> None:
    assert len({row["id"] for row in rows()}) == len(rows())
    for _, reason in left_out():
        assert reason.startswith(REASONS), reason


def test_every_scored_row_has_its_facts() -> None:
    for row in rows():
        assert row["source"].startswith("github:")
        if not row["left_out"]:
            assert row["unit"] in UNITS, row["id"]
            assert row["note"], row["id"]
            assert int(row["sequence_tokens"]) > 0, row["id"]


def test_a_summary_of_known_errors() -> None:
    """Errors of 10, 20 and 30 %, the last outside its range."""
    known = [
        TrainingScore("a", "", "", "full", "", 100, 80, 110, 120),
        TrainingScore("b", "", "", "full", "", 100, 70, 80, 100),
        TrainingScore("c", "", "", "full", "", 100, 110, 130, 150),
    ]
    found = summary(known)
    assert found.count == 3
    assert found.median_error == pytest.approx(0.20)
    assert found.p90_error == pytest.approx(0.30)
    assert found.coverage == pytest.approx(2 / 3)
