"""What estimates of speed have to reach, and what they reach on what the fit has not seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tools.scoring.score import Score
from tools.scoring.speed import FOLDS, UNSEEN, Accuracy, Speeds, accuracy_of
from tools.scoring.speed_ranges import families, is_calibrated
from tools.speed.folds import HeldOut

PUBLISHED = ("mlcommons", "TensorRT-LLM")
"""Words of the sources whose tables are published by vendors: MLPerf and TensorRT-LLM."""

MOST_BROKEN = 0.05
"""Share of the points at which more than 1.5 times the measured users may be promised."""


@dataclass(frozen=True)
class Aim:
    """Errors to reach for one kind of figure."""

    what: str
    kinds: tuple[str, ...]
    median: float
    p90: float | None = None

    def holds(self, row: HeldOut) -> bool:
        """Return whether a row is of that kind."""
        return row.case.row.kind in self.kinds

    def accuracy(self, speeds: Speeds, fold: str) -> Accuracy:
        """Return what is reached; raise ValueError without rows."""
        found = accuracy_of(speeds, fold, self.holds)
        if found is None:
            raise ValueError(f"no rows of {self.what}")
        return found


AIMS = (
    Aim("time between tokens at a concurrency", ("itl",), 0.10, 0.32),
    Aim("throughput at a concurrency", ("throughput",), 0.10, 0.30),
    Aim("throughput at saturation", ("saturation",), 0.12, 0.38),
    Aim("first token, one request", ("ttft_alone",), 0.15),
    Aim("first token, requests at random", ("ttft_random",), 0.16),
    Aim("first token, bursts", ("ttft_burst",), 0.25),
    Aim("llama.cpp, one request", ("single",), 0.06, 0.18),
    Aim("llama.cpp, prompts", ("prefill",), 0.20),
)


def speed_scores(speeds: Speeds) -> list[Score]:
    """Return the scores that have an aim, for each part that a fit had not seen."""
    return [score for fold in UNSEEN for score in _scores(speeds, fold)]


def _scores(speeds: Speeds, fold: str) -> Iterator[Score]:
    start = f"speed, {FOLDS[fold]}: "
    for aim in AIMS:
        found = aim.accuracy(speeds, fold)
        name = f"{start}{aim.what}, "
        yield _error(f"{name}median error", found.median, aim.median, found.rows)
        if aim.p90 is not None:
            yield _error(f"{name}90 % of rows within", found.p90, aim.p90, found.rows)
    kept = speeds.promises[fold]
    name = f"{start}1.5 times the measured users promised"
    yield _error(name, kept.broken_by_far, MOST_BROKEN, kept.points)
    found = [is_calibrated(family.covered) for family in families(speeds, fold)]
    name = f"{start}families of GPUs whose ranges hold 75 to 90 % of rows"
    yield _share(name, sum(found) / len(found), 1.0, len(found))
    published = accuracy_of(speeds, fold, is_published)
    if published is not None:
        name = f"{start}tables of MLPerf and TensorRT-LLM within 25 %"
        yield _share(name, published.within_25, 0.8, published.rows)


def is_published(row: HeldOut) -> bool:
    """Return whether a row is of a table that a vendor or MLPerf publishes."""
    return any(word in row.case.row.source for word in PUBLISHED)


def _error(name: str, value: float, target: float, rows: int) -> Score:
    return Score(name, name, value, target, rows, is_share=False)


def _share(name: str, value: float, target: float, rows: int) -> Score:
    return Score(name, name, value, target, rows, is_share=True)
