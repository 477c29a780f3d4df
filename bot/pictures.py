"""Pictures of charts, drawn by matplotlib where it is installed: no display is needed."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import accumulate, cycle
from textwrap import fill
from typing import TYPE_CHECKING, Literal

from bot.errors import CodedError
from bot.plots import Form, Plot, Track

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bot.charts import Chart

INCHES = (8.0, 4.5)
"""Width and height of one chart."""

DOTS_PER_INCH = 150
POINTS_PER_INCH = 72
MARKERS = "osD^"
"""Shapes of points: curves differ without their colours too."""

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933", "#882255")
"""Colours that people who see fewer of them tell apart (Okabe and Ito), one for each part."""

HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
"""Patterns of the parts: they differ in print without colours too."""

FREE = "#f0f0f0"
LINES = ("-", "--", ":")

BAR_INCHES = 0.6
"""Height of one bar with the space around it."""

FRAME_INCHES = 1.2
"""Height of title and axis around the bars."""

KEY_INCHES = 0.25
"""Height of one row of the key."""

LINE_COLUMNS = 2
"""Names in one row of the key to lines, which are long."""

BAR_COLUMNS = 4
"""Names in one row of the key to bars, where one row does not hold all of them."""

ONE_ROW = 5
"""Names that one row holds."""

NAME_CHARACTERS = 28
"""Characters in a line beside a bar."""


def picture_of(drawn: Chart | Plot | Sequence[Chart | Plot], form: str = "png") -> bytes:
    """Return charts, one below the other, as `png` or `svg`.

    Raise CodedError where nothing here can draw it.
    """
    try:
        import matplotlib as drawing
        from matplotlib.figure import Figure
    except ImportError as error:
        raise CodedError("no_matplotlib") from error

    charts = tuple(drawn) if isinstance(drawn, Sequence) else (drawn,)
    heights = [_height(chart) for chart in charts]
    alt_text = " ".join(chart.alt_text for chart in charts)
    metadata = {"Title": alt_text} | ({"Date": None} if form == "svg" else {})
    # Names inside an SVG are random without a seed: the same plan makes the same file.
    with drawing.rc_context({"svg.hashsalt": "gpusize", "hatch.linewidth": 0.6}):
        figure = Figure(figsize=(INCHES[0], sum(heights)), layout="constrained")
        rows = figure.subplots(len(charts), 1, squeeze=False, height_ratios=heights)
        for axes, chart in zip(rows[:, 0], charts, strict=True):
            _draw(axes, chart)
        return _saved(figure, form, metadata)


def _saved(figure: Figure, form: str, metadata: dict[str, str | None]) -> bytes:
    drawn = BytesIO()
    figure.savefig(drawn, format=form, dpi=DOTS_PER_INCH, metadata=metadata)
    return drawn.getvalue()


def _height(chart: Chart | Plot) -> float:
    if isinstance(chart, Plot) and chart.form is Form.BARS:
        rows = -(-len(chart.tracks) // _columns(chart))
        return FRAME_INCHES + KEY_INCHES * rows + BAR_INCHES * len(chart.categories)
    return INCHES[1]


def _columns(plot: Plot) -> int:
    """Return how many names stand in one row of the key."""
    if plot.form is Form.LINES:
        return LINE_COLUMNS
    return ONE_ROW if len(plot.tracks) <= ONE_ROW else BAR_COLUMNS


def _draw(axes: Axes, chart: Chart | Plot) -> None:
    if not isinstance(chart, Plot):
        _curves(axes, chart)
    elif chart.form is Form.BARS:
        _bars(axes, chart)
    else:
        _lines(axes, chart)


def _curves(axes: Axes, chart: Chart) -> None:
    """Draw throughput against time between tokens."""
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


def _bars(axes: Axes, plot: Plot) -> None:
    """Draw a bar of parts for each category, the first on top, with a caption at its end."""
    places = range(len(plot.categories))
    stacked = [list(accumulate(parts)) for parts in zip(*_values(plot.tracks), strict=True)]
    looks = cycle(zip(COLOURS, HATCHES, strict=True))
    for row, track in enumerate(plot.tracks):
        starts = [ends[row] - value for ends, value in zip(stacked, track.values, strict=True)]
        is_rest = row == len(plot.tracks) - 1 and row > 0
        colour, hatch = (FREE, "") if is_rest else next(looks)
        axes.barh(
            places, track.values, left=starts, height=0.6, label=track.name,
            color=colour, hatch=hatch, edgecolor="#333333", linewidth=0.6,
        )  # fmt: skip
    longest = max(ends[-1] for ends in stacked)
    for place, (ends, caption) in enumerate(zip(stacked, plot.captions, strict=True)):
        axes.text(
            ends[-1] + longest * 0.01, place, caption, va="center", fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )  # fmt: skip
    axes.set_yticks(places, _names(plot))
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.set_xlim(0, longest * 1.25)
    axes.set_xlabel(plot.unit)
    axes.xaxis.set_major_formatter(lambda value, _: plot.numbers.number(value))
    _framed(axes, plot, along="x")


def _names(plot: Plot) -> list[str]:
    """Return the names of the categories, what is said of each below it."""
    pairs = zip(plot.categories, plot.details, strict=True)
    lines = (fill(part, NAME_CHARACTERS) for pair in pairs for part in pair)
    return ["\n".join(pair) for pair in zip(lines, lines, strict=True)]


def _lines(axes: Axes, plot: Plot) -> None:
    """Draw a line for each figure, its range as a band, and its last value at its end."""
    places = range(len(plot.categories))
    looks = zip(cycle(COLOURS), cycle(MARKERS), cycle(LINES), strict=False)
    for track, (colour, marker, style) in zip(plot.tracks, looks, strict=False):
        axes.plot(places, track.values, style, marker=marker, color=colour, label=track.name)
        if track.bounds:
            low, high = zip(*track.bounds, strict=True)
            band = f"{track.name}: {plot.band}"
            axes.fill_between(places, low, high, color=colour, alpha=0.15, lw=0, label=band)
    for place, label in plot.marks:
        axes.axvline(place, color="#555555", linewidth=1, linestyle="-.", label=label)
    axes.set_xticks(places, plot.categories)
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.unit)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: plot.numbers.count(round(value)))
    _framed(axes, plot, along="y")


def _values(tracks: tuple[Track, ...]) -> list[tuple[float, ...]]:
    return [track.values for track in tracks]


def _framed(axes: Axes, plot: Plot, *, along: Literal["x", "y"]) -> None:
    """Put the title and the key above, and leave of the frame what is needed to read figures."""
    found, names = axes.get_legend_handles_labels()
    # The key is filled column by column; people read it row by row.
    columns = _columns(plot)
    order = [place for first in range(columns) for place in range(first, len(names), columns)]
    key = axes.legend(
        [found[place] for place in order],
        [names[place] for place in order],
        loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False, fontsize=9,
        borderpad=0, borderaxespad=0.6, columnspacing=1.4, handlelength=1.8,
    )  # fmt: skip
    key.set_in_layout(False)
    rows = -(-len(names) // columns)
    axes.set_title(plot.title, loc="left", pad=10 + rows * KEY_INCHES * POINTS_PER_INCH * 0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(visible=True, axis=along, alpha=0.3)
