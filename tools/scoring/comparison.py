"""One measured figure beside ours, and the statistics of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from statistics import median

from sizing.records import ModelRecord


@dataclass(frozen=True)
class Comparison:
    """One figure: as published or measured, and as answered."""

    case: str
    """What was measured, for people."""
    measured: float
    ours: float | None
    """None where nothing was answered."""
    low: float | None = None
    high: float | None = None
    engine: str = ""
    architecture: str = ""
    precision: str = ""
    batch: str = ""
    """When the row came in, where that tells how it was used."""
    rules: Mapping[str, float] = field(default_factory=dict)
    """The articles' rules of thumb beside it."""
    left_out: str = ""
    """Stated fault of the row, for which it is not counted."""
    not_covered: str = ""
    """Why nothing was answered."""

    @property
    def counts(self) -> bool:
        """Return whether the figure enters the score."""
        return self.ours is not None and not self.left_out

    @property
    def error(self) -> float:
        """Return ours over the measured figure, less one."""
        return relative(self.ours or 0.0, self.measured)

    @property
    def is_covered(self) -> bool:
        """Return whether the measured figure lies between our bounds."""
        return (
            self.low is not None
            and self.high is not None
            and (self.low <= self.measured <= self.high)
        )


def relative(ours: float, measured: float) -> float:
    """Return the relative error; no error where both are nothing."""
    if measured:
        return ours / measured - 1
    return 0.0 if not ours else float("inf")


def counted(rows: Iterable[Comparison]) -> list[Comparison]:
    """Return the rows that enter a score."""
    return [row for row in rows if row.counts]


def errors(rows: Iterable[Comparison]) -> list[float]:
    """Return the absolute relative errors, smallest first."""
    return sorted(abs(row.error) for row in counted(rows))


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the percentile of sorted values, between two of them on a straight line."""
    place = percent / 100 * (len(values) - 1)
    below = floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


@dataclass(frozen=True)
class Summary:
    """Statistics of the errors of some rows."""

    rows: int
    median: float
    p90: float
    p95: float
    largest: float
    covered: float | None
    """Share between our bounds; None where there are none."""


def summary(rows: Iterable[Comparison]) -> Summary | None:
    """Return the statistics; None where nothing counts."""
    kept = counted(rows)
    found = errors(kept)
    if not found:
        return None
    bounded = [row for row in kept if row.low is not None]
    return Summary(
        rows=len(found),
        median=median(found),
        p90=percentile(found, 90),
        p95=percentile(found, 95),
        largest=found[-1],
        covered=share(bounded, lambda row: row.is_covered) if bounded else None,
    )


def share(rows: Sequence[Comparison], holds: Callable[[Comparison], bool]) -> float:
    """Return the share of rows for which something holds."""
    return sum(map(holds, rows)) / len(rows)


def within(rows: Iterable[Comparison], limit: float) -> float:
    """Return the share of counted rows whose error is at most `limit`."""
    kept = counted(rows)
    return share(kept, lambda row: abs(row.error) <= limit) if kept else 0.0


def architecture_of(model: ModelRecord) -> str:
    """Return how a model is grouped in the tables: its kind and its attention."""
    if model.architecture is None:
        return model.kind.value
    return f"{model.kind.value}, {model.architecture.attention.value}"
