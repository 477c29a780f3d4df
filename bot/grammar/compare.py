"""Variants of one question: what a later one does not say, it takes from the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from bot.grammar.errors import IncompleteRequestError
from bot.grammar.references import PLACE
from bot.text import fold
from sizing.errors import InvalidRequestError
from sizing.request import Goal, SizingRequest, Targets
from sizing.spending import Spending

VERBS: Final = frozenset({"compare", "comparar", "compara"})
MARKS: Final = (r"\|", r"\s(?:vs|versus|contra)\.?\s", r"\s(?:and|y)\s", r"\s(?:with|con)\s")
"""What stands between variants; a mark divides only where none of those before it is there."""

FEWEST, MOST = 2, 4
"""Variants that one table holds."""

MODEL: Final = (
    "model_id", "reference", "model_is_default", "parameters", "experts", "active_parameters",
    "shape", "attention",
)  # fmt: skip
"""Fields that say which model: of one variant, never of two."""

SPLIT: Final = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel")
"""Fields that belong to the GPUs they were said with."""

LENGTHS: Final = ("context_tokens", "input_tokens", "output_tokens")

Wishes = TypeVar("Wishes", Targets, Spending)

DEFAULTS: Final = {name: field.default for name, field in SizingRequest.model_fields.items()}


def without_compare(text: str) -> str | None:
    """Return what is to be compared; None where a cleaned line does not ask for that.

    `--file` puts a model before or behind all other words: it belongs to the first variant.
    """
    words = text.split()
    places = [place for place, word in enumerate(words[:2]) if fold(word) in VERBS]
    if not places or (places == [1] and not words[0].startswith(PLACE)):
        return None
    rest = [*words[: places[0]], *words[places[0] + 1 :]]
    if rest and rest[-1].startswith(PLACE) and sum(word.startswith(PLACE) for word in rest) == 1:
        rest = [rest[-1], *rest[:-1]]
    return " ".join(rest)


def variants_in(text: str) -> tuple[str, ...]:
    """Return the variants of a line; raise InvalidRequestError for fewer than two, or too many."""
    pieces = next(
        (found for mark in MARKS if len(found := re.split(mark, f" {text} ")) > 1), [text]
    )
    named = tuple(filter(None, map(str.strip, pieces)))
    if not FEWEST <= len(named) <= MOST:
        raise InvalidRequestError(reason="compare_count")
    return named


def compared(
    variants: tuple[str, ...], read: Callable[[str], SizingRequest]
) -> Iterator[SizingRequest]:
    """Yield the request of each variant; raise SizingError where one is not understood."""
    base = _question(read(variants[0]))
    yield base
    for variant in variants[1:]:
        try:
            said = read(variant)
        except IncompleteRequestError as error:
            said = error.partial
        yield merged(base, _question(said))


def merged(base: SizingRequest, said: SizingRequest) -> SizingRequest:
    """Return `said` with what it leaves open taken from `base`."""
    changed = {name: value for name, value in said if value != DEFAULTS[name]}
    if said.model_id or said.reference or said.parameters or said.shape.is_countable:
        changed |= _all_of(said, MODEL)
    if said.gpus:
        changed |= _all_of(said, ("gpus", "mixed_gpus", *SPLIT))
    changed |= _lengths(base, said)
    changed |= {
        "targets": _joined(base.targets, said.targets),
        "spending": _joined(base.spending, said.spending),
        **_all_of(said, ("read_as", "ignored")),
    }
    return base.model_copy(update=changed)


def _joined(base: Wishes, said: Wishes) -> Wishes:
    """Return the wishes of `base` with those that `said` names in their place."""
    named = {name: value for name, value in said if value != type(said).model_fields[name].default}
    return base.model_copy(update=named)


def _question(request: SizingRequest) -> SizingRequest:
    if request.goal is Goal.WHAT_FITS:
        raise InvalidRequestError(reason="compare_models")
    return request


def _all_of(said: SizingRequest, names: tuple[str, ...]) -> dict[str, object]:
    return {name: getattr(said, name) for name in names}


def _lengths(base: SizingRequest, said: SizingRequest) -> Mapping[str, int | None]:
    """Return context, prompt and output in agreement; a context alone leaves its parts open."""
    if not (said.input_tokens or said.output_tokens):
        context = {"context_tokens": said.context_tokens}
        return (
            context | {"input_tokens": None, "output_tokens": None} if said.context_tokens else {}
        )
    prompt = said.input_tokens or base.input_tokens
    output = said.output_tokens or base.output_tokens
    context_tokens = said.context_tokens or base.context_tokens
    if prompt and output:
        context_tokens = prompt + output
    elif context_tokens is not None and context_tokens < max(prompt or 0, output or 0):
        context_tokens = None
    return dict(zip(LENGTHS, (context_tokens, prompt, output), strict=True))
