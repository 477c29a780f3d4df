"""Turn what the words said into one request, or into the error that says what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.grammar.canonical import format_request
from bot.grammar.commands import Ask
from bot.grammar.draft import SHAPE, Draft
from bot.grammar.errors import IncompleteRequestError, TwoModelsError
from bot.grammar.formats import ENGINE_FORMATS, says_bits_only
from bot.grammar.kinds import families_for_models, take_kinds
from bot.grammar.lexicon import Lexicon
from bot.grammar.meanings import is_one_of_several
from bot.grammar.modes import modes_of
from bot.grammar.read_counts import LONGEST_MILLIONS
from bot.grammar.read_pictures import picture_size, put_picture
from bot.grammar.slices import with_slices
from bot.grammar.unnamed import UnnamedModels
from bot.grammar.words import Words
from bot.names import compact
from bot.numbers import PARAMETER_SCALES
from sizing.errors import InvalidRequestError
from sizing.request import Goal, GpuChoice, SizingRequest

NAMELESS: Final = (*sorted(SHAPE), "attention", "experts", "active_parameters")
"""Fields that tell something of a model without a name only."""

MOST_LINES: Final = 3
"""Questions that are offered in place of an ambiguous one."""


def finish(draft: Draft, words: Words, lexicon: Lexicon) -> Ask:
    """Return the question.

    Raises SizingError where it names no model, or two, or contradicts itself.
    """
    _sides(draft, lexicon)
    if draft.goal is Goal.WHAT_FITS:
        families_for_models(draft, lexicon)
    model_ids = tuple(dict.fromkeys(model.model_id for model in draft.models))
    if not model_ids and "reference" not in draft.fields:
        if draft.goal is not Goal.SIZE:
            take_kinds(draft, words, lexicon)
        model_ids = UnnamedModels(draft, words, lexicon).resolve()
    sizes = _other_sizes(draft, model_ids, lexicon)
    engines, modes = _engines(draft, lexicon), modes_of(draft, words)
    precisions = _precisions(draft, lexicon)
    _note_leftovers(draft)
    request = draft.request(
        precision=_if_one(precisions),
        engine=_if_one(tuple(draft.engines)),
        mode=modes[0],
        goal=draft.goal,
        kinds=tuple(draft.kinds),
        families=tuple(draft.families),
        **_gpus(draft),
        **_lengths(draft),
        **_leftover_numbers(draft, has_model=bool(model_ids) or "reference" in draft.fields),
    )
    if not (model_ids or sizes or request.gpus or request.parameters or request.reference):
        draft.slices.refuse_alone()
    request = _one_subject(request, draft, model_ids, sizes, lexicon=lexicon)
    _only_one("two_precisions", [{"precision": one} for one in precisions], request)
    _only_one("two_engines", engines, request)
    _only_one("two_modes", [{"mode": one} for one in modes], request)
    gpus = with_slices(request.gpus, draft.slices, lexicon.gpus.records)
    request = request.model_copy(update={"gpus": gpus})
    return Ask(
        request=request, language=draft.language, private=draft.private, as_json=draft.as_json
    )


def _one_subject(
    request: SizingRequest,
    draft: Draft,
    model_ids: Sequence[str],
    sizes: Sequence[Mapping[str, object]],
    *,
    lexicon: Lexicon,
) -> SizingRequest:
    """Return the request about the one model or size that was named."""
    if model_ids or sizes or request.parameters or request.shape.is_countable or request.reference:
        request = _about_one_model(request)
    if request.reference:
        return _one_reference(request, model_ids)
    asked = [request.model_copy(update={"model_id": one, "parameters": None}) for one in model_ids]
    asked += [request.model_copy(update=one) for one in sizes]
    if not asked and request.parameters is None and not request.shape.is_countable:
        if request.goal is not Goal.SIZE and not draft.base:
            return _turned_round(request)
        if draft.base:
            return request
        raise IncompleteRequestError(partial=request, understood=format_request(request))
    if len(asked) > 1:
        lines = tuple(format_request(_own_precision(one, draft)) for one in asked[:MOST_LINES])
        raise TwoModelsError(word=_second_subject(draft), suggestions=lines)
    if not model_ids:
        return asked[0] if asked else request
    is_default = _is_default(draft, model_ids[0], lexicon)
    told = {"model_is_default": is_default, "checkpoint": draft.checkpoint(request.precision)}
    return asked[0].model_copy(update=told)


def _one_reference(request: SizingRequest, model_ids: Sequence[str]) -> SizingRequest:
    """Return the request about a model outside the catalogue; a size beside it changes nothing."""
    request = request.model_copy(update={"parameters": None})
    if model_ids:
        named = [
            request.model_copy(update={"reference": None, "model_id": one}) for one in model_ids
        ]
        lines = tuple(format_request(one) for one in (request, *named)[:MOST_LINES])
        raise TwoModelsError(word=request.reference or "", suggestions=lines)
    return request


def _about_one_model(request: SizingRequest) -> SizingRequest:
    """Return the request without what only a search for models needs."""
    goal = Goal.SIZE if request.goal is Goal.WHAT_FITS else request.goal
    return request.model_copy(update={"goal": goal, "kinds": (), "families": ()})


def _turned_round(request: SizingRequest) -> SizingRequest:
    """Return the question which models run on the named GPUs."""
    asked = request.model_copy(update={"goal": Goal.WHAT_FITS})
    if not asked.gpus and request.goal is Goal.WHAT_FITS:
        raise InvalidRequestError(reason="no_gpus")
    if not asked.gpus:
        raise IncompleteRequestError(partial=request, understood=format_request(request))
    if not asked.mixed_gpus:
        _only_one("two_gpu_sets", [{"gpus": (one,)} for one in asked.gpus], asked)
    return asked


def _is_default(draft: Draft, model_id: str, lexicon: Lexicon) -> bool:
    """Return whether nothing in the text tells the model from others of that name."""
    sizes = [size.parameters for size in draft.sizes]
    sizes += filter(None, (draft.fields.get("parameters"),))
    told = [size for size in sizes if lexicon.models.agrees(model_id, size)]
    return all(is_one_of_several(model_id, one.atoms, told, lexicon.models) for one in draft.models)


def _if_one(readings: Sequence[str]) -> str | None:
    return readings[0] if len(readings) == 1 else None


def _only_one(
    reason: str, readings: Sequence[Mapping[str, object]], request: SizingRequest
) -> None:
    """Raise InvalidRequestError with a question for each reading where there are several."""
    if len(readings) > 1:
        asked = (request.model_copy(update=reading) for reading in readings[:MOST_LINES])
        raise InvalidRequestError(reason=reason, suggestions=tuple(map(format_request, asked)))


def _other_sizes(
    draft: Draft, model_ids: tuple[str, ...], lexicon: Lexicon
) -> tuple[Mapping[str, object], ...]:
    """Return what the sizes tell that no named model explains, each once."""
    sizes: list[Mapping[str, object]] = []
    stated = draft.fields.get("parameters")
    if stated and not any(lexicon.models.agrees(one, stated) for one in model_ids):
        sizes.append({"parameters": stated})
    for size in draft.sizes:
        if model_ids and size.parameters <= LONGEST_MILLIONS and size.typed.endswith("m"):
            tokens = size.parameters // PARAMETER_SCALES["m"] * 1024**2
            draft.bare_context.setdefault(tokens, size.typed)
        elif not any(lexicon.models.agrees(one, size.parameters) for one in model_ids):
            sizes.append(size.told)
    return tuple(one for at, one in enumerate(sizes) if one not in sizes[:at])


def _own_precision(request: SizingRequest, draft: Draft) -> SizingRequest:
    """Leave a precision that is part of one model's name to that model."""
    owned = {one.model_id: one.precision for one in draft.models if one.precision}
    own = owned.get(request.model_id or "")
    if own:
        return request.model_copy(update={"precision": own})
    is_anothers = request.precision in owned.values()
    return request.model_copy(update={"precision": None}) if is_anothers else request


