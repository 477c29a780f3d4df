"""Options with a key: `ctx=8k`, `--users 20`, `contexto de 32k`, `tp8`."""

from __future__ import annotations

import re
from typing import Final

from bot.grammar.currencies import foreign_money
from bot.grammar.draft import Draft
from bot.grammar.lexicon import Lexicon
from bot.grammar.number_values import check_direction, read_number
from bot.grammar.options import FLAGS, HARMLESS
from bot.grammar.vocabulary import FILLERS
from bot.grammar.word_values import WordValues
from bot.grammar.words import Words
from bot.names import word_set
from sizing.errors import InvalidRequestError
from sizing.spending import Means

KEYED: Final = re.compile(
    r"-{0,2}(?P<key>[a-z][\w/.-]*?)(?P<operator><=|>=|==|=|<|>|:)(?P<value>.*)"
)
CLAIMED: Final = re.compile(r"(?P<subject>[\w.:-]*\d[\w.-]*)(?:<=|>=|=|<|>)(?P<claim>.*)")
DASHED: Final = re.compile(r"-{1,2}(?P<key>[a-z][\w/-]*)")
PARALLEL: Final = re.compile(r"(?P<key>tp|pp|ep)-?(?P<value>\d{1,6})")
NUMERIC: Final = re.compile(r"[+-]?[\d.,]+[a-z%/€]{0,6}|[$€][\d.,]+[km]?")
SWITCHES: Final = {
    "eager": "eager", "prefix-caching": "prefix_caching", "disaggregated": "disaggregated",
}  # fmt: skip
"""Words that need no value, and the fields of the request that they set."""

FLAG_FIELDS: Final = {**SWITCHES, "kv-host": "kv_in_host", "api": "wants_api"}
"""The same, with words that count as options only behind a dash."""

NAMES: Final = frozenset({"model", "gpu"})
"""Kinds of options whose value is read on from the words that follow."""

MONEY: Final = frozenset({"budget_usd", "electricity_usd_per_kwh"})
"""Fields in US dollars."""

TRUE: Final = frozenset({"", "1", "true", "yes", "si", "on"})
KEYED_ONLY: Final = word_set(
    "in out input output prompt entrada salida gpus params parameters parametros length tps t/s"
    " tok/s tokens/s rps qps req/s fraction c active activos activated experts expertos layers"
    " capas hidden heads cabezas ffn intermediate vocab vocabulary vocabulario r lora-r lora-rank"
    " seconds segundos audio duration duracion images imagenes steps pasos"
    " draft borrador accept acceptance aceptacion"
    " tokens train-tokens training-tokens tokens-de-entrenamiento"
    " kwh usd/kwh electricity electricidad pue years anos amortization amortizacion"
    " hours horas hours/day horas/dia"
)
"""Number keys that are plain words, or units, in a sentence."""

SPOKEN_COUNTS: Final = word_set("users usuarios requests peticiones sessions sesiones")
"""Keys after which, in a sentence, only a plain number is theirs: `several users 32k`."""

LONGEST_KEY: Final = 4
"""Words that a key may have in a sentence: `max model len`."""

MOST_FILLERS: Final = 2
"""Words between a key and its value."""


