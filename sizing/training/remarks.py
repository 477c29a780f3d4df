"""Warnings and assumptions of an answer about training."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, Option, note
from sizing.candidates import without_split
from sizing.catalogue import Catalogue
from sizing.media_notes import media_assumptions, media_warnings
from sizing.records import PrecisionRecord
from sizing.remarks import (
    HOST_RAM_FACTOR,
    model_assumptions,
    reading_assumptions,
    request_warnings,
)
from sizing.request import Mode, SizingRequest
from sizing.training.base import is_quantised
from sizing.training.idle import idle_settings
from sizing.training.layout import layout_of
from sizing.training.need import TrainingNeed
from sizing.training.optimizers import has_rank
from sizing.training.plan import SIXTEEN_BITS, TrainingPlan
from sizing.training.setting_notes import default_sharding, setting_notes
from sizing.units import GB

SERVING_ONLY = {
    "dp": "data_parallel",
    "kv": "kv_precision",
    "kv=host": "asks_host_cache",
    "engine": "engine",
    "eager": "eager",
    "loras": "adapters",
}
"""Options that say how a model is served, by the key people type."""


def training_warnings(
    request: SizingRequest, plan: TrainingPlan, alone: TrainingNeed, catalogue: Catalogue
) -> tuple[Note, ...]:
    """Return what the asker should know before trusting the answer."""
    return (
        *_precision_warnings(request, catalogue),
        *_idle_settings(request, plan),
        *_shape_warnings(plan),
        *media_warnings(request, plan.subject, plan.media, catalogue),
        *_ram_warnings(request, plan, alone),
        *_serving_options(request),
        *request_warnings(without_split(request), catalogue),
    )


def training_assumptions(
    request: SizingRequest,
    plan: TrainingPlan,
    precision: PrecisionRecord,
    options: tuple[Option, ...],
    *,
    alone: TrainingNeed,
    catalogue: Catalogue,
) -> tuple[Note, ...]:
    """Return the defaults that were filled in, and the estimates."""
    return (
        *reading_assumptions(request, catalogue),
        *model_assumptions(request, plan.subject),
        *media_assumptions(request, plan.subject, plan.media, SIXTEEN_BITS),
        *_run_assumptions(request, plan),
        *setting_notes(request, plan, alone),
        *_base(request, precision),
        *_sharding(request, plan, options),
        note("training_host_ram", needed_gb=round(_host_ram_gb(plan))),
    )


def _precision_warnings(request: SizingRequest, catalogue: Catalogue) -> Iterator[Note]:
    asked = catalogue.precisions[request.precision] if request.precision else None
    if asked is None or request.mode is Mode.LORA:
        return
    if request.mode is Mode.FULL and is_quantised(asked):
        yield note("full_in_16_bits", precision=asked.id)
    if request.mode is Mode.QLORA and not is_quantised(asked):
        yield note("qlora_base_quantised", precision=asked.id)


def _shape_warnings(plan: TrainingPlan) -> Iterator[Note]:
    longest = plan.subject.max_context_tokens
    if longest is not None and plan.sequence_tokens > longest:
        yield note(
            "context_beyond_model",
            context_tokens=plan.sequence_tokens,
            max_context_tokens=longest,
        )
    if plan.subject.architecture.recurrent:
        yield note("training_recurrent_layers")
    if plan.subject.is_multimodal:
        yield note("multimodal_estimate")


def _ram_warnings(
    request: SizingRequest, plan: TrainingPlan, alone: TrainingNeed
) -> Iterator[Note]:
    needed_gb = _host_ram_gb(plan) + alone.host_bytes / GB
    if request.host_ram_gb is not None and request.host_ram_gb < needed_gb:
        yield note("host_ram", host_ram_gb=request.host_ram_gb, needed_gb=round(needed_gb))


def _serving_options(request: SizingRequest) -> Iterator[Note]:
    named = tuple(key for key, field in SERVING_ONLY.items() if getattr(request, field))
    if named:
        yield note("serving_options", options=named)


def _idle_settings(request: SizingRequest, plan: TrainingPlan) -> Iterator[Note]:
    if idle := idle_settings(request, plan):
        yield note("idle_settings", options=idle)


def _run_assumptions(request: SizingRequest, plan: TrainingPlan) -> Iterator[Note]:
    if request.tuning.framework is None:
        yield note("default_framework", framework=plan.framework.id)
    if request.context_tokens is None and not (request.input_tokens or request.output_tokens):
        yield note("default_sequence", sequence_tokens=plan.sequence_tokens)
    if request.concurrent_requests is None:
        yield note("default_micro_batch")
    if plan.tuning.run_tokens is not None:
        yield note("run_tokens", run_tokens=plan.tuning.run_tokens)
    if request.tuning.checkpointing is None:
        yield note("default_checkpointing")
    if request.tuning.optimizer is None:
        yield note("default_optimizer")
    if request.adapter_rank is None and not plan.is_full and has_rank(plan):
        yield note("default_training_rank", adapter_rank=plan.rank)


def _base(request: SizingRequest, precision: PrecisionRecord) -> Iterator[Note]:
    if request.precision is None or request.precision != precision.id:
        yield note("training_precision", precision=precision.id)


def _sharding(
    request: SizingRequest, plan: TrainingPlan, options: tuple[Option, ...]
) -> Iterator[Note]:
    most = max((option.gpus for option in options), default=1)
    if found := default_sharding(request, plan, layout_of(request, plan, most)):
        yield found


def _host_ram_gb(plan: TrainingPlan) -> float:
    """Return twice the weights, the least that the local-LLM article asks of the host, GB."""
    return HOST_RAM_FACTOR * plan.weights_bytes / GB
