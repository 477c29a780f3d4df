"""Refit without each model, without each GPU, and on a random half: what held-out rows get."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log
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
"""Rows of a figure from which its spreads are read."""

INSIDE = 0.84
"""Share of the weight between bounds: those that others set then hold about eight of ten rows."""

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


def spreads(rows: list[HeldOut], fold: str) -> Spreads:
    """Return by figure and family the multiples between which measurements lie, on what is unseen.

    Each model, or GPU, that was left out counts the same however many rows it has, and those of
    all families together count as one more of a family.
    """
    of_kinds: dict[str, list[HeldOut]] = {}
    for row in rows:
        of_kinds.setdefault(row.case.row.kind, []).append(row)
    return {kind: _by_family(of_kind, fold) for kind, of_kind in sorted(of_kinds.items())}


def _by_family(rows: list[HeldOut], fold: str) -> dict[str, Spread]:
    if len(rows) < LEAST_ROWS:
        return {"all": Spread(low=0.5, high=2.0)}
    sizes, weights = _weighed(rows, fold)
    found = {"all": _spread(sizes, weights)}
    for family in sorted({row.family for row in rows}):
        own, of_own = _weighed([row for row in rows if row.family == family], fold)
        found[family] = _spread(
            np.concatenate([own, sizes]), np.concatenate([of_own, weights / weights.sum()])
        )
    return found


def _weighed(rows: list[HeldOut], fold: str) -> tuple[Array, Array]:
    """Return the logarithms of errors without their sign, and weights that sum to 1 by group."""
    groups = [LEFT_OUT[fold](row.case) for row in rows]
    counts = Counter(groups)
    sizes = [abs(log(row.estimates[fold] / row.case.row.value)) for row in rows]
    return np.array(sizes), np.array([1 / counts[group] for group in groups])


def _spread(sizes: Array, weights: Array) -> Spread:
    """Return bounds that are as far below an estimate as above: the sign of a miss is not known."""
    order = np.argsort(sizes, kind="stable")
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, INSIDE * reached[-1]))
    high = exp(sizes[order][min(place, len(order) - 1)])
    return Spread(low=round(1 / high, 3), high=round(high, 3))
