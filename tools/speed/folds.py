"""Refit without each model, without each GPU, and on a random half: what held-out rows get."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from sizing.speed.traits import family_of
from tools.speed.cases import Case
from tools.speed.fit import Fit

Array = np.ndarray[Any, Any]

LEFT_OUT: Mapping[str, Callable[[Case], str]] = {
    "model": lambda case: case.row.hf_id,
    "gpu": lambda case: case.gpu.id,
    "half": lambda case: _half(case.row.id),
}
"""What each kind of fold leaves out."""

HALVES_SEED = 7

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

    @property
    def layers(self) -> str:
        """Return the kind of layers of its model."""
        return self.case.traits["experts"]


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
