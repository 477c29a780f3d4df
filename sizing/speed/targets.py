"""Wishes about speed against the estimates: kept, not kept, or too near to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from sizing.notes import Note, note
from sizing.performance import Estimate
from sizing.request import Targets
from sizing.speed.pace import Pace
from sizing.speed.serving import first_at_random_s, itl_s
from sizing.speed.work import StepWork


@dataclass(frozen=True)
class Limits:
    """What the wishes allow, in seconds."""

    first_s: float
    between_s: float

    def are_kept(self, work: StepWork, pace: Pace, batch: float, *, times: float = 1.0) -> bool:
        """Return whether typical figures, or `times` them, keep to them with `batch` in flight."""
        if times * itl_s(work, pace, batch) > self.between_s:
            return False
        return self.first_s == inf or times * first_at_random_s(work, pace, batch) <= self.first_s

    def used(self, work: StepWork, pace: Pace, batch: float) -> float:
        """Return the worst of the typical figures with `batch` in flight, over its limit."""
        between = itl_s(work, pace, batch) / self.between_s
        if self.first_s == inf:
            return between
        return max(between, first_at_random_s(work, pace, batch) / self.first_s)


def limits_of(targets: Targets) -> Limits | None:
    """Return the limits; None where no wish was given."""
    if targets == Targets():
        return None
    rate = targets.tokens_per_s
    between_ms = [each for each in (targets.itl_ms, 1e3 / rate if rate else None) if each]
    return Limits(
        first_s=(targets.ttft_ms or inf) / 1e3,
        between_s=min(between_ms, default=inf) / 1e3,
    )


def target_notes(targets: Targets, figures: Mapping[str, Estimate | None]) -> Iterator[Note]:
    """Yield a note for each wish that the figures can be held against."""
    for target, limit_ms in (("ttft", targets.ttft_ms), ("itl", targets.itl_ms)):
        time = figures[f"{target}_ms"]
        if limit_ms is not None and time is not None:
            yield _of_time(target, limit_ms, time)
    between = figures["itl_ms"]
    if targets.tokens_per_s is not None and between is not None:
        yield _of_rate(targets.tokens_per_s, between)


def _of_time(target: str, limit_ms: float, time: Estimate) -> Note:
    """Say whether even the high bound is inside the limit, or only some of the range is."""
    is_kept, is_near = time.high <= limit_ms, time.low <= limit_ms
    return note(
        "time_kept" if is_kept else "time_near" if is_near else "time_broken",
        target=target,
        limit_ms=limit_ms,
        low_ms=time.low,
        typical_ms=time.typical,
        high_ms=time.high,
    )


def _of_rate(least_tokens_per_s: float, between: Estimate) -> Note:
    """Hold the tokens that one request gets each second against the least wished for."""
    low_tokens_per_s, high_tokens_per_s = 1e3 / between.high, 1e3 / between.low
    is_kept, is_near = (
        rate >= least_tokens_per_s for rate in (low_tokens_per_s, high_tokens_per_s)
    )
    return note(
        "rate_kept" if is_kept else "rate_near" if is_near else "rate_broken",
        limit_tokens_per_s=least_tokens_per_s,
        low_tokens_per_s=low_tokens_per_s,
        typical_tokens_per_s=1e3 / between.typical,
        high_tokens_per_s=high_tokens_per_s,
    )
