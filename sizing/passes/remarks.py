"""Warnings and assumptions of an answer about a model that works in passes."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Memory, Note, Option, note
from sizing.catalogue import Catalogue
from sizing.media_notes import media_assumptions, media_warnings, wish_warnings
from sizing.passes.load import PassLoad, activation
from sizing.passes.speed import pass_refusal
from sizing.passes.tensors import Stage
from sizing.records import PrecisionScheme, Tier
from sizing.remarks import reading_assumptions, request_warnings
from sizing.request import SizingRequest
from sizing.rules import tier_of
from sizing.subject import subject_from

NOTABLE_BYTES = 10**9
"""Size from which an alternative is worth a sentence, bytes."""

_WITHOUT_EFFECT = {
    "ctx": "context_tokens",
    "kv": "kv_precision",
    "kv_host": "asks_host_cache",
    "loras": "adapters",
    "tp": "tensor_parallel",
    "pp": "pipeline_parallel",
}
"""Options that change nothing where no token is cached and no model is split."""


def rate_warnings(request: SizingRequest, options: tuple[Option, ...]) -> Iterator[Note]:
    """Say where the first set does not answer what arrives, or nobody knows whether it does."""
    rate = request.requests_per_s
    if rate is None or not options:
        return
    speed = options[0].performance
    if speed is None or speed.requests_per_s is None:
        yield note("option_not_covered", option="rps")
    elif speed.requests_per_s.typical < rate:
        reached = speed.requests_per_s.typical
        yield note("rate_beyond", requests_per_s=rate, reached_per_s=reached)


def warnings_of(
    request: SizingRequest, load: PassLoad, memory: Memory, catalogue: Catalogue
) -> tuple[Note, ...]:
    """Return what the asker should know before trusting the answer."""
    return (
        *_basis(load),
        *_rule(memory),
        *_lengths(load),
        *_media_warnings(request, load, catalogue),
        *_without_effect(request, load),
        *request_warnings(request, catalogue),
    )


def assumptions_of(
    request: SizingRequest, load: PassLoad, memory: Memory, catalogue: Catalogue
) -> tuple[Note, ...]:
    """Return the defaults that were filled in, and the estimates."""
    return (
        *reading_assumptions(request, catalogue),
        *_model(request, load),
        *_media_assumptions(request, load),
        *_defaults(request, load),
        *_components(load),
        *_tiles(load),
        *_attention(load, memory),
        *_speed(load, catalogue),
        note("tier", tier=_tier(load).value),
    )


def _media_warnings(
    request: SizingRequest, load: PassLoad, catalogue: Catalogue
) -> tuple[Note, ...]:
    if load.model.architecture is None:
        return ()
    subject = subject_from(load.model)
    return tuple(media_warnings(request, subject, load.work.media, catalogue))


def _media_assumptions(request: SizingRequest, load: PassLoad) -> tuple[Note, ...]:
    """Say what images take of the length of a text; nothing of them is cached."""
    if load.model.architecture is None:
        return ()
    subject = subject_from(load.model)
    return tuple(media_assumptions(request, subject, load.work.media, 0))


def _speed(load: PassLoad, catalogue: Catalogue) -> Iterator[Note]:
    """Say what the speed was estimated for, or why none is named."""
    refusal = pass_refusal(load, catalogue.throughput)
    if refusal is not None:
        yield refusal
    elif load.work.steps is not None and not load.work.steps_are_asked:
        yield note("default_steps", steps=load.work.steps)


def _tier(load: PassLoad) -> Tier:
    return tier_of(load.parameters, load.precision)


def _basis(load: PassLoad) -> Iterator[Note]:
    if not load.stages:
        yield note("no_measured_basis", model=load.model.name)


def _rule(memory: Memory) -> Iterator[Note]:
    """Say where the 25 % rule misses by more than a twentieth of the need."""
    rule, total = memory.rule_25_percent_bytes, memory.total_bytes or 0
    if abs(rule - total) * 20 > total:
        yield note(
            "pass_rule_misleads" if rule < total else "pass_rule_generous",
            rule_percent=25,
            rule_bytes=rule,
            difference_bytes=abs(rule - total),
        )


def _lengths(load: PassLoad) -> Iterator[Note]:
    longest, tokens = load.model.max_context_tokens, load.work.tokens
    if longest is not None and tokens is not None and tokens > longest:
        yield note("context_beyond_model", context_tokens=tokens, max_context_tokens=longest)


def _attention(load: PassLoad, memory: Memory) -> Iterator[Note]:
    """Say what the attention matrix takes where it is not fused away, if that is notable."""
    largest = max(load.stages, key=lambda stage: stage.matrix_bytes, default=None)
    if largest is None:
        return
    matrix_bytes = largest.matrix_bytes * load.work.items
    if not load.engine.fuses_attention and matrix_bytes:
        yield note("attention_not_fused", engine=load.engine.id, matrix_bytes=matrix_bytes)
    elif matrix_bytes >= max(NOTABLE_BYTES, (memory.total_bytes or 0) // 4):
        yield note("attention_matrix", matrix_bytes=matrix_bytes)


def _without_effect(request: SizingRequest, load: PassLoad) -> Iterator[Note]:
    for option, field in _WITHOUT_EFFECT.items():
        is_length = field == "context_tokens" and load.work.tokens is not None
        if getattr(request, field) and not is_length:
            yield note("option_without_effect", option=option)
    yield from wish_warnings(request)
    if request.steps and load.work.steps is None:
        yield note("option_without_effect", option="steps")


def _model(request: SizingRequest, load: PassLoad) -> Iterator[Note]:
    if request.model_is_default and load.model.alternatives:
        yield note("model_default", model=load.model.name, alternatives=load.model.alternatives)


def _defaults(request: SizingRequest, load: PassLoad) -> Iterator[Note]:
    if not (request.concurrent_requests or request.width_pixels or request.context_tokens):
        yield note("default_work")
    if request.engine is None:
        yield note("default_engine", engine=load.engine.id)
    if request.memory_fraction is None:
        yield note("default_memory_fraction", memory_fraction=load.memory_fraction)
    native = load.model.native_precision
    if request.precision is None and load.precision.id != native:
        yield note("twin_precision", precision=load.precision.id, published=native)
    elif request.precision is None:
        yield note("default_precision", precision=load.precision.id)


def _components(load: PassLoad) -> Iterator[Note]:
    """Say which components stay in 16 bits, and what offloading the text encoders saves."""
    components = load.model.pipeline.components if load.model.pipeline else ()
    whole = tuple(one.name for one in components if not one.quantises)
    if whole and load.precision.scheme is not PrecisionScheme.FLOAT:
        yield note("components_in_16_bits", components=whole, precision=load.precision.id)
    if load.offloaded_bytes:
        yield note(
            "text_encoders_offloaded",
            engine=load.engine.id,
            offloaded_bytes=load.offloaded_bytes,
        )
    elif load.text_encoder_bytes >= NOTABLE_BYTES:
        yield note("text_encoders_could_leave", offloaded_bytes=load.text_encoder_bytes)


def _tiles(load: PassLoad) -> Iterator[Note]:
    """Say what decoding in tiles saves, or would save."""
    for stage in load.stages:
        whole, tiled = stage.whole_bytes, stage.tiled_bytes
        if whole is not None and whole - stage.item_bytes >= NOTABLE_BYTES:
            yield note("decoded_in_tiles", whole_bytes=whole * load.work.items)
        elif tiled is not None and _saves(load, stage, tiled):
            yield note("tiles_would_do", tiled_bytes=tiled * load.work.items)


def _saves(load: PassLoad, stage: Stage, tiled_bytes: int) -> bool:
    """Return whether tiles of this stage would lower the peak of all stages notably."""
    items, peak = load.work.items, activation(load, load.work.items).low_bytes
    is_peak = stage.item_bytes * items == peak
    return is_peak and (stage.item_bytes - tiled_bytes) * items >= NOTABLE_BYTES
