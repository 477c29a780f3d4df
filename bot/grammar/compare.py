"""Variants of one question: what a later one does not say, it takes from the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from bot.grammar.canonical import format_request
from bot.grammar.references import PLACE
from bot.text import fold
from sizing.errors import InvalidRequestError
from sizing.request import Goal, SizingRequest

VERBS: Final = frozenset({"compare", "comparar", "compara"})
MARKS: Final = (r"\|", r"\s(?:vs|versus|contra)\.?\s", r"\s(?:and|y)\s", r"\s(?:with|con)\s")
"""What stands between variants; a mark divides only where none of those before it is there."""

FEWEST, MOST = 2, 4
"""Variants that one table holds."""


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


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the variants of a question that is known: by the marks, else each word is one."""
    pieces = next(
        (found for mark in MARKS if len(found := re.split(mark, f" {text} ")) > 1), text.split()
    )
    return tuple(filter(None, map(str.strip, pieces)))


def beside(base: SizingRequest, named: tuple[SizingRequest, ...]) -> tuple[SizingRequest, ...]:
    """Return a question and variants of it, itself first unless a variant is the same.

    Raises InvalidRequestError for fewer than two, or too many.
    """
    lines = {format_request(one) for one in named}
    both = named if format_request(base) in lines else (base, *named)
    if not FEWEST <= len(both) <= MOST:
        raise InvalidRequestError(reason="compare_count")
    return both


def compared(
    variants: tuple[str, ...],
    read: Callable[[str], SizingRequest],
    change: Callable[[SizingRequest, str], SizingRequest],
) -> Iterator[SizingRequest]:
    """Yield the request of each variant; raise SizingError where one is not understood.

    `read` reads the first one, `change` what a later one says anew.
    """
    base = read(variants[0])
    if base.goal is Goal.WHAT_FITS:
        raise InvalidRequestError(reason="compare_models")
    yield base
    for variant in variants[1:]:
        yield _changed(base, variant, change)


def _changed(
    base: SizingRequest, variant: str, change: Callable[[SizingRequest, str], SizingRequest]
) -> SizingRequest:
    """Return a later variant; raise InvalidRequestError where its words change nothing."""
    try:
        return change(base, variant)
    except InvalidRequestError as error:
        if error.values.get("reason") != "nothing_changed":
            raise
        raise InvalidRequestError(reason="compare_count") from error
