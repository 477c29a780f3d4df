"""Score the memory of training runs against published measurements."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median

from bot.command import Ask, Grammar
from sizing.catalogue import Catalogue, load_catalogue
from sizing.overhead import BytesRange
from sizing.request import SizingRequest
from sizing.subject import subject_of
from sizing.training.base import base_precision
from sizing.training.layout import TrainingLayout, layout_of
from sizing.training.need import TrainingNeed, training_need
from sizing.training.plan import TrainingPlan
from sizing.training.run import plan_of
from sizing.units import GB, GIB, gib_to_bytes

CASES = Path(__file__).parent.parent / "tests" / "accuracy" / "cases" / "finetune.csv"
"""Measured runs, each with its source, as questions; `left_out` says why a row is not scored."""

UNITS = {"GB": GB, "GiB": GIB}

CARD_BYTES = gib_to_bytes(80)
"""Memory of the cards of runs that give a share of it to another engine."""


@dataclass(frozen=True)
class MeasuredRun:
    """One published run, its question understood."""

    row: dict[str, str]
    request: SizingRequest

    @property
    def gpus(self) -> int:
        """Return the GPUs it ran on."""
        return int(self.row["gpus"])

    @property
    def source(self) -> str:
        """Return the repository that published it."""
        return self.row["source"].removeprefix("github:").partition("@")[0]

    @property
    def measured_bytes(self) -> int:
        """Return the published figure."""
        return round(float(self.row["measured"]) * UNITS[self.row["unit"]])

    @property
    def beside_bytes(self) -> int:
        """Return what an engine beside the run takes of each card, bytes."""
        return round(CARD_BYTES * (self.request.tuning.rollout_fraction or 0))


@dataclass(frozen=True)
class TrainingScore:
    """One measured run beside the estimate, bytes."""

    case: str
    question: str
    source: str
    """Repository that published it."""
    mode: str
    length_from: str
    """Where the length of its sequences is from: stated, the dataset, or a default."""
    measured_bytes: int
    low_bytes: int
    typical_bytes: int
    high_bytes: int

    @property
    def error(self) -> float:
        """Return the signed relative error of the typical estimate."""
        return self.typical_bytes / self.measured_bytes - 1

    @property
    def is_covered(self) -> bool:
        """Return whether the measurement lies between the low and the high estimate."""
        return self.low_bytes <= self.measured_bytes <= self.high_bytes


@dataclass(frozen=True)
class TrainingSummary:
    """Figures over many runs."""

    count: int
    median_error: float
    p90_error: float
    coverage: float


@lru_cache(maxsize=1)
def rows() -> tuple[dict[str, str], ...]:
    """Return all facts, those left out included."""
    with CASES.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def left_out() -> tuple[tuple[str, str], ...]:
    """Return the rows that are not scored: case and reason."""
    return tuple((row["id"], row["left_out"]) for row in rows() if row["left_out"])


def scored_rows() -> tuple[dict[str, str], ...]:
    """Return the rows that are scored."""
    return tuple(row for row in rows() if not row["left_out"])


def measured_runs(catalogue: Catalogue) -> tuple[MeasuredRun, ...]:
    """Return the rows that are scored, their questions read by the bot's own grammar."""
    grammar = Grammar(catalogue)
    return tuple(_run(row, grammar) for row in scored_rows())


def _run(row: dict[str, str], grammar: Grammar) -> MeasuredRun:
    command = grammar.parse(row["question"])
    if not isinstance(command, Ask):
        raise TypeError(f"{row['id']}: no question")
    return MeasuredRun(row, command.request)


def score_training(catalogue: Catalogue | None = None) -> list[TrainingScore]:
    """Return the estimate beside the measurement for every row that is scored."""
    catalogue = catalogue or load_catalogue()
    return [score(run, catalogue) for run in measured_runs(catalogue)]


def summary(scores: Iterable[TrainingScore]) -> TrainingSummary:
    """Return median and 90th percentile of the absolute errors, and the share inside the range."""
    found = list(scores)
    errors = sorted(abs(one.error) for one in found)
    return TrainingSummary(
        count=len(found),
        median_error=median(errors),
        p90_error=errors[min(len(errors) - 1, round(0.9 * (len(errors) - 1)))],
        coverage=sum(one.is_covered for one in found) / len(found),
    )


def score(run: MeasuredRun, catalogue: Catalogue) -> TrainingScore:
    """Return the estimate of one run."""
    need, layout = need_of(run, catalogue)
    size = need.allocated if run.row["reads"] == "allocator" else need.total
    size += BytesRange(run.beside_bytes, run.beside_bytes, run.beside_bytes)
    times = layout.gpus if run.row["per"] == "total" else 1
    return TrainingScore(
        case=run.row["id"],
        question=run.row["question"],
        source=run.source,
        mode=run.request.mode.value,
        length_from=run.row["length_from"],
        measured_bytes=run.measured_bytes,
        low_bytes=size.low_bytes * times,
        typical_bytes=size.typical_bytes * times,
        high_bytes=size.high_bytes * times,
    )


def need_of(run: MeasuredRun, catalogue: Catalogue) -> tuple[TrainingNeed, TrainingLayout]:
    """Return what each GPU of the run needs, and how it is spread."""
    plan = plan_for(run.request, catalogue)
    layout = layout_of(run.request, plan, run.gpus)
    return training_need(plan, layout), layout


def plan_for(request: SizingRequest, catalogue: Catalogue) -> TrainingPlan:
    """Return the run that a question asks about."""
    subject = subject_of(request, catalogue)
    return plan_of(request, subject, base_precision(request, subject, catalogue), catalogue)


def lines(scores: Iterable[TrainingScore]) -> Iterator[str]:
    """Yield the scores as a table, one row a line."""
    for one in scores:
        yield (
            f"{one.case} {one.measured_bytes / GB:7.1f} {one.low_bytes / GB:7.1f}"
            f" {one.typical_bytes / GB:7.1f} {one.high_bytes / GB:7.1f}"
            f" {one.error:+7.1%} {'' if one.is_covered else 'outside':8}"
            f"{one.length_from:8} {one.question}"
        )


if __name__ == "__main__":
    scored = score_training()
    for line in lines(scored):
        print(line)
    print(summary(scored))
