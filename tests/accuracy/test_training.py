"""Training runs that were measured: the score that the published page states holds."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from sizing.request import Mode
from tools.fit_training import Run, fitted, runs
from tools.scoring.comparison import errors, percentile, share
from tools.scoring.training import LENGTHS, held_out_training
from tools.scoring_training import (
    UNITS,
    TrainingScore,
    left_out,
    measured_runs,
    rows,
    score_training,
    scored_rows,
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
)
"""How a reason for leaving a row out begins: each a fault of the row itself."""


@pytest.fixture(scope="module")
def scores(catalogue: Catalogue) -> list[TrainingScore]:
    return score_training(catalogue)


def test_the_estimate_is_as_good_as_promised(scores: list[TrainingScore]) -> None:
    found = summary(scores)
    assert found.median_error <= MEDIAN_ERROR
    assert found.p90_error <= P90_ERROR
    assert found.coverage >= COVERAGE


def test_constants_fitted_on_other_publishers_are_as_good(catalogue: Catalogue) -> None:
    found = held_out_training(catalogue)
    assert len(found) == len(scored_rows())
    misses = errors(found)
    assert percentile(misses, 50) <= MEDIAN_ERROR
    assert percentile(misses, 90) <= P90_ERROR
    assert share(found, lambda row: row.is_covered) >= COVERAGE


def test_the_catalogue_holds_what_the_fit_finds(catalogue: Catalogue) -> None:
    assert fitted(runs(catalogue)) == catalogue.training_overheads


def test_a_fit_finds_the_constants_that_runs_were_made_of() -> None:
    """2 GiB of context, 1 GiB between GPUs and 5 % of what is counted, without any noise."""
    made = [
        Run(
            source="a",
            allocated_gib=float(size),
            high_gib=float(size),
            measured_gib=size * 1.05 + 2 + is_parallel,
            is_parallel=is_parallel,
        )
        for size in range(4, 80, 4)
        for is_parallel in (False, True)
    ]
    found = fitted(tuple(made))
    assert found.context.typical_gib == pytest.approx(2.0)
    assert found.communication.typical_gib == pytest.approx(1.0)
    assert found.unusable.typical_percent == 5


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
            assert row["length_from"] in LENGTHS, row["id"]
            assert row["reads"] in {"allocator", "card"}, row["id"]
            assert row["per"] in {"gpu", "total"}, row["id"]


def test_every_question_is_about_training_and_names_its_length(catalogue: Catalogue) -> None:
    """Nothing of a question is ignored or corrected, so that it says what it is scored as."""
    for run in measured_runs(catalogue):
        assert run.request.mode is not Mode.INFER, run.row["id"]
        assert run.request.context_tokens, run.row["id"]
        assert run.request.ignored == run.request.read_as == (), run.row["id"]
        assert (run.request.model_id is None) == run.row["question"].startswith("params=")


def test_a_run_given_by_its_shape_has_the_parameters_of_that_shape() -> None:
    """T0 3B: 24 + 24 layers; attention of 2,048 x 2,048, in the decoder twice, gated parts of
    5,120, norms; a table of 32,128 and a head of its own; 32 x 32 positions in two of the layers.

    24 x (4 x 2,048^2 + 3 x 2,048 x 5,120 + 2 x 2,048) + 24 x (8 x 2,048^2 + 3 x 2,048 x 5,120
    + 3 x 2,048) + 2 x 32,128 x 2,048 + 2 x 2,048 + 2 x 32 x 32.
    """
    ffn = 3 * 2048 * 5120
    encoder = 24 * (4 * 2048**2 + ffn + 2 * 2048)
    decoder = 24 * (8 * 2048**2 + ffn + 3 * 2048)
    total = encoder + decoder + 2 * 32_128 * 2048 + 2 * 2048 + 2 * 32 * 32
    given = next(row for row in scored_rows() if row["id"] == "m1037")
    assert given["question"].startswith(f"params={total} ")


def test_a_summary_of_known_errors() -> None:
    """Errors of 10, 20 and 30 %, the last outside its range."""
    known = [
        TrainingScore("a", "", "", "full", "stated", 100, 80, 110, 120),
        TrainingScore("b", "", "", "full", "stated", 100, 70, 80, 100),
        TrainingScore("c", "", "", "full", "stated", 100, 110, 130, 150),
    ]
    found = summary(known)
    assert found.count == 3
    assert found.median_error == pytest.approx(0.20)
    assert found.p90_error == pytest.approx(0.30)
    assert found.coverage == pytest.approx(2 / 3)
