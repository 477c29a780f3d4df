"""How often measurements lie between the low and the high bound, by family of GPUs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tools.scoring.speed import Speeds

LEAST_ROWS = 30
"""Rows of a family from which its share is an aim."""

FEWEST, MOST = 0.75, 0.90
"""Shares of rows between bounds that are neither too narrow nor too wide."""


@dataclass(frozen=True)
class Family:
    """GPUs of one generation with one kind of memory."""

    name: str
    rows: int
    covered: float
    """Share of the rows between bounds."""


def is_calibrated(covered: float) -> bool:
    """Return whether bounds are neither too narrow nor too wide."""
    return FEWEST <= covered <= MOST


def families(speeds: Speeds, fold: str) -> list[Family]:
    """Return the families with enough rows, those with most rows first."""
    rows = Counter(row.family for row in speeds.rows)
    covered = speeds.covered[fold]
    inside = Counter(row.family for row in speeds.rows if row.case.row.id in covered)
    return [
        Family(name, count, inside[name] / count)
        for name, count in rows.most_common()
        if count >= LEAST_ROWS
    ]
