"""Numbers that say what they count: `20 usuarios`, `32k de contexto`, `30G RAM`, `21 t/s`."""

from __future__ import annotations

import re
from typing import Final

from bot import numbers
from bot.grammar.draft import Draft, Size
from bot.grammar.gpu_phrase import MEMORY, MOST_DEVICES, UNITS
from bot.grammar.vocabulary import (
    ADAPTERS,
    ARRIVALS,
    CONTEXT,
    DEVICES,
    IRRELEVANT_UNITS,
    NODES,
    RAM,
    RATES,
    TOKENS,
    USERS,
    WEAK_MEMORY,
)
from bot.grammar.words import Words
from sizing.errors import InvalidRequestError

RANGE: Final = re.compile(r"(\d[\d.,]*k?)-(\d[\d.,]*k?)")
RATED: Final = re.compile(r"[\d.,]+(?:t/s|toks?/s|tokens?/s|tps)")
MONEY: Final = re.compile(r"(?:us\$|\$).+|[\d.,]+[km]?(?:usd|us\$|\$)")
OTHER_MONEY: Final = re.compile(r"(?:€|£)[\d.,]+[km]?|[\d.,]+[km]?(?:€|£|eur|euros?)")
NETWORK: Final = re.compile(r"[\d.,]+(?:gbps|gbe|gbits?|tbps)")
ELECTRIC: Final = re.compile(r"[\d.,]+k?(?:w|v|a|va|ph|hz)")
DOLLARS: Final = frozenset("usd dolares dolar dollars dollar us$".split())
EUROS: Final = frozenset("eur euro euros € utm clp mxn ars cop pen soles pesos".split())
INPUT: Final = frozenset("input prompt entrada in".split())
OUTPUT: Final = frozenset("output salida out generados generated".split())
SHORTEST_CONTEXT: Final = 512
"""Tokens: a smaller number that stands alone is no length."""

CONTEXT_STEP: Final = 128
"""Tokens: a number that stands alone is a length only where it is a multiple, as lengths are."""

LONGEST_MILLIONS: Final = 10
"""Millions of tokens: beyond that, `270M` is the size of a model."""


class CountRules:
    """Rules for numbers with and without units."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._nodes: tuple[int, int] | None = None

    def counted(self, words: Words, position: int) -> int:
        """Take a number together with the words that say what it counts."""
        word = words.key(position)
        if RATED.fullmatch(word):
            return 1
        unit_at = position + 1
        while words.key(unit_at) in {"de", "of", "concurrent", "active", "max"} and (
            unit_at - position < 3  # noqa: PLR2004
        ):
            unit_at += 1
        unit = words.key(unit_at)
        if word in numbers.NUMBER_WORDS and unit not in USERS | ADAPTERS | NODES | DEVICES:
            return 0
        span = RANGE.fullmatch(word)
        number = span[2] if span else word
        handler = self._handler(unit, words.key(unit_at + 1), words.key(unit_at + 2))
        if not handler or not (number[:1].isdigit() or number in numbers.NUMBER_WORDS or (
            number[:1] in "+-" and number[1:2].isdigit()
        )):
            return 0
        phrase = words.phrase(position, unit_at - position + 1)
        if not self._take(handler, number, phrase):
            return 0
        if span:
            self._draft.correct(word, number)
        return unit_at - position + 1 + self._tail(handler, words, unit_at + 1)
