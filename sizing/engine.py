"""From a request and a catalogue to an answer: the order of the steps, nothing else."""

from __future__ import annotations

from sizing.adapters import DEFAULT_RANK
from sizing.advice import with_ways
from sizing.answer import Memory, Note, Option, SizingAnswer, Understood, note
from sizing.arrivals import (
    READING_ITL_MS,
    arrival_note,
    asks_rate,
    heard_notes,
    keeps_up,
    rate_note,
    requests_in_flight,
    unknown_note,
    with_reading_speed,
)
from sizing.catalogue import Catalogue
from sizing.checkpoints import mtp_weights_bytes, table_copy_bytes
from sizing.cost import with_prices
from sizing.limit_notes import limit_warnings, wish_warnings, without_marks
from sizing.memory import Load, kv_range_bytes, need_per_gpu
from sizing.neighbours import with_measured
from sizing.parallelism import Layout
from sizing.placement import Placer
from sizing.ranking import rank, rank_by_weights
from sizing.records import PrecisionRecord
from sizing.remarks import assumptions_of, warnings_of
from sizing.request import Mode, SizingRequest, Targets
from sizing.rules import rule_bytes
from sizing.throughput.hearing import hears
from sizing.training.kinds import is_trainable
from sizing.weighing import placer_of


def size(request: SizingRequest, catalogue: Catalogue) -> SizingAnswer:
    """Size `request` with the facts of `catalogue`; raise SizingError where it cannot be read."""
    return with_prices(_sized(request, catalogue), request, catalogue)


def _sized(request: SizingRequest, catalogue: Catalogue) -> SizingAnswer:
    """Return the answer to a question of its kind, prices left out."""
    model = catalogue.models.get(request.model_id or "")
    # Passes and training are loaded with the first question about them: few processes have one.
    is_trained = request.mode is not Mode.INFER
    if model is not None and model.works_in_passes and not (is_trained and is_trainable(model)):
        from sizing.passes.answering import size_passes

        return size_passes(model, request, catalogue)
    if is_trained:
        from sizing.training.answer import size_training

        return size_training(request, catalogue)
    if asks_rate(request):
        return _size_rate(request, catalogue)
    return _size_load(request, placer_of(request, catalogue))


def _size_rate(request: SizingRequest, catalogue: Catalogue) -> SizingAnswer:
    """Size for the requests that a rate keeps in flight on the set that is proposed for them."""
    rate, asked = request.requests_per_s or 0.0, with_reading_speed(request)
    placer = placer_of(asked, catalogue)
    requests = requests_in_flight(asked, placer, rate)
    if requests is None:
        return _size_unplaced(request, placer_of(request, catalogue), rate)
    loaded = asked.model_copy(update={"concurrent_requests": requests})
    answer = _size_load(loaded, placer.for_requests(requests))
    reading = _reading(is_limited=request.targets != Targets())
    if keeps_up(rate, requests, answer.options[0]):
        told = arrival_note(rate, requests, answer.options[0])
        return _with_notes(answer, assumptions=(told, *reading))
    beyond = rate_note(rate, answer.options[0])
    return _with_notes(answer, assumptions=reading, warnings=(beyond,) if beyond else ())


def _size_unplaced(request: SizingRequest, placer: Placer, rate: float) -> SizingAnswer:
    """Size where no requests in flight follow from a rate: for one, or for all that is heard."""
    if hears(placer.load):
        answer = _size_load(request, placer)
        first = next(iter(answer.options), None)
        told = heard_notes(rate, first) if first else None
        if told is not None:
            return _with_notes(answer, **told)
    unrated = request.model_copy(update={"requests_per_s": None})
    answer = without_marks(_size_load(request, placer_of(unrated, placer.catalogue)))
    return _with_notes(answer, warnings=(unknown_note(rate),))


def _with_notes(
    answer: SizingAnswer, *, assumptions: tuple[Note, ...] = (), warnings: tuple[Note, ...] = ()
) -> SizingAnswer:
    notes = {
        "assumptions": (*assumptions, *answer.assumptions),
        "warnings": (*warnings, *answer.warnings),
    }
    return answer.model_copy(update=notes)


def _reading(*, is_limited: bool) -> tuple[Note, ...]:
    return () if is_limited else (note("reading_speed", limit_ms=READING_ITL_MS),)


def _size_load(request: SizingRequest, placer: Placer) -> SizingAnswer:
    """Size for the requests in flight that are asked."""
    load, precision, catalogue = placer.load, placer.precision, placer.catalogue
    memory = _memory(load, precision)
    options = _options(request, placer)
    return SizingAnswer(
        understood=_understood(request, load, precision, memory),
        memory=memory,
        options=options,
        warnings=(
            *warnings_of(request, load, precision, memory, catalogue=catalogue),
            *limit_warnings(request, options),
            *(() if hears(load) else wish_warnings(load.targets, options)),
        ),
        assumptions=assumptions_of(request, load, precision, catalogue=catalogue),
        catalogue=catalogue.stamp,
    )


