"""From a request about a model that works in passes to its answer."""

from __future__ import annotations

from sizing.answer import Memory, Option, SizingAnswer, Understood
from sizing.catalogue import Catalogue
from sizing.errors import NotCoveredError
from sizing.limit_notes import limit_warnings
from sizing.passes.load import PassLoad, need_of, pass_load
from sizing.passes.placing import PassPlacer
from sizing.passes.ranking import rank_passes
from sizing.passes.remarks import assumptions_of, rate_warnings, warnings_of
from sizing.records import ModelRecord
from sizing.request import Goal, Mode, SizingRequest
from sizing.rules import rule_bytes_of


def size_passes(model: ModelRecord, request: SizingRequest, catalogue: Catalogue) -> SizingAnswer:
    """Size a model that caches nothing between steps; raise NotCoveredError for training."""
    if request.mode is not Mode.INFER:
        raise NotCoveredError(what=request.mode.value)
    load = pass_load(model, request, catalogue)
    memory = _memory(load)
    options: tuple[Option, ...] = rank_passes(request, PassPlacer(load, catalogue))
    return SizingAnswer(
        understood=_understood(request, load),
        memory=memory,
        options=options,
        warnings=(
            *warnings_of(request, load, memory, catalogue),
            *rate_warnings(request, options),
            *limit_warnings(request, options),
        ),
        assumptions=assumptions_of(request, load, memory, catalogue),
        catalogue=catalogue.stamp,
    )


def _memory(load: PassLoad) -> Memory:
    """Return the need on a single GPU that holds all items."""
    need = need_of(load, load.work.items)
    total = need.total
    return Memory(
        groups=load.resident_groups,
        weights_bytes=need.weights_bytes,
        mtp_weights_bytes=0,
        kv_bytes_per_token=None,
        kv_bytes_fixed_per_request=None,
        kv_cache_bytes=0,
        adapter_bytes=0,
        activation_bytes=need.activation.typical_bytes,
        activation_low_bytes=need.activation.low_bytes,
        activation_high_bytes=need.activation.high_bytes,
        runtime_bytes=need.runtime.typical_bytes,
        runtime_low_bytes=need.runtime.low_bytes,
        runtime_high_bytes=need.runtime.high_bytes,
        total_bytes=total.typical_bytes,
        total_low_bytes=total.low_bytes,
        total_high_bytes=total.high_bytes,
        rule_20_percent_bytes=rule_bytes_of(load.parameters, load.precision, 20),
        rule_25_percent_bytes=rule_bytes_of(load.parameters, load.precision, 25),
    )


def _understood(request: SizingRequest, load: PassLoad) -> Understood:
    work = load.work
    bits = sum(group.weights_bytes for group in load.groups) * 8
    return Understood(
        goal=Goal.SIZE if request.goal is Goal.MAX_CONTEXT else request.goal,
        model=load.model.name,
        model_id=request.model_id,
        kind=load.model.kind,
        parameters=load.parameters,
        active_parameters=load.parameters,
        precision=load.precision.id,
        bits_per_weight=bits / load.parameters,
        kv_precision=None,
        engine=load.engine.id,
        mode=request.mode,
        context_tokens=work.tokens,
        model_max_context_tokens=load.model.max_context_tokens,
        input_tokens=request.input_tokens,
        output_tokens=request.output_tokens,
        images=work.media.images,
        image_tokens=work.media.image_tokens or None,
        media_tokens=work.media.context_tokens,
        width_pixels=work.width_pixels,
        height_pixels=work.height_pixels,
        frames=work.frames,
        steps=work.steps,
        seconds=work.seconds,
        concurrent_requests=work.items,
        requests_per_s=request.requests_per_s,
        memory_fraction=load.memory_fraction,
        tensor_parallel=request.tensor_parallel,
        pipeline_parallel=request.pipeline_parallel,
        expert_parallel=request.expert_parallel,
        data_parallel=request.data_parallel,
        gpus=request.gpus or None,
        targets=request.targets,
        budget_usd=request.budget_usd,
        network_gbps=request.network_gbps,
        power_limit_w=request.power_limit_w,
        read_as=request.read_as,
    )
