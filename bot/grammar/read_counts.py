"""Numbers that say what they count: `20 usuarios`, `32k de contexto`, `30G RAM`, `21 t/s`."""

from __future__ import annotations

import re
from typing import Final

from bot import numbers
from bot.grammar.currencies import CODES, foreign_money
from bot.grammar.draft import Draft, Size
from bot.grammar.gpu_phrase import MEMORY
from bot.grammar.number_values import read_number
from bot.grammar.options import OptionTable
from bot.grammar.vocabulary import (
    ADAPTERS,
    ARRIVALS,
    ARRIVING,
    CONTEXT,
    DEVICES,
    FRAMES,
    IMAGES,
    IRRELEVANT_UNITS,
    NODES,
    RAM,
    RATES,
    SECONDS_OF,
    SPANS,
    STEPS,
    TOKENS,
    USERS,
    WEAK_MEMORY,
)
from bot.grammar.words import Words
from bot.names import word_set
from sizing.errors import InvalidRequestError

RANGE: Final = re.compile(r"(\d[\d.,]*k?)-(\d[\d.,]*k?)")
NUMBER: Final = re.compile(r"[+-]?\d[\d.,]*(?:k|m|b|t|gi?b?)?")
RATED: Final = re.compile(r"[\d.,]+(?:t/s|toks?/s|tokens?/s|tps)")
GLUED_RATE: Final = re.compile(r"([\d.,]+)(?:rps|qps|reqs?/s)")
MONEY: Final = re.compile(r"(?:us)?\$[\d.,]+[km]?(?:usd)?|[\d.,]+[km]?(?:usd|us\$|\$)")
NETWORK: Final = re.compile(r"[\d.,]+(?:gbps|gbe|gbits?|tbps)")
UNSIZED: Final = re.compile(r"[\d.,]+(?:k?w|k?va?|a|ph|hz|ghz|s|ms|min|h|tb|u|%)")
MIXTURE: Final = re.compile(r"(?P<experts>[1-9]\d{0,3})x(?P<total>\d[\d.,]*[bm])")
TOTAL_AND_ACTIVE: Final = re.compile(r"(?P<total>\d[\d.,]*[bt])-?a(?P<active>\d[\d.,]*[bm])")
ACTIVE: Final = re.compile(r"a(?P<active>\d[\d.,]*[bm])")
ACTIVE_WORDS: Final = word_set("active activos activated activados activo activa")
DOLLARS: Final = word_set("usd dolares dolar dollars dollar us$")
INPUT: Final = word_set("input prompt entrada in")
OUTPUT: Final = word_set("output salida out generados generated")
SIDES: Final = frozenset({"input", "entrada", "output", "salida"})
OF: Final = frozenset({"de", "of"})
EACH: Final = frozenset({"por", "per", "each", "cada", "every"})
PER: Final = EACH | frozenset({"al", "a", "la", "/"})
ARTICLES: Final = frozenset({"un", "una", "uno"})
HELD: Final = word_set("context contexto kv cache ram vram swap")
MOST_NODES: Final = 1000
"""Servers of one question that are believed."""

SHORTEST_CONTEXT: Final = 512
"""Tokens: a smaller number that stands alone is no length."""

CONTEXT_STEP: Final = 128
"""Tokens: a number that stands alone is a length only where it is a multiple, as lengths are."""

LONGEST_MILLIONS: Final = 10 * 10**6
"""Parameters below which `1M` beside a named model is a length; tokens from which it is a run."""

FIELDS_BY_UNIT: Final = (
    (USERS, "users"),
    (ARRIVALS, "rps"),
    (ADAPTERS, "loras"),
    (CONTEXT, "ctx"),
    (RAM, "ram"),
    (FRAMES, "frames"),
    (STEPS, "steps"),
    (IMAGES, "images"),
)
"""Units, and a key of the option that reads their number."""


def nodes_before(words: Words, position: int, draft: Draft) -> int:
    """Return the servers in `2 nodos de 8xH100`: 1 where none are told, 0 where not how many."""
    at = position - 1
    while words.key(at) in {"de", "of", "con", "with", "each"} and at > 0:
        at -= 1
    if words.key(at) not in NODES:
        return 1
    told = numbers.small_number(words.key(at - 1))
    if told:
        draft.heed(words.phrase(at - 1, 2))
    unsaid = 0 if words.key(at).endswith("s") else 1
    return min(told or unsaid, MOST_NODES)


