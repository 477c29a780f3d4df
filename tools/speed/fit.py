"""Fit the numbers of the speed model on measured rows: robust least squares, held back to a prior.

Residuals are logarithms of estimate over measurement. Gauss-Newton with the weights of a soft
absolute loss; every factor is drawn to 1 by a ridge whose strength its trait's spread sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sizing.speed.pace import COEFFICIENTS, Pace, abundance_of
from sizing.speed.serving import (
    first_at_random_s,
    first_in_burst_s,
    first_s,
    itl_s,
    output_tokens_per_s,
    prefill_tokens_per_s,
)
from sizing.speed.step import step_times
from sizing.speed.work import StepWork
from tools.speed.cases import Case
from tools.speed.form import AT_REST, Form, Prior

Array = np.ndarray[Any, Any]

SOFT = 0.15
"""Logarithm of an error from which rows count by its size, not by its square."""

STEP = 1e-4
"""Change of a logarithm over which a derivative is taken."""

LARGEST_MOVE = 0.7
"""Most that a logarithm moves in one round."""

FIRST_TOKEN_WEIGHT = 0.5
"""Weight of a row that times the first token: there are as many as of all others together."""

ALIKE = 0.25
"""Power of the rows alike (model, GPU, engine) by which each of them counts less."""


@dataclass(frozen=True)
class Block:
    """Factors of one trait of one number, and which of them each row takes."""

    coefficient: str
    trait: str
    offset: int
    rows: Array
    members: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """The rows of one kind of figure, as arrays."""

    kind: str
    rows: Array
    """Positions among all rows."""
    work: StepWork
    batch: Array
    replicas: Array
    bandwidth_bytes_per_s: Array
    starved: Array
    abundance: Array

    def estimates(self, logarithms: Mapping[str, Array]) -> Array:
        """Return the logarithm of each row's estimate."""
        pace = Pace(
            **{name: np.exp(value[self.rows]) for name, value in logarithms.items()},  # type: ignore[arg-type]
            bandwidth_bytes_per_s=self.bandwidth_bytes_per_s,  # type: ignore[arg-type]
            abundance=self.abundance,  # type: ignore[arg-type]
            starvation=self.starved,  # type: ignore[arg-type]
        )
        return np.asarray(np.log(_ESTIMATES[self.kind](self, pace)))


class Fit:
    """The rows as arrays, and the numbers to find."""

    def __init__(self, cases: list[Case], form: Form, starved: Array) -> None:
        priors = form.priors
        self.cases = cases
        self.priors = priors
        self.held_back = form.held_back
        self.blocks = tuple(_blocks(cases, priors))
        self.start, self.spread = _prior(self.blocks, priors)
        self.measured = np.log([case.row.value for case in cases])
        self.parts = tuple(_parts(cases, starved))
        self.weight = _weights(cases)

    def logarithms(self, numbers: Array) -> dict[str, Array]:
        """Return the logarithm of each coefficient for each row."""
        found = {
            name: np.full(len(self.cases), np.log(AT_REST.get(name, 1.0))) for name in COEFFICIENTS
        }
        for block in self.blocks:
            if block.trait == "":
                found[block.coefficient] = np.zeros(len(self.cases))
        for block in self.blocks:
            found[block.coefficient] = found[block.coefficient] + numbers[block.offset + block.rows]
        return found

    def estimates(self, logarithms: Mapping[str, Array]) -> Array:
        """Return the logarithm of each row's estimate."""
        found = np.zeros(len(self.cases))
        for part in self.parts:
            found[part.rows] = part.estimates(logarithms)
        return found

    def solve(self, rows: Array, start: Array | None = None, rounds: int = 40) -> Array:
        """Return the numbers that fit `rows` best."""
        numbers = self.start.copy() if start is None else start.copy()
        damping, cost = 1e-3, self._cost(numbers, rows)
        for _ in range(rounds):
            slopes = self._slopes(numbers, rows)
            found = self._better(numbers, rows, cost, slopes, damping=damping)
            if found is None:
                break
            moved, new_cost, damping = found
            is_done = cost - new_cost < 1e-4 * cost
            numbers, cost = moved, new_cost
            if is_done:
                break
        return numbers

    def _better(
        self,
        numbers: Array,
        rows: Array,
        cost: float,
        slopes: tuple[Array, Array],
        *,
        damping: float,
    ) -> tuple[Array, float, float] | None:
        hessian, gradient = slopes
        for _ in range(6):
            damped = hessian + damping * np.diag(np.diag(hessian))
            move = np.clip(np.linalg.solve(damped, -gradient), -LARGEST_MOVE, LARGEST_MOVE)
            new_cost = self._cost(numbers + move, rows)
            if new_cost < cost:
                return numbers + move, new_cost, max(damping / 5, 1e-6)
            damping *= 10
        return None

    def _cost(self, numbers: Array, rows: Array) -> float:
        error = (self.estimates(self.logarithms(numbers)) - self.measured)[rows]
        soft = 2 * SOFT**2 * (np.sqrt(1 + (error / SOFT) ** 2) - 1)
        ridge = ((numbers - self.start) / self.spread) ** 2
        return float((self.weight[rows] * soft).sum() + self.held_back**2 * ridge.sum())

    def _slopes(self, numbers: Array, rows: Array) -> tuple[Array, Array]:
        logarithms = self.logarithms(numbers)
        here = self.estimates(logarithms)
        error = (here - self.measured)[rows]
        weight = self.weight[rows] / np.sqrt(1 + (error / SOFT) ** 2)
        jacobian = self._jacobian(logarithms, here, rows)
        ridge = self.held_back**2 / self.spread**2
        hessian = (jacobian * weight[:, None]).T @ jacobian + np.diag(ridge)
        gradient = (jacobian * weight[:, None]).T @ error + ridge * (numbers - self.start)
        return hessian, gradient

    def _jacobian(self, logarithms: dict[str, Array], here: Array, rows: Array) -> Array:
        slopes = {}
        for name in self.priors:
            moved = {**logarithms, name: logarithms[name] + STEP}
            slopes[name] = ((self.estimates(moved) - here) / STEP)[rows]
        found = np.zeros((int(rows.sum()), len(self.start)))
        lines = np.arange(len(found))
        for block in self.blocks:
            found[lines, block.offset + block.rows[rows]] += slopes[block.coefficient]
        return found


