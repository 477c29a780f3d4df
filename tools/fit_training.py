"""Fit what no code states of a training run's memory, and print it for data/training.toml.

Driver context, buffers of communication and the share that the allocator cannot use, with the same
figures for every model and every framework. Typical figures are those with the least mean error;
the low bound is what one run of ten leaves to them, the high one what nineteen of twenty need
beside the high bound of what is counted. The page of scores tells what that is worth for a
publisher whose runs were left out of the fit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from statistics import fmean, quantiles

from sizing.catalogue import Catalogue, load_catalogue
from sizing.records import GibRange, PercentRange, TrainingOverheads
from sizing.units import GIB
from tools.scoring_training import MeasuredRun, measured_runs, need_of

CONTEXTS_GIB = tuple(step / 10 for step in range(3, 32))
COMMUNICATION_GIB = tuple(step / 10 for step in range(0, 42, 2))
UNUSABLE_PERCENTS = tuple(range(11))
MOST_UNUSABLE = 3
"""Times the typical share that the high bound takes for what the allocator cannot use."""


@dataclass(frozen=True)
class Run:
    """One measured run on its card, GiB of one GPU."""

    source: str
    allocated_gib: float
    """What is counted."""
    high_gib: float
    """Its high bound."""
    measured_gib: float
    is_parallel: bool


def runs(catalogue: Catalogue) -> tuple[Run, ...]:
    """Return the runs that were read from the card; an allocator shows no overheads."""
    measured = measured_runs(catalogue)
    return tuple(_counted(one, catalogue) for one in measured if one.row["reads"] == "card")


def _counted(one: MeasuredRun, catalogue: Catalogue) -> Run:
    need, layout = need_of(one, catalogue)
    times = layout.gpus if one.row["per"] == "total" else 1
    return Run(
        source=one.source,
        allocated_gib=(need.allocated.typical_bytes + one.beside_bytes) / GIB,
        high_gib=(need.allocated.high_bytes + one.beside_bytes) / GIB,
        measured_gib=one.measured_bytes / times / GIB,
        is_parallel=layout.gpus > 1,
    )


@dataclass(frozen=True)
class Typical:
    """The three typical figures."""

    context_gib: float
    communication_gib: float
    unusable_percent: float

    def of(self, run: Run) -> float:
        """Return the estimate of a run, GiB."""
        beside = self.context_gib + self.communication_gib * run.is_parallel
        return run.allocated_gib * (1 + self.unusable_percent / 100) + beside

    def error(self, run: Run) -> float:
        """Return the size of the relative error."""
        return abs(self.of(run) / run.measured_gib - 1)


@lru_cache(maxsize=16)
def fitted(measured: tuple[Run, ...]) -> TrainingOverheads:
    """Return the overheads that fit the runs."""
    typical = min(
        (
            Typical(*figures)
            for figures in product(CONTEXTS_GIB, COMMUNICATION_GIB, UNUSABLE_PERCENTS)
        ),
        key=lambda figures: fmean(figures.error(run) for run in measured),
    )
    most_percent = MOST_UNUSABLE * typical.unusable_percent
    alone = [run for run in measured if not run.is_parallel]
    context = _range(typical.context_gib, _left(alone, typical), _beyond(alone, most_percent))
    parallel = [run for run in measured if run.is_parallel]
    beyond = [size_gib - context.high_gib for size_gib in _beyond(parallel, most_percent)]
    return TrainingOverheads(
        context=context,
        communication=_range(typical.communication_gib, _left(parallel, typical), beyond),
        unusable=PercentRange(
            low_percent=0.0,
            typical_percent=float(typical.unusable_percent),
            high_percent=float(most_percent),
        ),
    )


def _left(measured: Iterable[Run], typical: Typical) -> list[float]:
    """Return what the typical figures leave of each run, GiB."""
    return [run.measured_gib - typical.of(run) for run in measured]


def _beyond(measured: Iterable[Run], most_percent: float) -> list[float]:
    """Return what each run takes beyond the high figure of what is counted, GiB."""
    return [run.measured_gib - run.high_gib * (1 + most_percent / 100) for run in measured]


def _range(typical_gib: float, left: Sequence[float], beyond: Sequence[float]) -> GibRange:
    """Return a figure with its bounds, nothing below zero."""
    low = quantiles(left, n=10, method="inclusive")[0]
    high = quantiles(beyond, n=20, method="inclusive")[-1]
    return GibRange(
        low_gib=max(0.0, round(typical_gib + min(0.0, low), 1)),
        typical_gib=typical_gib,
        high_gib=max(typical_gib, round(high, 1)),
    )


def main() -> int:
    """Print the table as it stands in data/training.toml."""
    found = fitted(runs(load_catalogue()))
    for name in ("context", "communication"):
        size: GibRange = getattr(found, name)
        print(
            f"{name} = {{ low_gib = {size.low_gib}, typical_gib = {size.typical_gib},"
            f" high_gib = {size.high_gib} }}"
        )
    share = found.unusable
    print(
        f"unusable = {{ low_percent = {share.low_percent},"
        f" typical_percent = {share.typical_percent}, high_percent = {share.high_percent} }}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
