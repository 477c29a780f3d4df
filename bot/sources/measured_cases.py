"""Turn an answer into the question that measured kernels can be asked, or say why they cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import CodedError
from bot.option_view import is_running
from bot.sources.measured_models import CACHES, CHECKPOINTS, ENGINES, FORMATS, SIXTEEN_BITS, SYSTEMS
from sizing.defaults import output_tokens_of
from sizing.request import SizingRequest
from sizing.units import ceil_div

if TYPE_CHECKING:
    from sizing.answer import Option, SizingAnswer, Understood


@dataclass(frozen=True)
class Question:
    """One case in the words of aiconfigurator-core, for one copy of the model."""

    checkpoint: str
    """Configuration that it brings."""

    system: str
    """GPU."""

    engine: str
    """Engine."""

    number_format: str | None
    """Format of the weights where it is not the configuration's own."""

    cache_format: str
    """Format of the KV cache."""

    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    """Copies of the attention."""
    expert_tensor_parallel: int
    """Ranks that cut each expert; times `expert_parallel` the ranks of a stage."""
    expert_parallel: int
    """Ranks that share the experts out whole."""
    batch: int
    """Requests in flight of each copy of the attention and each stage."""
    input_tokens: int
    output_tokens: int
    step_tokens: int
    """Tokens of prompts that one step takes on."""


def question_of(answer: SizingAnswer) -> Question:
    """Return the question about the first option; raise CodedError where it is not covered.

    The package knows no budget for the KV cache, so what does not fit by our count is not asked.
    """
    option, asked = _running(answer), answer.understood
    _refuse_settings(option, asked)
    checkpoint, number_format = _checkpoint(asked)
    if asked.engine not in ENGINES:
        raise CodedError("opinion_engine", engine=asked.engine)
    system = SYSTEMS.get(option.gpu)
    if system is None:
        raise CodedError("opinion_gpu", gpu=option.gpu)
    ranks = option.tensor_parallel * option.data_parallel
    input_tokens, output_tokens = _tokens(option, asked)
    return Question(
        checkpoint=checkpoint,
        system=system,
        engine=asked.engine,
        number_format=number_format,
        cache_format=_cache_format(asked),
        tensor_parallel=option.tensor_parallel,
        pipeline_parallel=option.pipeline_parallel,
        data_parallel=option.data_parallel,
        expert_tensor_parallel=ranks // option.expert_parallel,
        expert_parallel=option.expert_parallel,
        batch=_batch(option, asked),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        step_tokens=min(input_tokens, asked.batched_tokens or input_tokens),
    )


def _running(answer: SizingAnswer) -> Option:
    """Return the first option, if the load runs on it."""
    if answer.training is not None:
        raise CodedError("opinion_training")
    option = answer.options[0] if answer.options else None
    if option is None or not is_running(option):
        raise CodedError("opinion_does_not_fit")
    return option


def _refuse_settings(option: Option, asked: Understood) -> None:
    """Raise CodedError for settings that change the speed and that it has no word for."""
    settings = {
        "mig": option.mig_profile is not None,
        "mixed_cards": bool(option.cards),
        "loras": asked.adapters > 0,
        "eager": asked.eager,
    }
    found = next((name for name, is_set in settings.items() if is_set), None)
    if found is not None:
        raise CodedError("opinion_setting", setting=found)


def _checkpoint(asked: Understood) -> tuple[str, str | None]:
    """Return the configuration of the model, and the format to ask it in where it has another."""
    known = {row.precision: row.name for row in CHECKPOINTS if asked.model_id in row.models}
    if not known:
        raise CodedError("opinion_model", model=asked.model)
    wanted = "bf16" if asked.precision in SIXTEEN_BITS else asked.precision
    if wanted in known:
        return known[wanted], None
    if wanted not in FORMATS or "bf16" not in known:
        raise CodedError("opinion_precision", model=asked.model, precision=asked.precision)
    return known["bf16"], FORMATS[wanted]


def _cache_format(asked: Understood) -> str:
    if asked.kv_precision not in CACHES:
        raise CodedError("opinion_cache", kv_precision=str(asked.kv_precision))
    return CACHES[asked.kv_precision]


def _tokens(option: Option, asked: Understood) -> tuple[int, int]:
    """Return prompt and answer of a request, the same that our own speed is for."""
    ours = option.performance
    if ours is not None and ours.input_tokens and ours.output_tokens:
        return ours.input_tokens, ours.output_tokens
    context_tokens = asked.context_tokens or 1
    told = SizingRequest(input_tokens=asked.input_tokens, output_tokens=asked.output_tokens)
    output_tokens = output_tokens_of(told, context_tokens)
    return max(1, context_tokens - output_tokens), output_tokens


def _batch(option: Option, asked: Understood) -> int:
    """Return the requests in flight of each copy of the attention, no more than fit."""
    ours, fitting = option.performance, option.max_concurrent_requests
    held = min(asked.concurrent_requests, fitting or asked.concurrent_requests)
    in_flight = ours.concurrent_requests if ours else held
    parts = option.replicas * option.data_parallel * option.pipeline_parallel
    return ceil_div(in_flight, parts)
