"""Curves as Slack's chart block, as a table, and as a picture."""

from __future__ import annotations

import builtins
import struct
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.charts import MOST_CATEGORIES, Chart, Series, chart_block, chart_table
from bot.errors import CodedError
from bot.format import Numbers
from bot.limits import assert_valid
from bot.pictures import DOTS_PER_INCH, INCHES, picture_of

SLOW = Series("B: INT4", ((40.0, 100.0), (80.0, 200.0)))
FAST = Series("A: FP8", ((10.0, 500.0), (30.0, 1500.0), (60.0, 2000.0)))


def chart(*series: Series, language: str = "en") -> Chart:
    return Chart(
        title="Tokens",
        x_label="Time",
        y_label="Tokens/s",
        alt_text="A reaches 2,000, B 200.",
        series=series or (FAST, SLOW),
        numbers=Numbers(language),
    )


@pytest.mark.parametrize(
    ("limit_ms", "reached"),
    [(9.9, 0), (10, 500), (20, 1000), (30, 1500), (45, 1750), (60, 2000), (500, 2000)],
)
def test_what_is_reached_lies_on_straight_lines(limit_ms: float, reached: float) -> None:
    """500 + (20 - 10) / 20 x 1,000 = 1,000; 1,500 + (45 - 30) / 30 x 500 = 1,750."""
    assert FAST.reached(limit_ms) == pytest.approx(reached)


def test_the_times_are_round_and_span_all_curves() -> None:
    assert chart().limits_ms == (10, 20, 30, 50, 70, 100)
    assert chart(Series("A", ((11.0, 5.0),)), Series("B", ((12.0, 5.0),))).limits_ms == (20,)


def test_the_block_has_a_point_for_each_time_in_each_curve() -> None:
    block = chart_block(chart())
    assert block["chart"]["axis_config"]["categories"] == [
        "10 ms", "20 ms", "30 ms", "50 ms", "70 ms", "100 ms",
    ]  # fmt: skip
    fast, slow = block["chart"]["series"]
    assert [point["value"] for point in fast["data"]] == [500, 1000, 1500, 1833.3, 2000, 2000]
    assert [point["value"] for point in slow["data"]] == [0, 0, 0, 125, 175, 200]


POINTS = st.lists(st.tuples(st.floats(0.02, 90_000), st.floats(1, 10**6)), min_size=1, max_size=13)


@given(st.lists(POINTS, min_size=1, max_size=4), st.sampled_from(["en", "es"]))
def test_slack_takes_every_block(curves, language: str) -> None:
    series = [
        Series(f"{letter}: a name of a format that is long", tuple(sorted(points)))
        for letter, points in zip("ABCD", curves, strict=False)
    ]
    drawn = chart(*series, language=language)
    assert 1 <= len(drawn.limits_ms) <= MOST_CATEGORIES
    assert_valid("message", {"text": "Curves.", "blocks": [chart_block(drawn)]})


def test_the_table_says_the_same_in_words() -> None:
    assert chart_table(chart(language="es")).splitlines() == [
        "**Tokens**",
        "",
        "| Time | A: FP8 | B: INT4 |",
        "| --- | --: | --: |",
        "| ≤ 10 ms | 500 | – |",
        "| ≤ 20 ms | 1.000 | – |",
        "| ≤ 30 ms | 1.500 | – |",
        "| ≤ 50 ms | 1.800 | 120 |",
        "| ≤ 70 ms | 2.000 | 180 |",
        "| ≤ 100 ms | 2.000 | 200 |",
    ]


def test_a_picture_is_a_png_of_the_right_size_that_says_what_it_shows() -> None:
    picture = picture_of(chart())
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    size = struct.unpack(">II", picture[16:24])
    assert size == tuple(round(each * DOTS_PER_INCH) for each in INCHES)
    assert b"A reaches 2,000, B 200." in picture


def test_two_curves_are_drawn_apart() -> None:
    assert picture_of(chart(FAST)) != picture_of(chart())


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch) -> None:
    real = builtins.__import__

    def none(name: str, *rest: object, **more: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", none)
    with pytest.raises(CodedError) as caught:
        picture_of(chart())
    assert caught.value.code == "no_matplotlib"


def test_nothing_loads_matplotlib_before_a_picture_is_wanted() -> None:
    program = "import sys, bot.service, bot.comparing, bot.pictures; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "bot.pictures" in done.stdout.split()
    assert "matplotlib" not in done.stdout.split()
