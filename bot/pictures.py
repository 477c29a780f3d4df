"""Pictures of charts, drawn by matplotlib where it is installed: no display is needed."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from bot.errors import CodedError

if TYPE_CHECKING:
    from bot.charts import Chart

INCHES = (8.0, 4.5)
DOTS_PER_INCH = 150
MARKERS = "osD^"
"""Shapes of points: curves differ without their colours too."""


def picture_of(chart: Chart) -> bytes:
    """Return a chart as PNG; raise CodedError where nothing here can draw it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise CodedError("no_matplotlib") from error

    figure = Figure(figsize=INCHES, layout="constrained")
    axes = figure.add_subplot()
    for one, marker in zip(chart.series, MARKERS, strict=False):
        times_ms, tokens_per_s = zip(*one.points, strict=True)
        axes.plot(times_ms, tokens_per_s, marker=marker, label=one.name)
    axes.set_title(chart.title)
    axes.set_xlabel(f"{chart.x_label} (ms)")
    axes.set_ylabel(chart.y_label)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    limits_ms = chart.limits_ms
    axes.set_xticks(limits_ms, [chart.numbers.number(limit_ms) for limit_ms in limits_ms])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(lambda value, _: chart.numbers.count(round(value)))
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, metadata={"Title": chart.alt_text})
    return drawn.getvalue()
