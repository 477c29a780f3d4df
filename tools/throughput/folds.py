"""Estimates by fits that had not seen a row's GPU or model, and the spreads they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from sizing.records import Spread
from tools.quantiles import Miss, reach
from tools.throughput.cases import Case
from tools.throughput.fit import Fit
from tools.throughput.rows import FOLDS

LEFT_OUT: Mapping[str, Callable[[Case], str]] = {
    "gpu": lambda case: case.row.gpu,
    "model": lambda case: case.row.hf_id,
}
"""What a fold leaves out, of a case."""

OF_ALL = 2.0
"""Weight of the rows of all kinds among those of one, where each model, or GPU, of it weighs 1."""


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
    """Return the spread of measured speeds by kind and by what the fit had not seen.

    As far below an estimate as above: the sign of a miss is not known beforehand. A kind with few
    models, or GPUs, is drawn to all kinds together.
    """
    found: dict[str, Spread] = {}
    kept = list(rows)
    for fold in FOLDS:
        of_fold = [row for row in kept if fold in row.estimates]
        for kind in sorted({row.case.row.kind for row in of_fold}):
            own = [row for row in of_fold if row.case.row.kind == kind]
            size = reach(_misses(own, fold), _misses(of_fold, fold), weight_of_all=OF_ALL)
            found[f"{kind}/{fold}"] = Spread(low=round(exp(-size), 3), high=round(exp(size), 3))
    return dict(sorted(found.items()))


def _misses(rows: Iterable[HeldOut], fold: str) -> list[Miss]:
    return [
        (f"{row.case.row.kind}/{LEFT_OUT[fold](row.case)}", abs(log(row.speed_ratio(fold))))
        for row in rows
    ]
