"""From a placement to its speed; nothing where nothing like it was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import floor

from sizing.catalogue import Catalogue
from sizing.memory import Load
from sizing.notes import Note, note
from sizing.parallelism import Layout
from sizing.performance import BoundBy, Estimate, Performance
from sizing.placement import Placement, Placer
from sizing.records import FigureName, FormRecord, PrecisionRecord, Spread
from sizing.request import Targets
from sizing.running import all_times
from sizing.speed.basis import BATCHING, confidence_in, refusal_of
from sizing.speed.pace import Pace, pace_of
from sizing.speed.serving import (
    first_at_random_s,
    first_s,
    itl_s,
    output_tokens_per_s,
    prefill_tokens_per_s,
)
from sizing.speed.step import prompt_s, step_times
from sizing.speed.targets import limits_of, target_notes
from sizing.speed.traits import arithmetic_of, family_of, traits_of
from sizing.speed.work import StepWork, work_of
from sizing.units import ceil_div

HEAD_ROOM = 0.7
"""Share of the requests within a limit that is promised: more overpromised one case in six."""

MOST_REQUESTS = 4096
"""Requests that no engine takes at once by default."""

UNLIKELY = Spread(low=0.5, high=2.0)
"""Range where no spread was measured."""


@dataclass(frozen=True)
class _Case:
    form: FormRecord
    work: StepWork
    pace: Pace
    family: str
    batch: int
    """Requests in flight of one replica."""
    held: int
    """Most requests of one replica by its memory."""
    limit: int
    """Most by the engine's own limit."""
    replicas: int
    batches: bool

    @property
    def full(self) -> int:
        """Return the most requests that one replica has in flight."""
        return min(self.held, self.limit)

    def estimate(self, kind: FigureName, value: float, *, inverse: bool = False) -> Estimate:
        """Return a figure with the spread of its kind; rates of a time spread the other way."""
        by_family = self.form.spreads.get(kind, {})
        spread = by_family.get(self.family) or by_family.get("all") or UNLIKELY
        low, high = (1 / spread.high, 1 / spread.low) if inverse else (spread.low, spread.high)
        return Estimate(low=value * low, typical=value, high=value * high)


