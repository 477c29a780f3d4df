"""Measured speeds beside estimates of fits that had not seen their model, their GPU, their half."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from sizing.catalogue import Catalogue
from tools.scoring.comparison import percentile
from tools.scoring.speed_users import Kept, kept_promises
from tools.speed.cases import cases_of
from tools.speed.folds import LEFT_OUT, HeldOut
from tools.speed.ranges import ranges
from tools.speed.rows import Row, read_held_out, read_rows

FOLDS: Mapping[str, str] = {
    "model": "model unseen",
    "gpu": "GPU unseen",
    "half": "random half unseen",
}
"""What a fit had not seen, by fold."""

UNSEEN = ("model", "gpu")
"""Folds that have aims; near twins of a row may stand in the other random half."""

Errors = Mapping[str, float]
"""Error of an estimate by the id of its row: estimate over measurement, less one."""


@dataclass(frozen=True)
class Accuracy:
    """Statistics of the errors of some rows, without their sign."""

    rows: int
    median: float
    p90: float
    within_25: float
    """Share of rows whose error is at most 25 %."""


def accuracy(errors: Iterable[float]) -> Accuracy:
    """Return the statistics of at least one error."""
    found = sorted(abs(error) for error in errors)
    return Accuracy(
        rows=len(found),
        median=median(found),
        p90=percentile(found, 90),
        within_25=sum(error <= 0.25 for error in found) / len(found),
    )


class Speeds:
    """Every measured speed with its held-out estimates."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    @cached_property
    def collected(self) -> list[Row]:
        """Return every row, those that are left out included."""
        return read_rows()

    @cached_property
    def rows(self) -> list[HeldOut]:
        """Return the rows that are scored."""
        estimates = read_held_out()
        cases = cases_of(self.collected, self._catalogue)
        return [HeldOut(case, estimates[case.row.id]) for case in cases if case.row.id in estimates]

    def errors(self, fold: str) -> Errors:
        """Return the error of each row by fits that had not seen its part."""
        return self._errors[fold]

    @cached_property
    def _errors(self) -> Mapping[str, Errors]:
        return {
            fold: {
                row.case.row.id: row.estimates[fold] / row.case.row.value - 1 for row in self.rows
            }
            for fold in FOLDS
        }

    @cached_property
    def promises(self) -> Mapping[str, Kept]:
        """Return how promised users stood beside measured ones, by fold."""
        return {fold: kept_promises(self.rows, fold) for fold in UNSEEN}

    @cached_property
    def covered(self) -> Mapping[str, frozenset[str]]:
        """Return the ids of rows between bounds that rows of other models, or GPUs, set."""
        return {fold: frozenset(_covered(self.rows, fold)) for fold in UNSEEN}


def _covered(rows: list[HeldOut], fold: str) -> Iterable[str]:
    for is_single in (False, True):
        yield from _covered_of_form([row for row in rows if row.case.is_single is is_single], fold)


def _covered_of_form(rows: list[HeldOut], fold: str) -> Iterable[str]:
    key = LEFT_OUT[fold]
    for name in sorted({key(row.case) for row in rows}):
        found = ranges([row for row in rows if key(row.case) != name], fold)
        for row in rows:
            if key(row.case) == name and found.is_inside(row, fold):
                yield row.case.row.id


def accuracy_of(
    speeds: Speeds, fold: str, holds: Callable[[HeldOut], bool] = lambda _: True
) -> Accuracy | None:
    """Return the statistics of the rows for which something holds; None without such rows."""
    errors = speeds.errors(fold)
    kept = [errors[row.case.row.id] for row in speeds.rows if holds(row)]
    return accuracy(kept) if kept else None
