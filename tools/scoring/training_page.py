"""The section of the page about training runs."""

from __future__ import annotations

from tools.scoring.comparison import Comparison, summary
from tools.scoring.markdown import percent, statistics, table
from tools.scoring.training import publishers, reasons

HEADS = ("", "Rows", "Median", "Left out", "90 % within", "Left out", "Between", "Left out")
"""Columns of the fit, each with that of a fit without the runs of the row's publisher."""


def training_parts(fit: list[Comparison], held_out: list[Comparison]) -> dict[str, str]:
    """Return the tables of the section by their name in the text."""
    return {
        "training": statistics(fit, lambda row: row.precision),
        "training_lengths": statistics(fit, lambda row: row.batch),
        "training_held_out": _held_out(fit, held_out),
        "training_left_out": "; ".join(
            f"{why} {count}" for why, count in sorted(reasons().items())
        ),
    }


def _held_out(fit: list[Comparison], held_out: list[Comparison]) -> str:
    """Return each publisher's score by the fit, and by a fit without its runs."""
    rows = [_both("**all**", fit, held_out)]
    for name in publishers(fit):
        own, apart = ([row for row in kind if row.engine == name] for kind in (fit, held_out))
        rows.append(_both(name, own, apart))
    return table(HEADS, rows)


def _both(label: str, fit: list[Comparison], held_out: list[Comparison]) -> tuple[object, ...]:
    one, other = summary(fit), summary(held_out)
    if one is None or other is None:
        return (label, 0, "", "", "", "", "", "")
    pairs = ((one.median, other.median), (one.p90, other.p90), (one.covered, other.covered))
    return (label, one.rows, *(percent(share or 0) for pair in pairs for share in pair))
