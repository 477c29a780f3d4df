"""How a set of GPUs trades throughput for latency: its speed with ever more requests in flight."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Option, SizingAnswer
from sizing.candidates import chosen_gpu
from sizing.catalogue import Catalogue
from sizing.parallelism import Layout
from sizing.performance import CurvePoint
from sizing.placement import Placement, Placer
from sizing.records import GpuRecord
from sizing.request import GpuChoice, SizingRequest
from sizing.speed.case import Case, case_of
from sizing.speed.serving import itl_s, output_tokens_per_s
from sizing.weighing import placer_of


def curve_of(
    request: SizingRequest, answer: SizingAnswer, catalogue: Catalogue
) -> tuple[CurvePoint, ...]:
    """Return the speed of the first option at 1, 2, 4 … requests a replica, up to all that fit.

    Empty where no speed is named of it, or the engine takes one request at a time.
    """
    first = answer.options[0] if answer.options else None
    speed = first.performance if first else None
    if first is None or first.cards or speed is None or speed.output_tokens_per_s is None:
        return ()
    placer = placer_of(request, catalogue)
    placement = _placed(first, request, placer)
    case = case_of(placement, placer.load, placer.precision, catalogue)
    if not isinstance(case, Case):
        return ()
    return tuple(_point(case, batch) for batch in _batches(case.full))


def _placed(option: Option, request: SizingRequest, placer: Placer) -> Placement:
    """Return the placement that an option was written from."""
    layout = Layout(
        tensor_parallel=option.tensor_parallel,
        pipeline_parallel=option.pipeline_parallel,
        expert_parallel=option.expert_parallel,
        data_parallel=option.data_parallel,
        replicas=option.replicas,
    )
    return placer.place(_gpu(option, request, placer.catalogue), layout)


def _gpu(option: Option, request: SizingRequest, catalogue: Catalogue) -> GpuRecord:
    """Return the device of an option: a card named by its memory alone is in no catalogue."""
    named = (chosen_gpu(choice, catalogue) for choice in request.gpus)
    asked = {gpu.id: gpu for gpu in named if gpu.id not in catalogue.gpus}
    if option.gpu in asked:
        return asked[option.gpu]
    return chosen_gpu(GpuChoice(gpu=option.gpu, mig_profile=option.mig_profile), catalogue)


def _batches(most: int) -> Iterator[int]:
    """Yield powers of two below the most requests, then the most."""
    batch = 1
    while batch < most:
        yield batch
        batch *= 2
    yield most


def _point(case: Case, batch: int) -> CurvePoint:
    tokens = output_tokens_per_s(case.work, case.pace, batch) * case.replicas
    return CurvePoint(
        concurrent_requests=batch * case.replicas,
        itl_ms=case.estimate("itl", 1e3 * itl_s(case.work, case.pace, batch)),
        output_tokens_per_s=case.estimate(
            "saturation" if batch == case.full else "throughput", tokens
        ),
    )