def _options(request: SizingRequest, placer: Placer) -> tuple[Option, ...]:
    if placer.load.subject.cache is None:
        return rank_by_weights(request, placer)
    first, *others = rank(request, placer) or (None,)
    if first is None:
        return ()
    return (with_measured(with_ways(first, request, placer), placer), *others)


def _memory(load: Load, precision: PrecisionRecord) -> Memory:
    """Return the need on a single GPU; without a KV layout only the weights are known."""
    subject, need = load.subject, need_per_gpu(load, Layout())
    known = subject.cache is not None
    total = need.total
    low_bytes, high_bytes = kv_range_bytes(load) or (None, None)
    weights_bytes = sum(group.weights_bytes for group in load.groups)
    mtp_bytes = mtp_weights_bytes(subject, precision)
    return Memory(
        groups=load.groups,
        weights_bytes=weights_bytes,
        mtp_weights_bytes=mtp_bytes,
        checkpoint_bytes=weights_bytes + mtp_bytes + table_copy_bytes(subject, precision),
        kv_bytes_per_token=need.request_cache.bytes_per_token if known else None,
        kv_bytes_fixed_per_request=need.request_cache.fixed_bytes if known else None,
        kv_cache_low_bytes=low_bytes,
        kv_cache_high_bytes=high_bytes,
        kv_cache_bytes=need.kv_cache_bytes if known else None,
        adapter_bytes=load.adapters.total_bytes if known else None,
        activation_bytes=need.activation.typical_bytes if known else None,
        activation_low_bytes=need.activation.low_bytes if known else None,
        activation_high_bytes=need.activation.high_bytes if known else None,
        runtime_bytes=need.runtime.typical_bytes if known else None,
        runtime_low_bytes=need.runtime.low_bytes if known else None,
        runtime_high_bytes=need.runtime.high_bytes if known else None,
        total_bytes=total.typical_bytes if known else None,
        total_low_bytes=total.low_bytes if known else None,
        total_high_bytes=total.high_bytes if known else None,
        rule_20_percent_bytes=rule_bytes(subject, precision, 20),
        rule_25_percent_bytes=rule_bytes(subject, precision, 25),
    )


def _understood(
    request: SizingRequest, load: Load, precision: PrecisionRecord, memory: Memory
) -> Understood:
    subject = load.subject
    return Understood(
        goal=request.goal,
        model=subject.name,
        model_id=request.model_id,
        source=request.given.source if request.given else None,
        source_precision=request.given.native_precision if request.given else None,
        checkpoint=request.checkpoint,
        kind=subject.kind,
        parameters=subject.parameters,
        active_parameters=subject.active_parameters,
        precision=precision.id,
        bits_per_weight=memory.weights_bytes * 8 / subject.parameters,
        kv_precision=load.kv_precision.id,
        kv_in_host=load.kv_in_host,
        kv_host_gib=request.kv_host_gib,
        engine=load.engine.id,
        mode=request.mode,
        context_tokens=load.context_tokens,
        model_max_context_tokens=subject.max_context_tokens,
        input_tokens=request.input_tokens,
        output_tokens=request.output_tokens,
        concurrent_requests=load.concurrent_requests,
        images=load.media.images,
        image_tokens=load.media.image_tokens or None,
        media_tokens=load.media.context_tokens,
        source_tokens=load.media.source_tokens,
        width_pixels=load.media.picture.width_pixels if load.media.images else None,
        height_pixels=load.media.picture.height_pixels if load.media.images else None,
        seconds=load.media.seconds or None,
        requests_per_s=request.requests_per_s,
        memory_fraction=load.memory_fraction,
        tensor_parallel=request.tensor_parallel,
        pipeline_parallel=request.pipeline_parallel,
        expert_parallel=request.expert_parallel,
        data_parallel=request.data_parallel,
        batched_tokens=request.batched_tokens,
        prefix_caching=request.prefix_caching,
        disaggregated=request.disaggregated,
        eager=load.eager,
        adapters=request.adapters,
        adapter_rank=(request.adapter_rank or DEFAULT_RANK) if request.adapters else None,
        gpus=request.gpus or None,
        targets=request.targets,
        speculation=request.speculation,
        budget_usd=request.budget_usd,
        network_gbps=request.network_gbps,
        power_limit_w=request.power_limit_w,
        read_as=request.read_as,
    )