class OptionRules:
    """Rules for what is said with a key."""

    def __init__(self, lexicon: Lexicon, draft: Draft) -> None:
        self._options = lexicon.options
        self._draft = draft
        self._values = WordValues(lexicon, draft)

    def prepare(self, words: Words) -> None:
        """Set aside claims such as `8x22B = 176B?` and slices such as `h100:3g.40gb`."""
        for position, word in enumerate(words.keys):
            if self._draft.slices.set_aside(words, position):
                continue
            if (claim := CLAIMED.fullmatch(word)) and not self._options.knows(claim["subject"]):
                words.replace(position, claim["subject"])
                self._draft.ignore(claim["claim"])

    def keyed(self, words: Words, position: int) -> int:
        """Take `key=value`, `key:value`, `key<value`, `--key value` and `--flag`."""
        word = words.key(position)
        if found := KEYED.fullmatch(word):
            return self._with_operator(words, position, found)
        if dashed := DASHED.fullmatch(word):
            return self._dashed(words, position, dashed["key"].replace("_", "-"))
        return 0

    def _with_operator(self, words: Words, position: int, found: re.Match[str]) -> int:
        key, operator = found["key"].replace("_", "-").strip("-"), found["operator"]
        typed, value = words.typed[position], found["value"]
        if key in self._options.numbers:
            self._refuse_currency(key, value, words, position)
            return self._number(key, operator, value, typed)
        if kind := self._options.words.get(key):
            return self._values.take(kind, value, words, position)
        if key in FLAGS:
            return self._set_flag(FLAGS[key]) if value in TRUE else self._unset_flag(FLAGS[key])
        if operator == ":":
            return 0
        return self._unknown(f"{key}{operator}{value}", words, position, typed=typed)

    def _number(self, key: str, operator: str, value: str, typed: str) -> int:
        option = self._options.numbers[key]
        check_direction(option, operator, typed=typed)
        number = read_number(option, value, typed=typed)
        if number is None:
            raise InvalidRequestError(reason="bad_value", word=typed)
        if option.field == "max_gpus" and operator == "<":
            number -= 1
            if number < 1:
                raise InvalidRequestError(reason="not_positive", word=typed)
        if option.field == "max_gpus" and operator in {"=", "==", ":", ">="}:
            self._draft.loose_count = int(number)
            return 1
        self._draft.put(option.field, number, typed)
        return 1

    def _unknown(self, option: str, words: Words, position: int, *, typed: str) -> int:
        """Read a mistyped key of a word option; refuse a number nobody knows the meaning of."""
        key, operator, value = re.split(r"([<>=]+)", option, maxsplit=1)
        near = None if key in HARMLESS else self._options.near(key)
        if near in self._options.words and near:
            self._draft.correct(key, near)
            return self._values.take(self._options.words[near], value, words, position)
        if key not in HARMLESS and (near or NUMERIC.fullmatch(value)):
            suggestions = (f"{near}{operator}{value}",) if near else ()
            raise InvalidRequestError(reason="unknown_key", word=typed, suggestions=suggestions)
        self._draft.ignore(typed)
        return 1

    def _dashed(self, words: Words, position: int, key: str) -> int:
        value = words.key(position + 1)
        typed = words.phrase(position, 2)
        if key in FLAGS:
            return self._set_flag(FLAGS[key])
        if key in self._options.numbers:
            self._refuse_currency(key, value, words, position + 1)
            return self._number(key, "=", value, typed) + 1
        if kind := self._options.words.get(key):
            if kind in NAMES and position + 1 == len(words):
                self._draft.ignore(words.typed[position])
                return 1
            words.replace(position, "")
            return 1 + self._values.take(kind, value, words, position + 1)
        if key in HARMLESS:
            has_value = value != "" and not value.startswith("-")
            self._draft.ignore(words.phrase(position, 1 + has_value))
            return 1 + has_value
        if self._values.names_something(key):
            words.replace(position, key)
            return 0
        if NUMERIC.fullmatch(value):
            return self._unknown(f"{key}={value}", words, position, typed=typed)
        self._draft.ignore(words.typed[position])
        return 1

    def in_sentence(self, words: Words, position: int) -> int:
        """Take a key and its value as people say them: `contexto de 32k`, `tp 8`."""
        if found := PARALLEL.fullmatch(words.key(position)):
            return self._number(found["key"], "=", found["value"], words.typed[position])
        for length in range(LONGEST_KEY, 0, -1):
            key = "-".join(words.keys[position : position + length]).replace("_", "-")
            is_pool = self._options.words.get(key) == "pool"
            if (key in self._options.numbers and key not in KEYED_ONLY) or is_pool:
                return self._value_after(words, position, length, key)
        return 0

    def _value_after(self, words: Words, position: int, length: int, key: str) -> int:
        at = position + length
        while words.key(at) in FILLERS and at - position - length < MOST_FILLERS:
            at += 1
        used = at - position + 1
        value, typed = words.key(at), words.phrase(position, used)
        if not NUMERIC.fullmatch(value):
            return 0
        if key in SPOKEN_COUNTS and not value.isdigit():
            return 0
        if key not in self._options.numbers:
            return used if self._values.take("pool", value, words, position) else 0
        option = self._options.numbers[key]
        self._refuse_currency(key, value, words, at)
        number = read_number(option, value, typed=typed)
        if number is None:
            return 0
        self._draft.put(option.field, number, typed)
        return used

    def flag(self, words: Words, position: int) -> int:
        """Take a word that needs no value: `eager`, `buy`."""
        kind = FLAGS.get(words.key(position))
        return self._set_flag(kind) if kind in {*SWITCHES, *Means} and kind else 0

    def _set_flag(self, kind: str) -> int:
        if kind == "private":
            self._draft.private = True
        elif kind == "json":
            self._draft.as_json = True
        elif kind in FLAG_FIELDS:
            self._draft.fields[FLAG_FIELDS[kind]] = True
        elif kind in set(Means):
            self._draft.means[Means(kind)] = None
        return 1

    def _unset_flag(self, kind: str) -> int:
        if kind in FLAG_FIELDS:
            self._draft.cleared.add(FLAG_FIELDS[kind])
        return 1

    def _refuse_currency(self, key: str, value: str, words: Words, at: int) -> None:
        """Refuse money in another unit; `at` is the last word that the option takes."""
        is_money = self._options.numbers[key].field in MONEY
        if is_money and (used := foreign_money(value, *words.keys[at + 1 : at + 3])):
            behind = words.typed[at + 1 : at + used]
            raise InvalidRequestError(reason="currency", word=" ".join((value, *behind)))
