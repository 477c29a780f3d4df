"""Score the memory of training runs against published measurements."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sizing.catalogue import Catalogue, load_catalogue
from sizing.overhead import BytesRange
from sizing.request import Mode, Optimizer, SizingRequest
from sizing.subject import Subject, subject_of
from sizing.training.need import training_need
from sizing.training.plan import DEFAULT_RANK, Targets, TrainingPlan
from sizing.training.run import base_groups
from sizing.units import GB, GIB

CASES = Path(__file__).parent.parent / "tests" / "accuracy" / "cases" / "finetune.csv"
"""Facts of the measured runs, each with its source; `left_out` says why a row is not scored."""

UNITS = {"GB": GB, "GiB": GIB}


@dataclass(frozen=True)
class TrainingScore:
    """One measured run beside the estimate, bytes."""

    case: str
    source: str
    framework: str
    mode: str
    model: str
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


def rows() -> tuple[dict[str, str], ...]:
    """Return all facts, those left out included."""
    with CASES.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def left_out() -> tuple[tuple[str, str], ...]:
    """Return the rows that are not scored: case and reason."""
    return tuple((row["id"], row["left_out"]) for row in rows() if row["left_out"])


def score_training(catalogue: Catalogue | None = None) -> list[TrainingScore]:
    """Return the estimate beside the measurement for every row that is scored."""
    catalogue = catalogue or load_catalogue()
    return [_score(row, catalogue) for row in rows() if not row["left_out"]]


def summary(scores: Iterable[TrainingScore]) -> TrainingSummary:
    """Return median and 90th percentile of the absolute errors, and the share inside the range."""
    found = list(scores)
    errors = sorted(abs(score.error) for score in found)
    return TrainingSummary(
        count=len(found),
        median_error=median(errors),
        p90_error=errors[min(len(errors) - 1, round(0.9 * (len(errors) - 1)))],
        coverage=sum(score.is_covered for score in found) / len(found),
    )


def _score(row: dict[str, str], catalogue: Catalogue) -> TrainingScore:
    plan, gpus = plan_of(row, catalogue), int(row["gpus"])
    need = training_need(plan, gpus=gpus, zero_stage=int(row["zero_stage"] or 0))
    size = need.allocated if row["reads"] == "allocator" else need.total
    times = gpus if row["per"] == "total" else 1
    return TrainingScore(
        case=row["id"],
        source=row["source"],
        framework=row["framework"],
        mode=row["mode"],
        model=row["model"],
        measured_bytes=round(float(row["measured"]) * UNITS[row["unit"]]),
        low_bytes=size.low_bytes * times,
        typical_bytes=size.typical_bytes * times,
        high_bytes=size.high_bytes * times,
    )


def plan_of(row: dict[str, str], catalogue: Catalogue) -> TrainingPlan:
    """Return the run that a row describes."""
    subject = _subject(row["model"], catalogue)
    precision = catalogue.precisions[row["precision"] or "bf16"]
    return TrainingPlan(
        subject=subject,
        groups=base_groups(subject, precision, catalogue),
        mode=Mode(row["mode"]),
        sequence_tokens=int(row["sequence_tokens"]),
        micro_batch=int(row["micro_batch"]),
        checkpointing=row["checkpointing"] == "on",
        optimizer=Optimizer(row["optimizer"]),
        rank=int(row["rank"] or DEFAULT_RANK),
        targets=Targets(row["targets"] or Targets.ALL_LINEAR),
        preference=row["preference"] == "yes",
        chunked_loss=row["chunked_loss"] == "yes",
    )


def _subject(model: str, catalogue: Catalogue) -> Subject:
    kind, _, size = model.partition(":")
    if kind == "size":
        return subject_of(SizingRequest(parameters=int(size)), catalogue)
    return subject_of(SizingRequest(model_id=model), catalogue)


def lines(scores: Iterable[TrainingScore]) -> Iterator[str]:
    """Yield the scores as a table, one row a line."""
    for score in scores:
        size = BytesRange(score.low_bytes, score.typical_bytes, score.high_bytes)
        yield (
            f"{score.case} {score.framework:18} {score.mode:6} {score.model:24}"
            f" {score.measured_bytes / GB:7.1f} {size.low_bytes / GB:7.1f}"
            f" {size.typical_bytes / GB:7.1f} {size.high_bytes / GB:7.1f}"
            f" {score.error:+7.1%} {'' if score.is_covered else 'outside'}"
        )


if __name__ == "__main__":
    scored = score_training()
    for line in lines(scored):
        print(line)
    print(summary(scored))
