"""Curves of throughput against latency, as Slack's chart block and as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.format import Numbers

TITLE_CHARACTERS = 50
LABEL_CHARACTERS = 20
MOST_CATEGORIES = 12
"""Times that a chart names; Slack takes 20, a terminal of 80 columns shows 12 at ease."""

_STEPS = (1.0, 2.0, 3.0, 5.0, 7.0)
"""Round numbers of one decade, a third to two thirds apart."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """One curve."""

    name: str
    """What it is called, unique in its chart."""

    points: tuple[Point, ...]
    """Time between tokens in ms and output tokens per second, both rising."""

    def reached(self, limit_ms: float) -> float:
        """Return the most tokens per second whose time between tokens keeps to a limit.

        Straight lines join the points; nothing is reached below the first.
        """
        if limit_ms < self.points[0][0]:
            return 0.0
        for (left_ms, low), (right_ms, high) in pairwise(self.points):
            if limit_ms < right_ms:
                share = (limit_ms - left_ms) / (right_ms - left_ms)
                return low + (high - low) * share
        return self.points[-1][1]


@dataclass(frozen=True)
class Chart:
    """Curves side by side, with the words around them."""

    title: str
    x_label: str
    y_label: str
    alt_text: str
    """What the picture shows, in a sentence."""
    series: tuple[Series, ...]
    numbers: Numbers

    @property
    def limits_ms(self) -> tuple[float, ...]:
        """Return round times between tokens, from the fastest point to the slowest."""
        times = [time_ms for one in self.series for time_ms, _ in one.points]
        found = list(_round_times(min(times), max(times)))
        step = -(-len(found) // MOST_CATEGORIES)
        return tuple(found[::-1][::step][::-1])


def _round_times(low_ms: float, high_ms: float) -> Iterator[float]:
    """Yield round times, from the first not below `low_ms` to the first not below `high_ms`."""
    decade = 0.01
    times = []
    while decade <= high_ms:
        times += [step * decade for step in _STEPS]
        decade *= 10
    times.append(decade)
    for time_ms in times:
        if time_ms >= low_ms:
            yield time_ms
        if time_ms >= high_ms:
            return


def chart_block(chart: Chart) -> dict[str, object]:
    """Return Slack's `data_visualization` block: a point for each time in every series."""
    limits_ms = chart.limits_ms
    labels = [f"{chart.numbers.number(limit_ms)} ms"[:LABEL_CHARACTERS] for limit_ms in limits_ms]
    series = [
        {
            "name": one.name[:LABEL_CHARACTERS],
            "data": [
                {"label": label, "value": round(one.reached(limit_ms), 1)}
                for label, limit_ms in zip(labels, limits_ms, strict=True)
            ],
        }
        for one in chart.series
    ]
    axis = {
        "categories": labels,
        "x_label": chart.x_label[:TITLE_CHARACTERS],
        "y_label": chart.y_label[:TITLE_CHARACTERS],
    }
    return {
        "type": "data_visualization",
        "title": chart.title[:TITLE_CHARACTERS],
        "chart": {"type": "line", "series": series, "axis_config": axis},
    }


def chart_table(chart: Chart) -> str:
    """Return the same figures as a Markdown table, for places that draw no charts."""
    rows = [
        [f"≤ {chart.numbers.number(limit_ms)} ms", *_cells(chart, limit_ms)]
        for limit_ms in chart.limits_ms
    ]
    head = [chart.x_label, *(one.name for one in chart.series)]
    rule = ["---", *("--:" for _ in chart.series)]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    return "\n".join((f"**{chart.title}**", "", *lines, ""))


def _cells(chart: Chart, limit_ms: float) -> Sequence[str]:
    reached = (one.reached(limit_ms) for one in chart.series)
    return [chart.numbers.about(value) if value else "–" for value in reached]
