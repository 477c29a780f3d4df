"""Estimates by fits that had not seen a row's GPU or model, and the spreads they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sizing.records import Spread
from tools.throughput.cases import Case
from tools.throughput.fit import Fit
from tools.throughput.rows import FOLDS

LEFT_OUT: Mapping[str, Callable[[Case], str]] = {
    "gpu": lambda case: case.row.gpu,
    "model": lambda case: case.row.hf_id,
}
"""What a fold leaves out, of a case."""

LOW, HIGH = 5, 95
"""Percentiles of the rows, between which about eight of ten rows of other GPUs lie."""


@dataclass(frozen=True)
class HeldOut:
    """One case with its estimates by what the fit had not seen, in the unit of its row."""

    case: Case
    estimates: Mapping[str, float]

    def speed_ratio(self, fold: str) -> float:
        """Return the measured speed over the estimated one."""
        row = self.case.row
        return row.seconds(self.estimates[fold]) / self.case.measured_s


def held_out(cases: Sequence[Case]) -> list[HeldOut]:
    """Return every case with the estimates of fits that had not seen its part.

    None where nothing else was measured with its engine: that would be another question.
    """
    found: dict[str, dict[str, float]] = {case.row.id: {} for case in cases}
    for fold in FOLDS:
        key = LEFT_OUT[fold]
        for name in sorted({key(case) for case in cases}):
            seen = [case for case in cases if key(case) != name]
            fit, engines = Fit(seen), {case.traits["engine"] for case in seen}
            for case in cases:
                if key(case) == name and case.traits["engine"] in engines:
                    found[case.row.id][fold] = case.row.value_of(fit.seconds(case))
    return [HeldOut(case, found[case.row.id]) for case in cases]


def spreads(rows: Iterable[HeldOut]) -> dict[str, Spread]:
    """Return the spread of measured speeds by kind and by what the fit had not seen."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        for fold in row.estimates:
            ratios.setdefault(f"{row.case.row.kind}/{fold}", []).append(row.speed_ratio(fold))
    return {
        kind: Spread(
            low=round(min(1.0, float(np.percentile(found, LOW))), 3),
            high=round(max(1.0, float(np.percentile(found, HIGH))), 3),
        )
        for kind, found in sorted(ratios.items())
    }
