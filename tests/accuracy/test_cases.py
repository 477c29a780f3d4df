"""The published scores hold: no figure falls behind what was once reached."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from tools.scoring.answers import CASES, read_csv, read_lines
from tools.scoring.checks import counted_figures
from tools.scoring.misses import UNKNOWN, kinds, missed, remark_on, remarks
from tools.scoring.questions import Case, Outcome, agrees, load_cases
from tools.scoring.results import Results
from tools.scoring.score import Score
from tools.scoring.targets import kept_scores, scores, worse_than_kept


@pytest.fixture(scope="module")
def results(catalogue: Catalogue) -> Results:
    return Results(catalogue)


@pytest.fixture(scope="module")
def cases(results: Results) -> list[Case]:
    return results.cases


@pytest.fixture(scope="module")
def found(results: Results) -> list[Score]:
    return scores(results)


def test_no_score_gets_worse(found: list[Score]) -> None:
    """`make accuracy` keeps a better score; a worse one needs `ARGS=--accept` and a reason."""
    worse = [
        f"{score.name}: {score.value:.4f}, kept {kept_scores()[score.name]:.4f}"
        for score in worse_than_kept(found)
    ]
    assert worse == []


def test_every_kept_score_is_still_measured(found: list[Score]) -> None:
    assert kept_scores().keys() <= {score.name for score in found}


@pytest.mark.parametrize("figure", ["weights_gib", "kv_gib"])
def test_reference_checkpoints_are_met(results: Results, figure: str) -> None:
    """Headers store multi-token-prediction heads too: those are counted beside what is loaded."""
    assert [case.case for case in results.reference if not case.is_right(figure)] == []


def test_a_case_that_is_not_covered_gives_a_reason(cases: list[Case]) -> None:
    """Either no answer at all, with its code, or a figure that is left open."""
    for case in cases:
        if case.outcome is Outcome.NOT_COVERED:
            open_figures = [figure for figure in case.figures if figure.answered is None]
            assert case.refusals or open_figures, case.id


FILES = sorted(path for path in CASES.iterdir() if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_row_names_its_source(path) -> None:
    """Peers are the tools themselves; remarks and the ten references are ours."""
    if path.suffix == ".toml" or path.stem in {"peers", "reference"}:
        return
    rows = read_csv(path.name) if path.suffix == ".csv" else read_lines(path.name)
    assert [row for row in rows if not (row.get("source") or row.get("url"))] == []


def test_every_remark_is_about_a_row(results: Results) -> None:
    named = {case.id for case in results.cases}
    named |= {row.case for kind in kinds(results) for row in kind.rows}
    lost = [
        key
        for key in remarks()
        if not any(case.startswith(key) or key.startswith(f"{case} ") for case in named)
    ]
    assert lost == []


def test_every_miss_is_explained(results: Results) -> None:
    figures = [(case, figure) for case, figure in counted_figures(results.cases)]
    named = [row.case for _, row in missed(results)]
    named += [
        f"{case.id} {each.key}" for case, each in figures if each.outcome is not Outcome.INSIDE
    ]
    assert [name for name in named if remark_on(name) == UNKNOWN] == []


def test_questions_are_asked_once(cases: list[Case]) -> None:
    assert len({case["id"] for case in load_cases()}) == len(cases)


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
