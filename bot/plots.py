"""Figures by category, drawn as lines or as stacked bars: Slack's chart block, and a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.charts import LABEL_CHARACTERS, TITLE_CHARACTERS, Chart, chart_block
from bot.format import Numbers


class Form(StrEnum):
    """How figures are drawn."""

    LINES = "line"
    BARS = "bar"


@dataclass(frozen=True)
class Track:
    """One figure over all categories."""

    name: str
    """What it is called, unique in its plot."""

    values: tuple[float, ...]
    """One for each category."""

    bounds: tuple[tuple[float, float], ...] = ()
    """Low and high bound of each; none where the figures are exact."""


@dataclass(frozen=True)
class Plot:
    """Figures side by side, with the words around them."""

    form: Form
    title: str
    unit: str
    """Unit of the figures: `GB`, `USD`."""
    decimals: int
    """Decimals that are worth telling."""
    x_label: str
    alt_text: str
    """What the picture shows, in a sentence or two."""
    categories: tuple[str, ...]
    """What the figures are of, each name once."""
    tracks: tuple[Track, ...]
    numbers: Numbers
    section: str = ""
    """Part of a report that it belongs to."""
    details: tuple[str, ...] = ()
    """What is written below the name of each category."""
    captions: tuple[str, ...] = ()
    """What is written at the end of each bar."""
    band: str = ""
    """What the range of a line is called."""
    marks: tuple[tuple[float, str], ...] = ()
    """Places between the categories, counted from the first, that are pointed out, with a word."""


def plot_block(plot: Plot) -> dict[str, object]:
    """Return Slack's `data_visualization` block: a point for each category in every series."""
    labels = _labels(plot.categories)
    series = [
        {
            "name": track.name[:LABEL_CHARACTERS],
            "data": [
                {"label": label, "value": round(value, plot.decimals)}
                for label, value in zip(labels, track.values, strict=True)
            ],
        }
        for track in plot.tracks
    ]
    axis: dict[str, object] = {"categories": labels, "y_label": plot.unit[:TITLE_CHARACTERS]}
    if plot.x_label:
        axis["x_label"] = plot.x_label[:TITLE_CHARACTERS]
    return {
        "type": "data_visualization",
        "title": plot.title[:TITLE_CHARACTERS],
        "chart": {"type": plot.form.value, "series": series, "axis_config": axis},
    }


def block_of(drawn: Chart | Plot) -> dict[str, object]:
    """Return Slack's block of anything that is drawn."""
    return plot_block(drawn) if isinstance(drawn, Plot) else chart_block(drawn)


def _labels(names: tuple[str, ...]) -> list[str]:
    """Return short names, told apart by a number where they would be the same."""
    found: list[str] = []
    for place, name in enumerate(names, start=1):
        label = _cut(name, LABEL_CHARACTERS)
        if label in found:
            sign = f" {place}"
            label = _cut(name, LABEL_CHARACTERS - len(sign)) + sign
        found.append(label)
    return found


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"
