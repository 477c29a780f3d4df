"""Words that change a question: what they say takes the place of what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Final

from bot.grammar.commands import Ask
from bot.grammar.draft import Draft
from bot.grammar.finish import NAMELESS, finish
from bot.grammar.lexicon import Lexicon
from bot.grammar.scan import scan
from bot.grammar.words import Words
from sizing.errors import InvalidRequestError
from sizing.records import Record
from sizing.request import Goal, Mode, SizingRequest
from sizing.tuning import Tuning

MODEL: Final = (
    "model_id", "reference", "given", "checkpoint", "model_is_default", "parameters", "experts",
    "active_parameters", "shape", "attention",
)  # fmt: skip
"""Fields that say which model: of one question, never of two."""

SPLIT: Final = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel")
"""Fields that belong to the GPUs they were said with."""

OF_GPUS: Final = ("gpus", "mixed_gpus", "max_gpus", *SPLIT)
"""Fields that say which GPUs, and how the model is spread over them."""

LOADS: Final = ("concurrent_requests", "requests_per_s")
"""Fields that say one load in two ways."""

OF_A_RUN: Final = ("tuning", "adapter_rank")
"""Fields that say how a model is trained."""

LENGTHS: Final = ("context_tokens", "input_tokens", "output_tokens")

MOST_OF: Final = {Goal.MAX_CONTEXT: LENGTHS, Goal.MAX_REQUESTS: LOADS}
"""What is asked for by a goal, and not any more once it is told."""

OF_THE_TEXT: Final = frozenset({"read_as", "ignored"})
"""Fields about the words themselves."""

DEFAULTS: Final = {name: field.default for name, field in SizingRequest.model_fields.items()}


def changed(base: SizingRequest, words: Words, lexicon: Lexicon) -> Ask:
    """Return the question `base` as words change it; what they leave open stays as it was asked.

    Raises SizingError where they are not understood, or say nothing that changes a question.
    """
    if not len(words):
        raise InvalidRequestError(reason="nothing_said")
    draft = scan(words, lexicon, base)
    said = finish(draft, words, lexicon).request
    told = _told(said, SizingRequest(), frozenset(draft.fields) | draft.cleared)
    if not (told or draft.loose_count or draft.modes or draft.cleared):
        raise InvalidRequestError(reason="nothing_changed", word=" ".join(words.typed))
    if said.goal is Goal.WHAT_FITS:
        raise InvalidRequestError(reason="compare_models")
    return Ask(
        request=_merged(base, said, draft, told),
        language=draft.language,
        private=draft.private,
        as_json=draft.as_json,
    )


def _merged(
    base: SizingRequest, said: SizingRequest, draft: Draft, told: Mapping[str, Any]
) -> SizingRequest:
    """Return `base` with what was said in its place, and without what that rules out."""
    is_model = bool(said.model_id or said.reference or said.parameters or said.shape.is_countable)
    # What tells of a model without a name says nothing of one that has a name.
    unheeded = NAMELESS if (base.model_id or base.reference) and not is_model else ()
    update = _gpus(base, said, draft) | _mode(base, said)
    if is_model:
        update |= _all_of(said, MODEL)
    elif "precision" in told and said.precision != base.precision:
        update["checkpoint"] = None
    if any(name in told for name in LOADS):
        update |= dict.fromkeys(LOADS)
    kept = base.model_copy(update=update)
    named = (frozenset(draft.fields) | draft.cleared).difference(unheeded)
    passed_over = {*unheeded, *OF_THE_TEXT, *LENGTHS, *update, "goal", "mode"} - {
        *LOADS,
        "tuning",
        "adapter_rank",
    }
    update |= _told(said, kept, named, passed_over)
    update |= _lengths(base, said) | {"goal": _goal(base, said, told)}
    ignored = (f"{name}={draft.fields[name]}" for name in unheeded if name in draft.fields)
    update |= {"read_as": said.read_as, "ignored": (*said.ignored, *ignored), "as_of": None}
    return base.model_copy(update=update)


def _gpus(base: SizingRequest, said: SizingRequest, draft: Draft) -> dict[str, Any]:
    """Return the GPUs anew where they were named, or their number alone."""
    if said.gpus or "gpus" in draft.cleared:
        return _all_of(said, OF_GPUS)
    count = draft.loose_count
    if count and len(base.gpus) == 1:
        gpus = (base.gpus[0].model_copy(update={"count": count}),)
        return _all_of(said, OF_GPUS) | {"gpus": gpus, "max_gpus": base.max_gpus}
    return {}


def _mode(base: SizingRequest, said: SizingRequest) -> dict[str, Any]:
    """Return what a change of mode sets: settings of one kind of run are not those of another."""
    if said.mode is base.mode:
        return {}
    if base.mode is Mode.INFER:
        return {"mode": said.mode}
    # Another kind of run keeps how it is shared out, not which parameters it trains.
    kept = base.tuning.model_copy(update={"tuner": None, "targets": None})
    tuning = Tuning() if said.mode is Mode.INFER else kept
    return {"mode": said.mode, "adapter_rank": None, "tuning": tuning}


def _goal(base: SizingRequest, said: SizingRequest, told: Mapping[str, Any]) -> Goal:
    if said.goal is not Goal.SIZE:
        return said.goal
    is_answered = any(name in told for name in MOST_OF.get(base.goal, ()))
    return Goal.SIZE if is_answered else base.goal


def _told(
    said: Record, base: Record, named: Set[str], passed_over: Set[str] = OF_THE_TEXT
) -> dict[str, Any]:
    """Return what was said, below `base` where it stands in a part of its own.

    A value that is the default counts only where it was `named`.
    """
    update: dict[str, Any] = {}
    for name, field in type(said).model_fields.items():
        value, default = getattr(said, name), field.get_default(call_default_factory=True)
        if name in passed_over:
            continue
        if isinstance(default, Record):
            part = getattr(base, name)
            if inner := _told(value, part, named, passed_over):
                update[name] = part.model_copy(update=inner)
        elif name in named or value != default:
            update[name] = value
    return update


def _all_of(said: SizingRequest, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(said, name) for name in names}


def _lengths(base: SizingRequest, said: SizingRequest) -> dict[str, int | None]:
    """Return context, prompt and output in agreement; a context alone leaves its parts open."""
    if not (said.input_tokens or said.output_tokens):
        context: dict[str, int | None] = {"context_tokens": said.context_tokens}
        return dict.fromkeys(LENGTHS) | context if said.context_tokens else {}
    prompt = said.input_tokens or base.input_tokens
    output = said.output_tokens or base.output_tokens
    context_tokens = said.context_tokens or base.context_tokens
    if prompt and output:
        context_tokens = prompt + output
    elif context_tokens is not None and context_tokens < max(prompt or 0, output or 0):
        context_tokens = None
    return dict(zip(LENGTHS, (context_tokens, prompt, output), strict=True))
