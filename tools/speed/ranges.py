"""How far measurements lie from held-out estimates: by figure, family of GPUs, kind of layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from sizing.records import Spread
from tools.quantiles import reach
from tools.speed.folds import LEFT_OUT, HeldOut

LEAST_ROWS = 30
"""Rows of a figure from which its spreads are read."""

UNLIKELY = Spread(low=0.5, high=2.0)
"""Spread of a figure with fewer."""

OF_ALL = 0.5
"""Weight of all rows together among those of a part, where each model, or GPU, of it weighs 1."""


@dataclass(frozen=True)
class Ranges:
    """Bounds of every figure, as multiples of its estimate."""

    spreads: Mapping[str, Mapping[str, Spread]]
    """Spread by figure and family of GPUs; `all` where a family has no rows."""
    layers: Mapping[str, float]
    """How many times as wide it is, in logarithms, by kind of layers."""

    def is_inside(self, row: HeldOut, fold: str) -> bool:
        """Return whether the measurement lies between the bounds of the estimate."""
        by_family = self.spreads.get(row.case.row.kind, {})
        spread = by_family.get(row.family) or by_family.get("all") or UNLIKELY
        spread = spread.widened(self.layers.get(row.layers, 1.0))
        return spread.low <= row.case.row.value / row.estimates[fold] <= spread.high


def ranges(rows: Sequence[HeldOut], fold: str) -> Ranges:
    """Return the bounds that rows of one form give, by what the fit had not seen.

    Each model, or GPU, that was left out counts the same however many rows it has. First come
    kinds of layers, over all figures, each beside what is usual of it; then families of GPUs.
    """
    misses = [_Miss.of(row, fold) for row in rows]
    layers = _by_layers(misses)
    alike = [each.over(layers[each.layers]) for each in misses]
    kinds = sorted({each.kind for each in misses})
    spreads = {kind: _by_family([each for each in alike if each.kind == kind]) for kind in kinds}
    return Ranges(spreads, layers)


@dataclass(frozen=True)
class _Miss:
    """How far one measurement lies from its estimate."""

    kind: str
    family: str
    layers: str
    left_out: str
    """What the fit had not seen: its model, or its GPU."""
    size: float
    """Logarithm of the multiple, without its sign: it is not known beforehand."""

    @staticmethod
    def of(row: HeldOut, fold: str) -> _Miss:
        return _Miss(
            kind=row.case.row.kind,
            family=row.family,
            layers=row.layers,
            left_out=LEFT_OUT[fold](row.case),
            size=abs(log(row.estimates[fold] / row.case.row.value)),
        )

    def over(self, usual: float) -> _Miss:
        return _Miss(self.kind, self.family, self.layers, self.left_out, self.size / usual)


def _by_layers(misses: Sequence[_Miss]) -> dict[str, float]:
    """Return how far those of each kind of layers lie, beside what is usual of their figures."""
    usual = {}
    for kind in {each.kind for each in misses}:
        of_kind = [each for each in misses if each.kind == kind]
        usual[kind] = _reach(of_kind) if len(of_kind) >= LEAST_ROWS else log(UNLIKELY.high)
    beside = [each.over(usual[each.kind] or 1.0) for each in misses]
    kinds = sorted({each.layers for each in misses})
    found = {kind: [each for each in beside if each.layers == kind] for kind in kinds}
    return {kind: round(_reach(own, beside), 3) or 1.0 for kind, own in found.items()}


def _by_family(misses: Sequence[_Miss]) -> dict[str, Spread]:
    if len(misses) < LEAST_ROWS:
        return {"all": UNLIKELY}
    families = sorted({each.family for each in misses})
    found = {name: [each for each in misses if each.family == name] for name in families}
    return {
        "all": _spread(_reach(misses)),
        **{name: _spread(_reach(own, misses)) for name, own in found.items()},
    }


def _reach(own: Sequence[_Miss], of_all: Sequence[_Miss] = ()) -> float:
    return reach(
        [(each.left_out, each.size) for each in own],
        [(each.left_out, each.size) for each in of_all],
        weight_of_all=OF_ALL,
    )


def _spread(reach: float) -> Spread:
    """Return bounds that are as far below an estimate as above."""
    return Spread(low=round(exp(-reach), 3), high=round(exp(reach), 3))