def performance_of(
    placement: Placement, load: Load, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[Performance | None, tuple[Note, ...]]:
    """Return the speed of a placement, or why no number is given."""
    case = _case(placement, load, precision, catalogue)
    if isinstance(case, Note):
        return None, (case,)
    if case is None:
        return None, ()
    figures = _figures(case, load)
    return (
        Performance(
            confidence=confidence_in(case.form, placement, load),
            concurrent_requests=case.batch * case.replicas,
            at_saturation=not load.is_asked,
            input_tokens=load.input_tokens,
            output_tokens=load.output_tokens,
            bound_by=_bound_by(case, load, placement.layout),
            users_per_replica=_users(case, load.targets),
            **figures,
        ),
        tuple(target_notes(load.targets, figures)),
    )


def requests_in_time(placement: Placement, placer: Placer) -> int | None:
    """Return the most requests of one copy that keep to the wishes about speed.

    None where there is no wish, or nothing comparable was measured. Typical figures decide.
    """
    found = _in_time(placement, placer)
    return None if found is None else found[1]


def rate_in_time(placement: Placement, placer: Placer) -> float | None:
    """Return the requests that one copy answers each second inside the wishes about speed.

    None where there is no wish, or nothing comparable was measured.
    """
    found = _in_time(placement, placer)
    if found is None:
        return None
    case, batch = found
    tokens = output_tokens_per_s(case.work, case.pace, batch) if batch else 0.0
    return tokens / case.work.output_tokens


def _in_time(placement: Placement, placer: Placer) -> tuple[_Case, int] | None:
    limits = limits_of(placer.load.targets)
    if limits is None:
        return None
    case = _case(placement, placer.load, placer.precision, placer.catalogue)
    if not isinstance(case, _Case) or not case.batches:
        return None
    return case, _largest(case.full, lambda batch: limits.are_kept(case.work, case.pace, batch))


def _case(
    placement: Placement, load: Load, precision: PrecisionRecord, catalogue: Catalogue
) -> _Case | Note | None:
    if placement.unsupported or load.subject.cache is None:
        return None
    refusal = refusal_of(placement, load, precision)
    if refusal is not None:
        return refusal
    gpu, layout = placement.gpu, placement.layout
    batches = load.engine.id in BATCHING
    arithmetic = arithmetic_of(gpu, precision, by_integers=not batches)
    held, limit = _most(placement, load)
    if held < 1 or arithmetic is None:
        return None if arithmetic else note("speed_rates_unknown", gpu=gpu.id)
    form = catalogue.efficiency.batched if batches else catalogue.efficiency.single
    traits = traits_of(gpu, load, layout, arithmetic)
    asked = ceil_div(load.concurrent_requests, layout.replicas) if batches else 1
    return _Case(
        form=form,
        work=work_of(
            load,
            layout,
            arithmetic,
            input_tokens=load.input_tokens,
            output_tokens=load.output_tokens,
        ),
        pace=pace_of(form, gpu, traits),
        family=family_of(gpu),
        batch=min(asked, held, limit),
        held=held,
        limit=limit,
        replicas=layout.replicas,
        batches=batches,
    )


def _most(placement: Placement, load: Load) -> tuple[int, int]:
    """Return the most requests of one replica by its memory, and by the engine's limit."""
    copies = placement.layout.data_parallel
    step = load.engine.step_on(placement.gpu)
    limit = step.requests if step and step.requests else MOST_REQUESTS
    return placement.requests_held(load.request_tokens) * copies, limit * copies


def _figures(case: _Case, load: Load) -> dict[str, Estimate | None]:
    work, pace = case.work, case.pace
    alone_s = step_times(work, pace, 1).total
    kind: FigureName = "throughput" if load.is_asked else "saturation"
    batch = case.batch if load.is_asked else case.full
    tokens = output_tokens_per_s(work, pace, batch) * case.replicas
    prompts = prefill_tokens_per_s(work, pace) * case.replicas
    if not case.batches:
        single = case.estimate("single", 1 / alone_s)
        return {
            **_rates(case, None),
            "full_output_tokens_per_s": None,
            "single_stream_tokens_per_s": single,
            "prefill_tokens_per_s": case.estimate("prefill", prompts),
            "itl_ms": case.estimate("single", 1e3 * alone_s, inverse=True),
            "ttft_ms": case.estimate("prefill", 1e3 * first_s(work, pace), inverse=True),
        }
    return {
        **_rates(case, case.estimate(kind, tokens)),
        "full_output_tokens_per_s": _full(case, load.targets),
        "single_stream_tokens_per_s": case.estimate("itl", 1 / alone_s, inverse=True),
        "prefill_tokens_per_s": case.estimate("ttft_alone", prompts, inverse=True),
        "itl_ms": case.estimate("itl", 1e3 * itl_s(work, pace, case.batch)),
        "ttft_ms": _first(case),
    }


def _full(case: _Case, targets: Targets) -> Estimate:
    """Return the tokens written with as many requests as fit; as keep to the limits, if any do."""
    batch = _inside(case, targets) or case.full
    tokens = output_tokens_per_s(case.work, case.pace, batch) * case.replicas
    return case.estimate("saturation", tokens)


def _rates(case: _Case, tokens: Estimate | None) -> dict[str, Estimate | None]:
    """Return what follows from the tokens written each second."""
    written = case.work.output_tokens
    all_of_them = (case.work.input_tokens + written) / written
    return {
        "output_tokens_per_s": tokens,
        "total_tokens_per_s": tokens and all_times(tokens, all_of_them),
        "requests_per_s": tokens and all_times(tokens, 1 / written),
    }


def _first(case: _Case) -> Estimate:
    if case.batch == 1:
        return case.estimate("ttft_alone", 1e3 * first_s(case.work, case.pace))
    waited_s = first_at_random_s(case.work, case.pace, case.batch)
    return case.estimate("ttft_random", 1e3 * waited_s)


def _bound_by(case: _Case, load: Load, layout: Layout) -> BoundBy:
    """Return what takes most of the time; where asked requests have to wait, for what."""
    if load.concurrent_requests > case.full * layout.replicas:
        return BoundBy.MEMORY if case.held <= case.limit else BoundBy.ENGINE
    batch = case.batch if load.is_asked or not case.batches else case.full
    times = step_times(case.work, case.pace, batch)
    stalled = (batch - 1) / case.work.output_tokens * prompt_s(case.work, case.pace)
    parts: Mapping[BoundBy, float] = {
        BoundBy.WEIGHTS: times.weights,
        BoundBy.CACHE: times.cache,
        BoundBy.COMPUTE: times.compute,
        BoundBy.OVERHEAD: times.overhead,
        BoundBy.EXCHANGE: times.exchange,
        BoundBy.PROMPTS: stalled,
    }
    return max(parts, key=parts.__getitem__)


def _users(case: _Case, targets: Targets) -> int | None:
    """Return the requests of one replica that stay inside the asked limits, with head-room."""
    inside = _inside(case, targets) if case.batches else None
    return None if inside is None else promised_users(inside)


def _inside(case: _Case, targets: Targets) -> int | None:
    """Return the requests of one replica that stay inside the limits; None where none was asked."""
    limits = limits_of(targets)
    if limits is None:
        return None
    return _largest(case.full, lambda batch: limits.are_kept(case.work, case.pace, batch))


def promised_users(inside: float) -> int:
    """Return how many of the requests that stay inside a limit are promised."""
    return max(min(floor(inside), 1), floor(HEAD_ROOM * inside))


def _largest(most: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number up to `most` for which `holds`, which fails from some one on."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