def _second_subject(draft: Draft) -> str:
    first_ids = draft.models[:1]
    others = [one for one in draft.models if first_ids and one.model_id != first_ids[0].model_id]
    if others:
        return others[0].typed
    return draft.sizes[-1].typed if draft.sizes else "params"


def _note_leftovers(draft: Draft) -> None:
    draft.ignore(*(left.typed for left in sorted(draft.leftovers, key=lambda one: one.position)))


def _leftover_numbers(draft: Draft, *, has_model: bool) -> dict[str, object]:
    """Return the fields that depend on what else was said."""
    resolved: dict[str, object] = {}
    if draft.own_adapters and "adapters" not in draft.fields:
        resolved["adapters"] = draft.fields.get("concurrent_requests", 1)
    for name in NAMELESS if has_model else ():
        if value := draft.fields.pop(name, None):
            draft.ignore(value.value if name == "attention" else f"{name}={value}")
    return resolved


def _engines(draft: Draft, lexicon: Lexicon) -> list[dict[str, object]]:
    """Return each engine named, with the precision that its users mean."""
    return [
        {"engine": one, "precision": _if_one(_precisions(draft, lexicon, engine=one))}
        for one in draft.engines
    ]


def _precisions(draft: Draft, lexicon: Lexicon, *, engine: str | None = None) -> tuple[str, ...]:
    """Return the precisions named; where a name says bits only, a scheme of these wins."""
    named = dict(draft.precisions)
    schemes = [one for one, typed in named.items() if not says_bits_only(typed)]
    for one, typed in draft.precisions.items():
        if one not in schemes and any(_is_kind_of(other, one, typed, lexicon) for other in schemes):
            del named[one]
    formats = ENGINE_FORMATS.get(engine or _engine_meant(draft, lexicon), {})
    files = ((one, formats.get(compact(typed), ())) for one, typed in named.items())
    return tuple(next(filter(None, map(lexicon.precisions.find, some)), one) for one, some in files)