class CountRules:
    """Rules for numbers with and without units."""

    def __init__(self, options: OptionTable, draft: Draft) -> None:
        self._options = options
        self._draft = draft

    def counted(self, words: Words, position: int) -> int:
        """Take a number together with the word that says what it counts."""
        word = words.key(position)
        if RATED.fullmatch(word):
            return 1
        if arriving := GLUED_RATE.fullmatch(word):
            return self._put("rps", arriving[1], word, 1)
        span = RANGE.fullmatch(word)
        if not (span or NUMBER.fullmatch(word) or word in numbers.NUMBER_WORDS):
            return 0
        number = span[2] if span else str(numbers.NUMBER_WORDS.get(word, word))
        unit_at = position + 1 + (words.key(position + 1) in OF)
        taken = self._with_unit(words, number, position, unit_at)
        if taken and span:
            self._draft.correct(span[0], number)
        return taken

    def _with_unit(self, words: Words, number: str, position: int, unit_at: int) -> int:
        unit, used = words.key(unit_at), unit_at - position + 1
        typed = words.phrase(position, used)
        if unit in RATES:
            return used
        if unit in TOKENS | SIDES or (unit in INPUT | OUTPUT and words.key(unit_at + 1) in TOKENS):
            return self._tokens(words, number, unit_at, used)
        if unit in ARRIVING and self._is_rate(words, unit_at):
            return self._arriving(words, number, position, unit_at)
        if unit in IMAGES and self._is_rate(words, unit_at):
            self._draft.ignore(typed)
            return used
        if key := next((key for units, key in FIELDS_BY_UNIT if unit in units), None):
            return self._with_synonyms(words, self._put(key, number, typed, used), position)
        if (unit in NODES or unit in IRRELEVANT_UNITS) and number[-1:] not in "bt":
            self._draft.ignore(typed)
            return used
        return 0

    def _arriving(self, words: Words, number: str, position: int, unit_at: int) -> int:
        """Take `3 requests per second`, `10.000 consultas al dia`; over longer it is no rate."""
        used, span = unit_at + 3 - position, words.key(unit_at + 2)
        typed = words.phrase(position, used)
        option = self._options.numbers["rps"]
        counted = read_number(option, number, typed=typed)
        if span not in SECONDS_OF or counted is None:
            self._draft.ignore(typed)
            return used
        rate = round(counted / SECONDS_OF[span], 6)
        self._draft.put(option.field, rate, typed)
        if SECONDS_OF[span] > 1:
            self._draft.correct(typed, f"rps={rate:g}")
        return used

    @staticmethod
    def _is_rate(words: Words, unit_at: int) -> bool:
        """Return whether images are told for a stretch of time: `1000 imagenes por hora`."""
        after = words.key(unit_at + 1) in PER and words.key(unit_at + 2)
        return bool(after) and after in SPANS

    @staticmethod
    def _with_synonyms(words: Words, taken: int, position: int) -> int:
        """Take up `concurrentes` after `20 usuarios`."""
        while taken and words.key(position + taken) in USERS:
            taken += 1
        return taken

    def _tokens(self, words: Words, number: str, unit_at: int, used: int) -> int:
        """Take `6048 tokens`, `1000 input tokens`, and of a training run `12b tokens`."""
        after = unit_at + 1 + (words.key(unit_at + 1) in OF)
        typed = words.phrase(unit_at - used + 1, used)
        if self._is_run(number):
            return self._put("tokens", number, typed, used)
        if number[-1:] in "bt":
            self._draft.ignore(typed)
            return used
        for names, key in ((INPUT, "in"), (OUTPUT, "out")):
            if words.key(unit_at) in names:
                return self._put(key, number, typed, used + (words.key(unit_at + 1) in TOKENS))
            if words.key(after) in names - {"in"}:
                return self._put(key, number, typed, used + after - unit_at)
        return self._put("ctx", number, typed, used)

    def _is_run(self, number: str) -> bool:
        """Return whether so many tokens are those of a whole training run."""
        told = numbers.quantity(number, numbers.RUN_SCALES)
        return self._draft.is_about_training and (told or 0) >= LONGEST_MILLIONS

    def _put(self, key: str, number: str, typed: str, used: int) -> int:
        option = self._options.numbers[key]
        value = read_number(option, number, typed=typed)
        if value is None:
            return 0
        self._draft.put(option.field, value, typed)
        return used

    def devices(self, words: Words, position: int) -> int:
        """Take a number of accelerators that no name follows: `4 GPUs`."""
        count = numbers.small_number(words.key(position))
        if count is None or words.key(position + 1) not in DEVICES:
            return 0
        typed = words.phrase(position, 2)
        if count < 1:
            raise InvalidRequestError(reason="not_positive", word=typed)
        nodes = nodes_before(words, position, self._draft)
        if words.key(position) in ARTICLES:
            return 2
        if nodes and not self._per_node(words, position + 2):
            self._draft.loose_count = count * nodes
        else:
            self._draft.ignore(typed)
        return 2

    @staticmethod
    def _per_node(words: Words, position: int) -> bool:
        return words.key(position) in EACH and words.key(position + 1) in NODES

    def amount(self, words: Words, position: int) -> int:
        """Take a number that its own unit, or its size, explains."""
        word = words.key(position)
        if not word[:1].isdigit() and word[:1] not in "$€£¥u+-" and word not in CODES:
            return 0
        return (
            self._money(words, position)
            or self._network(word)
            or self._size(words, position)
            or self._memory(words, position)
            or self._length(word)
            or self._unsized(words, position)
        )

    def _money(self, words: Words, position: int) -> int:
        word, unit = words.key(position), words.key(position + 1)
        if used := foreign_money(*words.keys[position : position + 3]):
            raise InvalidRequestError(reason="currency", word=words.phrase(position, used))
        if MONEY.fullmatch(word):
            return self._put("budget", word, word, 1 + (unit in DOLLARS))
        if NUMBER.fullmatch(word) and unit in DOLLARS:
            return self._put("budget", word, words.phrase(position, 2), 2)
        return 0

    def _network(self, word: str) -> int:
        return self._put("net", word, word, 1) if NETWORK.fullmatch(word) else 0

    def _size(self, words: Words, position: int) -> int:
        """Take a size, of a mixture its parts: `8x13b`, `120b-a12b`, `120b a12b`."""
        word = words.key(position)
        found = TOTAL_AND_ACTIVE.fullmatch(word) or MIXTURE.fullmatch(word)
        told = found.groupdict() if found else {"total": word}
        size = numbers.parameters(told["total"])
        if not size:
            return 0
        active, used = self._active(words, position, told.get("active"))
        experts = int(told["experts"]) if told.get("experts") else None
        self._draft.sizes.append(Size(size, word, position, experts, active))
        return used

    @staticmethod
    def _active(words: Words, position: int, glued: str | None) -> tuple[int | None, int]:
        """Return the active parameters that a size or the word behind it tells, and words used."""
        if glued:
            return numbers.parameters(glued), 1
        after = words.key(position + 1)
        if marked := ACTIVE.fullmatch(after):
            return numbers.parameters(marked["active"]), 2
        at = position + 1 + (after in {"con", "with", "y", "and"})
        if words.key(at + 1) in ACTIVE_WORDS and (active := numbers.parameters(words.key(at))):
            return active, at + 2 - position
        return None, 1

    def _memory(self, words: Words, position: int) -> int:
        """Take a memory size that may stand for a card, unless it is told as a need."""
        word = words.key(position)
        size = MEMORY.fullmatch(word)
        if not size:
            return 0
        after = position + 1 + (words.key(position + 1) in OF)
        before = words.before(position, 1)
        about_card = set(words.before(position, 3)) & DEVICES or words.key(position + 1) in DEVICES
        told_as_need = bool(before) and before[0] in WEAK_MEMORY
        if (told_as_need and not about_card) or words.key(after) in HELD - {"vram"}:
            self._draft.ignore(word)
        elif float(size[1]) > 0:
            self._draft.loose_memory.append(float(size[1]))
        return 1

    def _length(self, word: str) -> int:
        tokens = numbers.quantity(word, numbers.TOKEN_SCALES)
        is_round = tokens is not None and tokens >= SHORTEST_CONTEXT and not tokens % CONTEXT_STEP
        if tokens is None or not is_round or word.startswith(("+", "-")):
            return 0
        self._draft.bare_context.setdefault(round(tokens), word)
        return 1

    def _unsized(self, words: Words, position: int) -> int:
        if not UNSIZED.fullmatch(words.key(position)):
            return 0
        self._draft.ignore(words.typed[position])
        return 1
