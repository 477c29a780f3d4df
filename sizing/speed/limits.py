"""Which limit binds: memory, the engine, a wish about speed, a queue, or a part of the step."""

from __future__ import annotations

from collections.abc import Mapping

from sizing.memory import Load
from sizing.performance import BoundBy, Limit, Wish
from sizing.request import Targets
from sizing.speed.case import Case
from sizing.speed.serving import first_s, itl_s
from sizing.speed.step import prompt_s, step_times
from sizing.speed.targets import Limits, limits_of
from sizing.speed.wishes import first_of_batch_s

LIMITS = {
    BoundBy.WEIGHTS: Limit.BANDWIDTH,
    BoundBy.CACHE: Limit.BANDWIDTH,
    BoundBy.COMPUTE: Limit.COMPUTE,
    BoundBy.PROMPTS: Limit.COMPUTE,
    BoundBy.OVERHEAD: Limit.OVERHEAD,
    BoundBy.EXCHANGE: Limit.EXCHANGE,
    BoundBy.MEMORY: Limit.MEMORY,
    BoundBy.ENGINE: Limit.ENGINE,
}
"""The limit behind what takes most of the time."""

SHARED_OUT = frozenset({BoundBy.WEIGHTS, BoundBy.OVERHEAD})
"""Parts of a step that take as long for one request as for many: more of them would be free."""

IN_QUEUE = 0.5
"""Share of the time to the first token from which waiting is what it consists of."""


def bound_by(case: Case, load: Load) -> BoundBy:
    """Return what takes most of the time; where asked requests have to wait, for what."""
    if load.concurrent_requests > case.full * case.replicas:
        return _room(case)
    times = step_times(case.work, case.pace, _batch(case, load))
    prompts_s = case.pace.mixed * prompt_s(case.work, case.pace)
    stalled = (_batch(case, load) - 1) / case.work.output_tokens * prompts_s
    parts: Mapping[BoundBy, float] = {
        BoundBy.WEIGHTS: times.weights,
        BoundBy.CACHE: times.cache,
        BoundBy.COMPUTE: times.compute,
        BoundBy.OVERHEAD: times.overhead,
        BoundBy.EXCHANGE: times.exchange,
        BoundBy.PROMPTS: stalled,
    }
    return max(parts, key=parts.__getitem__)


def limit_of(case: Case, load: Load, inside: int | None) -> tuple[Limit, Wish | None]:
    """Return what keeps a set from serving more, or faster, and the wish that is reached first.

    `inside` requests of a replica keep to the wishes. Where the set is to be filled and a step
    takes as long with more requests, their room is the limit.
    """
    taking = bound_by(case, load)
    limits = limits_of(load.targets)
    if limits is not None and inside is not None and inside < case.full:
        return _limit_of_wishes(case, load.targets, limits, inside + 1)
    is_filled = inside is not None or not load.is_asked
    if case.batches and is_filled and (inside is not None or taking in SHARED_OUT):
        return LIMITS[_room(case)], None
    return LIMITS[taking], None


def _room(case: Case) -> BoundBy:
    return BoundBy.MEMORY if case.held <= case.limit else BoundBy.ENGINE


def _batch(case: Case, load: Load) -> int:
    return case.batch if load.is_asked or not case.batches else case.full


def _limit_of_wishes(
    case: Case, targets: Targets, limits: Limits, requests: int
) -> tuple[Limit, Wish]:
    """Return which wish so many requests break, and whether it is waiting that breaks it."""
    if itl_s(case.work, case.pace, requests) > limits.between_s:
        is_rate = targets.itl_ms is None or limits.between_s * 1e3 < targets.itl_ms
        return Limit.LATENCY, Wish.TPS if is_rate else Wish.ITL
    alone_s = first_s(case.work, case.pace)
    waited_s = first_of_batch_s(case, requests) - alone_s
    is_queue = waited_s > IN_QUEUE * (alone_s + waited_s)
    return (Limit.QUEUEING if is_queue else Limit.LATENCY), Wish.TTFT
