"""From a placement to its speed; nothing where nothing like it was measured."""

from __future__ import annotations

from math import floor

from sizing.catalogue import Catalogue
from sizing.memory import Load
from sizing.notes import Note
from sizing.performance import Estimate, Performance, Speculated
from sizing.placement import Placement
from sizing.records import FigureName, PrecisionRecord, Promise
from sizing.running import all_times
from sizing.speed.basis import confidence_in
from sizing.speed.case import Case, case_of
from sizing.speed.goodput import goodput_of
from sizing.speed.limits import bound_by, limit_of
from sizing.speed.serving import first_s, itl_s, output_tokens_per_s, prefill_tokens_per_s
from sizing.speed.speculating import speculated_of
from sizing.speed.step import step_times
from sizing.speed.targets import Limits, limits_of, target_notes
from sizing.speed.wishes import first_of_batch_s, most_in_time


def performance_of(
    placement: Placement, load: Load, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[Performance | None, tuple[Note, ...]]:
    """Return the speed of a placement, or why no number is given."""
    case = case_of(placement, load, precision, catalogue)
    if isinstance(case, Note):
        return None, (case,)
    if case is None:
        return None, ()
    limits = limits_of(load.targets)
    inside = most_in_time(case, limits) if limits and case.batches else None
    figures = _figures(case, inside, is_asked=load.is_asked)
    limit, wish = limit_of(case, load, inside)
    return (
        Performance(
            confidence=confidence_in(case.form, placement, load),
            concurrent_requests=case.batch * case.replicas,
            at_saturation=not load.is_asked,
            input_tokens=load.input_tokens,
            output_tokens=load.output_tokens,
            bound_by=bound_by(case, load),
            speculation=_speculated(case, load),
            limit=limit,
            limiting_wish=wish,
            goodput=goodput_of(case, limits, inside) if limits and inside is not None else None,
            users_per_replica=_users(case, limits, inside),
            **figures,
        ),
        tuple(target_notes(load.targets, figures)),
    )


def _figures(case: Case, inside: int | None, *, is_asked: bool) -> dict[str, Estimate | None]:
    work, pace = case.work, case.pace
    alone_s = step_times(work, pace, 1).total
    kind: FigureName = "throughput" if is_asked else "saturation"
    batch = case.batch if is_asked else case.full
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
        "full_output_tokens_per_s": _full(case, inside),
        "single_stream_tokens_per_s": case.estimate("itl", 1 / alone_s, inverse=True),
        "prefill_tokens_per_s": case.estimate("ttft_alone", prompts, inverse=True),
        "itl_ms": case.estimate("itl", 1e3 * itl_s(work, pace, case.batch)),
        "ttft_ms": _first(case),
    }


def _full(case: Case, inside: int | None) -> Estimate:
    """Return the tokens written with as many requests as fit; as keep to the limits, if any do."""
    tokens = output_tokens_per_s(case.work, case.pace, inside or case.full) * case.replicas
    return case.estimate("saturation", tokens)


def _rates(case: Case, tokens: Estimate | None) -> dict[str, Estimate | None]:
    """Return what follows from the tokens written each second."""
    written = case.work.output_tokens
    all_of_them = (case.work.input_tokens + written) / written
    return {
        "output_tokens_per_s": tokens,
        "total_tokens_per_s": tokens and all_times(tokens, all_of_them),
        "requests_per_s": tokens and all_times(tokens, 1 / written),
    }


def _first(case: Case) -> Estimate:
    kind: FigureName = "ttft_alone" if case.batch == 1 else "ttft_random"
    return case.estimate(kind, 1e3 * first_of_batch_s(case, case.batch))


def _speculated(case: Case, load: Load) -> Speculated | None:
    if load.drafter is None or case.alone is None:
        return None
    batch = case.batch if load.is_asked else case.full
    now = (case.work, case.pace)
    return speculated_of(load.drafter, case.alone, now, batch=batch, full=case.full)


def _users(case: Case, limits: Limits | None, inside: int | None) -> int | None:
    """Return the requests of one replica that are promised inside the asked limits."""
    if limits is None or inside is None:
        return None
    promise = case.form.promise
    return promised_users(inside, most_in_time(case, limits, times=promise.time), promise)


def promised_users(typical: float, cautious: float, promise: Promise) -> int:
    """Return how many are promised of the requests whose typical, or cautious, times are kept.

    One that keeps to a limit at its typical time is promised.
    """
    return max(min(floor(typical), 1), floor(promise.share * cautious))
