"""Refit without each model, without each GPU, and on a random half: what held-out rows get."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import exp
from statistics import quantiles
from typing import Any

import numpy as np

from sizing.records import Spread
from sizing.speed.traits import family_of
from tools.speed.cases import Case
from tools.speed.fit import Fit

Array = np.ndarray[Any, Any]
Spreads = dict[str, dict[str, Spread]]
"""Spread of measurements over estimates by figure and family; `all` where a family has few."""

LEFT_OUT: Mapping[str, Callable[[Case], str]] = {
    "model": lambda case: case.row.hf_id,
    "gpu": lambda case: case.gpu.id,
    "half": lambda case: _half(case.row.id),
}
"""What each kind of fold leaves out."""

HALVES_SEED = 7
LEAST_ROWS = 30
"""Rows of a family from which its own spread is read."""

OUTSIDE_PERCENT = 7
"""Rows beyond each bound, of a hundred: bounds that other models set then hold eight of ten."""

REFIT_ROUNDS = 8


@dataclass(frozen=True)
class HeldOut:
    """Estimates of rows that the fit had not seen, by kind of fold, in the unit of the row."""

    case: Case
    estimates: Mapping[str, float]

    @property
    def family(self) -> str:
        """Return the generation of its GPU with its kind of memory."""
        return family_of(self.case.gpu)

    def is_inside(self, found: Spreads, fold: str) -> bool:
        """Return whether the measurement lies between the bounds of the estimate."""
        by_family = found[self.case.row.kind]
        spread = by_family.get(self.family) or by_family["all"]
        return spread.low <= self.case.row.value / self.estimates[fold] <= spread.high

    def errors(self) -> Iterator[float]:
        """Yield estimate over measurement for each unseen model and GPU."""
        for fold in ("model", "gpu"):
            yield self.estimates[fold] / self.case.row.value


def held_out(fit: Fit, numbers: Array) -> list[HeldOut]:
    """Return the estimates of every row by fits without its model, its GPU, its half."""
    found = {name: _estimates(fit, numbers, key) for name, key in LEFT_OUT.items()}
    return [
        HeldOut(case, {name: exp(values[index]) for name, values in found.items()})
        for index, case in enumerate(fit.cases)
    ]


def _estimates(fit: Fit, numbers: Array, key: Callable[[Case], str]) -> Array:
    found = np.zeros(len(fit.cases))
    keys = np.array([key(case) for case in fit.cases])
    for name in sorted(set(keys)):
        is_out = keys == name
        refitted = fit.solve(~is_out, numbers, REFIT_ROUNDS)
        found[is_out] = fit.estimates(fit.logarithms(refitted))[is_out]
    return found


def _half(row_id: str) -> str:
    """Return which half a row falls in: near twins may fall in both."""
    return str(random.Random(f"{HALVES_SEED}/{row_id}").randrange(2))  # noqa: S311 - no secret


def spreads(rows: list[HeldOut]) -> Spreads:
    """Return by figure and family the multiples between which eight of ten measurements lie.

    Percentiles of measurement over estimate, on models and GPUs unseen.
    """
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        by_family = found.setdefault(row.case.row.kind, {})
        for name in ("all", row.family):
            by_family.setdefault(name, []).extend(1 / each for each in row.errors())
    return {
        kind: {
            name: _spread(values)
            for name, values in sorted(by_family.items())
            if name == "all" or len(values) >= 2 * LEAST_ROWS
        }
        for kind, by_family in sorted(found.items())
    }


def _spread(ratios: list[float]) -> Spread:
    if len(ratios) < LEAST_ROWS:
        return Spread(low=0.5, high=2.0)
    cuts = quantiles(ratios, n=100, method="inclusive")
    low, high = cuts[OUTSIDE_PERCENT - 1], cuts[-OUTSIDE_PERCENT]
    return Spread(low=round(min(low, 1.0), 3), high=round(max(high, 1.0), 3))