def _engine_meant(draft: Draft, lexicon: Lexicon) -> str:
    """Return the engine named, else the usual one of the accelerators; empty for the default."""
    base = draft.base or SizingRequest()
    gpus = draft.gpus.resolved()[0] or base.gpus
    usual = {lexicon.usual_engines.get(choice.gpu or "", "") for choice in gpus}
    named = next(iter(draft.engines), base.engine)
    return named or (usual.pop() if len(usual) == 1 else "")


def _is_kind_of(scheme: str, generic: str, typed: str, lexicon: Lexicon) -> bool:
    return typed == "gguf" or lexicon.nominal_bits[scheme] == lexicon.nominal_bits[generic]


def _gpus(draft: Draft) -> dict[str, object]:
    """Return the accelerators; a loose number counts the one named without, else it is a most."""
    choices, mixed = draft.gpus.resolved()
    if not choices and len(set(draft.loose_memory)) == 1:
        choices = (GpuChoice(memory_gb=draft.loose_memory[0]),)
    else:
        draft.ignore(*(f"{size:g}gb" for size in draft.loose_memory))
    resolved: dict[str, object] = {"gpus": choices, "mixed_gpus": mixed}
    count = draft.loose_count
    if count and len(choices) == 1 and choices[0].count in {None, count}:
        resolved["gpus"] = (choices[0].model_copy(update={"count": count}),)
    elif count:
        resolved["max_gpus"] = draft.fields.get("max_gpus", count)
    return resolved


def _sides(draft: Draft, lexicon: Lexicon) -> None:
    """Read a number that stands alone beside a model of pictures as their side."""
    alone = [text for text in draft.bare_context.values() if picture_size(text)]
    base_id = draft.base.model_id if draft.base else None
    named = [model.model_id for model in draft.models] or [base_id or ""]
    is_pictured = any(model_id in lexicon.models.pictured for model_id in named)
    if is_pictured and len(alone) == 1 and "width_pixels" not in draft.fields:
        put_picture(draft, alone[0], alone[0])
        draft.bare_context.clear()


def _lengths(draft: Draft) -> dict[str, object]:
    """Return the context: stated, standing alone, or the sum of prompt and output."""
    stated = draft.fields.get("context_tokens")
    alone = tuple(draft.bare_context)
    prompt, output = draft.fields.get("input_tokens"), draft.fields.get("output_tokens")
    if stated is None and len(alone) > 1:
        raise InvalidRequestError(reason="given_twice", word=draft.bare_context[alone[1]])
    if stated is not None:
        draft.ignore(*(typed for tokens, typed in draft.bare_context.items() if tokens != stated))
    context = stated if stated is not None else next(iter(alone), None)
    if not (prompt and output):
        if context and max(prompt or 0, output or 0) > context:
            raise _mismatch(context, prompt or 0, output or 0)
        return {"context_tokens": context}
    if context not in {None, prompt + output}:
        raise _mismatch(context or 0, prompt, output)
    return {"context_tokens": prompt + output}


def _mismatch(context: int, prompt: int, output: int) -> InvalidRequestError:
    return InvalidRequestError(
        reason="context_mismatch",
        word=f"ctx={context}",
        context_tokens=context,
        input_tokens=prompt,
        output_tokens=output,
    )