def _weights(cases: list[Case]) -> Array:
    """Return how much each row counts, 1 on average but for the first tokens."""
    alike = Counter(_alike(case) for case in cases)
    counts = np.array([float(alike[_alike(case)]) ** -ALIKE for case in cases])
    first = [case.row.kind.startswith("ttft") for case in cases]
    return np.asarray(counts / counts.mean() * np.where(first, FIRST_TOKEN_WEIGHT, 1.0))


def _alike(case: Case) -> tuple[str, str, str]:
    return case.row.hf_id, case.gpu.id, case.row.engine


def _parts(cases: list[Case], starved: Array) -> Iterator[Part]:
    kinds = np.array([case.row.kind for case in cases])
    for kind in sorted(set(kinds)):
        rows = np.flatnonzero(kinds == kind)
        kept = [cases[row] for row in rows]
        yield Part(
            kind=kind,
            rows=rows,
            work=stacked(kept),
            batch=np.array([case.batch for case in kept]),
            replicas=np.array([case.replicas for case in kept]),
            bandwidth_bytes_per_s=np.array([case.gpu.bandwidth_gb_per_s * 1e9 for case in kept]),
            starved=starved[rows],
            abundance=np.array([abundance_of(case.gpu) for case in kept]),
        )


def _blocks(cases: list[Case], priors: Mapping[str, Prior]) -> Iterator[Block]:
    offset = 0
    for name, prior in priors.items():
        yield Block(name, "", offset, np.zeros(len(cases), dtype=int), ("",))
        offset += 1
        for trait, _ in prior.effects:
            found = [case.traits[trait] for case in cases]
            members = tuple(sorted(set(found)))
            place = {member: index for index, member in enumerate(members)}
            yield Block(name, trait, offset, np.array([place[each] for each in found]), members)
            offset += len(members)


def _prior(blocks: tuple[Block, ...], priors: Mapping[str, Prior]) -> tuple[Array, Array]:
    start: list[float] = []
    spread: list[float] = []
    for block in blocks:
        prior = priors[block.coefficient]
        is_base = block.trait == ""
        start += [float(np.log(prior.base)) if is_base else 0.0] * len(block.members)
        spread += [1.0 if is_base else dict(prior.effects)[block.trait]] * len(block.members)
    return np.array(start), np.array(spread)


def stacked(cases: list[Case]) -> StepWork:
    """Return the work of many cases at once, each number an array."""
    columns = {
        each.name: np.array([float(getattr(case.work, each.name)) for case in cases])
        for each in fields(StepWork)
    }
    return StepWork(**columns)  # type: ignore[arg-type]


_Estimate = Callable[[Part, Pace], Any]

_ESTIMATES: dict[str, _Estimate] = {
    "itl": lambda part, pace: 1e3 * itl_s(part.work, pace, part.batch),
    "throughput": lambda part, pace: (
        output_tokens_per_s(part.work, pace, part.batch) * part.replicas
    ),
    "saturation": lambda part, pace: (
        output_tokens_per_s(part.work, pace, part.batch) * part.replicas
    ),
    "ttft_alone": lambda part, pace: 1e3 * first_s(part.work, pace),
    "ttft_random": lambda part, pace: 1e3 * first_at_random_s(part.work, pace, part.batch),
    "ttft_burst": lambda part, pace: 1e3 * first_in_burst_s(part.work, pace, part.batch),
    "single": lambda part, pace: 1 / step_times(part.work, pace, 1).total,
    "prefill": lambda part, pace: prefill_tokens_per_s(part.work, pace),
}
"""Estimate of each kind of figure, in the unit of its rows."""
