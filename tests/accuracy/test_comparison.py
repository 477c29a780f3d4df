"""The statistics of the page, on figures that a person can check."""

from __future__ import annotations

import pytest

from tools.scoring.comparison import Comparison, percentile, relative, summary, within
from tools.scoring.markdown import percent, statistics, table
from tools.scoring.score import Score


def row(ours: float | None, **more: object) -> Comparison:
    return Comparison("a", 100.0, ours, **more)


@pytest.mark.parametrize(
    ("ours", "measured", "error"), [(110, 100, 0.1), (90, 100, -0.1), (0, 0, 0.0), (0, 100, -1.0)]
)
def test_errors_are_relative_to_what_was_measured(ours, measured, error) -> None:
    assert relative(ours, measured) == pytest.approx(error)


def test_a_figure_where_nothing_was_measured_is_infinitely_wrong() -> None:
    assert relative(1, 0) == float("inf")


@pytest.mark.parametrize(
    ("percent_of_rows", "value"), [(0, 1), (10, 1.9), (50, 5.5), (90, 9.1), (95, 9.55), (100, 10)]
)
def test_percentiles_lie_between_rows_on_a_straight_line(
    percent_of_rows: float, value: float
) -> None:
    """Of ten rows there are nine steps: 90 % are 8.1 of them, from 1 to 9.1."""
    assert percentile(range(1, 11), percent_of_rows) == pytest.approx(value)


def test_what_was_left_out_or_not_answered_does_not_count() -> None:
    """Errors of 1 %, 3 % and 5 % count: the middle one is 3 %."""
    rows = [row(101), row(97), row(105), row(None), row(200, left_out="broken")]
    found = summary(rows)
    assert found is not None
    assert (found.rows, found.median, found.largest) == pytest.approx((3, 0.03, 0.05))
    assert within(rows, 0.031) == pytest.approx(2 / 3)


def test_nothing_to_count_has_no_statistics() -> None:
    assert summary([row(None)]) is None
    assert within([row(None)], 1.0) == 0.0


@pytest.mark.parametrize(
    ("low", "high", "covered"), [(100, 120, True), (80, 100, True), (101, 120, False)]
)
def test_bounds_include_themselves(low: float, high: float, *, covered: bool) -> None:
    assert row(100, low=low, high=high).is_covered is covered


def test_a_share_falls_behind_below_and_an_error_above() -> None:
    share = Score("a", "a", value=0.9, target=0.8, rows=1, is_share=True)
    error = Score("a", "a", value=0.9, target=0.8, rows=1, is_share=False)
    assert (share.is_reached, error.is_reached) == (True, False)
    assert share.is_worse_than(0.95)
    assert not error.is_worse_than(0.95)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0.0 %"), (0.0004, "< 0.1 %"), (0.0005, "0.1 %"), (0.123, "12.3 %"), (1, "100.0 %")],
)
def test_small_errors_are_not_shown_as_none(value: float, shown: str) -> None:
    assert percent(value) == shown


def test_tables_align_numbers_to_the_right() -> None:
    assert table(("a", "b"), [("x|y", 1)]) == "| a | b |\n| --- | --: |\n| x/y | 1 |"
    assert table(("a",), []) == "None."


def test_statistics_name_all_rows_and_then_each_label() -> None:
    lines = statistics([row(101, architecture="x"), row(103, architecture="y")]).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["**all**", "x", "y"]
    assert lines[2].split("|")[3].strip() == "2.0 %"
