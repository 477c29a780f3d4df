"""The articles' rules of thumb beside the memory that start-ups of vLLM really took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from sizing.rules import rule_bytes
from sizing.units import GIB
from tools.scoring.comparison import percentile, relative
from tools.scoring.starts import Start, part_of

LOADS = {"1 request": 1, "8 requests": 8, "32 requests": 32}
"""Loads at which the rules are tried."""

CONTEXT_TOKENS = 8192
"""Length of each of those requests."""

RULES = {"+20 %": 20, "+25 %": 25}

OURS = "gpusize"

OURS_AT_MOST = "gpusize, high bound"


@dataclass(frozen=True)
class RuleScore:
    """How one estimate does on the measured needs of one load."""

    load: str
    estimate: str
    rows: int
    median: float
    p10: float
    p90: float
    too_small: int
    """Rows for which it names less than was taken."""


def rule_scores(starts: Iterable[Start]) -> Iterator[RuleScore]:
    """Score the rules and ours on every start whose parts are all printed."""
    kept = [start for start in starts if _is_complete(start)]
    for load, requests in LOADS.items():
        found = [_estimates(start, requests) for start in kept]
        for estimate in (OURS, OURS_AT_MOST, *RULES):
            yield _score(load, estimate, sorted(each[estimate] for each in found))


def _is_complete(start: Start) -> bool:
    printed = {"weights_gib", "activation_gib", "non_torch_gib"} <= start.row.keys()
    return printed and not start.not_covered and not start.row.get("doubt")


def _estimates(start: Start, requests: int) -> dict[str, float]:
    """Return the relative error of every estimate of one GPU's need."""
    row = start.row
    option = start.asked(CONTEXT_TOKENS, requests)
    part = part_of(option)
    parts_gib = row["weights_gib"] + row["activation_gib"] + row["non_torch_gib"]
    taken = parts_gib * GIB + part.kv_cache_bytes
    subject, precision = start.subject_and_precision
    rules = {
        name: rule_bytes(subject, precision, percent) / option.gpus
        for name, percent in RULES.items()
    }
    sizes = {OURS: part.need_bytes, OURS_AT_MOST: part.need_high_bytes, **rules}
    return {name: relative(size, taken) for name, size in sizes.items()}


def _score(load: str, estimate: str, errors: list[float]) -> RuleScore:
    return RuleScore(
        load=load,
        estimate=estimate,
        rows=len(errors),
        median=median(errors),
        p10=percentile(errors, 10),
        p90=percentile(errors, 90),
        too_small=sum(error < 0 for error in errors),
    )
