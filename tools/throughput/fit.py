"""Fit shares of rates and launch times on logarithms, each factor held near one by a prior."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from sizing.records import ThroughputTrait
from sizing.throughput.pace import Pace
from tools.throughput.cases import Case

Numbers = NDArray[np.float64]

PRIORS: dict[str, dict[ThroughputTrait | None, float]] = {
    "compute": {
        None: 5.0, "work": 0.4, "engine": 0.7, "family": 0.25, "gpu": 0.12, "numbers": 0.4,
    },
    "memory": {None: 1.0, "engine": 0.7},
    "power": {None: 1.0},
    "launch": {None: 5.0, "engine": 0.7},
}  # fmt: skip
"""How far a base, or the factors of a trait, may lie from rest: standard deviation of logarithms.
Engines differ several times, cards of one family by their clocks and power."""

AT_REST = {"compute": log(0.3), "memory": log(0.5), "power": log(0.3), "launch": log(1e-5)}

NOISE = {3: 0.15, 2: 0.2, 1: 0.4}
"""Standard deviation of the logarithm of a measured value by its confidence."""

ROUNDS = 30

NUDGE = 1e-5


@dataclass(frozen=True)
class Parameter:
    """One fitted number: a base, or the factor of one member of a trait."""

    name: str
    trait: ThroughputTrait | None
    member: str


class Fit:
    """The numbers that fit some cases best."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.parameters = list(_parameters(cases))
        self._places = {parameter: place for place, parameter in enumerate(self.parameters)}
        self._rest = np.array(
            [AT_REST[one.name] if one.trait is None else 0.0 for one in self.parameters]
        )
        self._widths = np.array([PRIORS[one.name][one.trait] for one in self.parameters])
        self.numbers = self._solve(cases)

    def seconds(self, case: Case) -> float:
        """Return the seconds of an item; what was not seen takes a factor of one."""
        return case.seconds(self._pace(case, self.numbers))

    def _solve(self, cases: Sequence[Case]) -> Numbers:
        """Return the numbers after Gauss-Newton steps, halved while they make it worse."""
        numbers = self._rest.copy()
        for _ in range(ROUNDS):
            errors, slopes = self._errors(cases, numbers)
            inverse = np.diag(self._widths**-2)
            step = np.linalg.solve(
                slopes.T @ slopes + inverse,
                slopes.T @ errors + inverse @ (numbers - self._rest),
            )
            numbers = numbers - np.clip(step, -0.5, 0.5)
        return numbers

    def _errors(self, cases: Sequence[Case], numbers: Numbers) -> tuple[Numbers, Numbers]:
        errors = np.zeros(len(cases))
        slopes = np.zeros((len(cases), len(numbers)))
        for line, case in enumerate(cases):
            noise = NOISE[case.row.confidence]
            pace = self._pace(case, numbers)
            here = log(case.seconds(pace))
            errors[line] = (here - log(case.measured_s)) / noise
            for name in PRIORS:
                slope = (log(case.seconds(self._pace(case, numbers, name))) - here) / NUDGE / noise
                for place in self._of(case, name):
                    slopes[line, place] = slope
        return errors, slopes

    def _pace(self, case: Case, numbers: Numbers, nudged: str = "") -> Pace:
        """Return the numbers of a case, the logarithm of one of them raised by a nudge."""
        found = {
            name: exp(
                sum(numbers[place] for place in self._of(case, name)) + NUDGE * (name == nudged)
            )
            for name in PRIORS
        }
        supplied = case.rates.power_w_per_tflops ** found["power"]
        return Pace(found["compute"] * supplied, found["memory"], found["launch"])

    def _of(self, case: Case, name: str) -> Iterator[int]:
        """Yield the places of the numbers whose product is one of a case's."""
        for trait in PRIORS[name]:
            member = case.traits[trait] if trait else ""
            place = self._places.get(Parameter(name, trait, member))
            if place is not None:
                yield place


def _parameters(cases: Sequence[Case]) -> Iterator[Parameter]:
    for name, traits in PRIORS.items():
        for trait in traits:
            members = sorted({case.traits[trait] for case in cases}) if trait else [""]
            yield from (Parameter(name, trait, member) for member in members)
