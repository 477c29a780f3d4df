"""Money in another unit than the US dollar: currencies, and units of account of public buyers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.names import word_set
from bot.numbers import COUNT_SCALES, quantity
from bot.text import WORDED_SCALES, fold

CODES: Final = word_set(
    "eur gbp chf sek nok dkk pln czk huf ron jpy cny rmb inr krw twd sgd hkd aud nzd cad zar try"
    " clp mxn ars cop pen brl uyu bob pyg crc gtq dop hnl nio ves"
    " uf utm uta uva udi uma uit"
)
"""ISO 4217 codes, and units of account: UF, UTM and UTA (Chile), UVA, UDI, UMA, UIT."""

NAMES: Final = word_set(
    "euro euros pound pounds libra libras peso pesos sol soles reais reales boliviano bolivianos"
    " guarani guaranies colon colones quetzal quetzales lempira lempiras yen yenes yuan yuanes"
    " rupee rupees rupia rupias franc francs franco francos corona coronas"
)
"""Words for them."""

NAMED: Final = {"euro": "eur", "euros": "eur", "pound": "gbp", "pounds": "gbp"}
"""Codes of the words that mean one currency alone."""

SIGNS: Final = {"€": "eur", "£": "gbp", "¥": "jpy"}
NUMBER: Final = r"[\d.,]*\d[km]?"
CODE: Final = "|".join(sorted(CODES, key=len, reverse=True))
GLUED: Final = re.compile(
    rf"(?P<sign>[€£¥])?(?P<before>{CODE})?\$?(?P<number>{NUMBER})(?P<after>{CODE}|[€£¥])?"
)
PLAIN: Final = re.compile(NUMBER)
UNITS: Final = CODES | NAMES | frozenset(SIGNS)
OF: Final = frozenset({"de", "of"})


def foreign_money(*words: str) -> int:
    """Return how many of the words are an amount in another unit than the US dollar; 0 for none.

    The first of them holds the number, or the unit in front of it: `500utm`, `500 utm`,
    `20m de pesos`, `clp 20000`.
    """
    first, second, third = (*words, "", "", "")[:3]
    if unit_of(first):
        return 1
    if first in CODES and PLAIN.fullmatch(second):
        return 2
    if not PLAIN.fullmatch(first):
        return 0
    if second in UNITS:
        return 2
    return 3 if second in OF and third in UNITS else 0


def unit_of(word: str) -> str | None:
    """Return the unit that a number carries with it, as its code; None for dollars and no unit."""
    found = GLUED.fullmatch(word)
    unit = found and (found["before"] or found["after"] or found["sign"])
    return SIGNS.get(unit, unit) if unit else None


@dataclass(frozen=True)
class Amount:
    """An amount in another unit than the US dollar, in a line of words."""

    position: int
    """Its first word."""

    words: int
    """Words that it takes."""

    key: str
    """What stands before it in its first word: `budget=`."""

    number: float
    """How many of the unit."""

    unit: str
    """The unit, its code where it is known."""

    typed: str
    """The amount as typed."""


def amounts_in(text: str) -> tuple[Amount, ...]:
    """Return the amounts of a line that are in another unit than the US dollar."""
    return tuple(_amounts(_scaled(text).split()))


def units_in(text: str) -> Mapping[str, str]:
    """Return the units of the amounts of a line, and an amount in each as typed."""
    return {amount.unit: amount.typed for amount in amounts_in(text)}


def in_dollars(text: str, usd_per_unit: float) -> str:
    """Return a line with each such amount as US dollars, at the rate that was told."""
    words = _scaled(text).split()
    for amount in reversed(amounts_in(text)):
        usd = f"{amount.key}{amount.number * usd_per_unit:.2f}usd"
        words[amount.position : amount.position + amount.words] = [usd]
    return " ".join(words)


def without_amounts(text: str) -> str:
    """Return a line without such amounts; the words that led to them stay."""
    words = _scaled(text).split()
    for amount in reversed(amounts_in(text)):
        del words[amount.position : amount.position + amount.words]
    return " ".join(words)


def _scaled(text: str) -> str:
    """Return a line with its worded scales as letters: `20 millones` is `20m`."""
    for scale, letter in WORDED_SCALES:
        text = scale.sub(letter, text)
    return text


def _amounts(words: Sequence[str]) -> Iterator[Amount]:
    position = 0
    while position < len(words):
        key, mark, value = words[position].rpartition("=")
        parts = (value, *words[position + 1 : position + 3])
        used = foreign_money(*map(fold, parts))
        if found := _amount(parts[:used]) if used else None:
            number, unit = found
            yield Amount(position, used, key + mark, number, unit, " ".join(parts[:used]))
        position += used or 1


def _amount(parts: Sequence[str]) -> tuple[float, str] | None:
    words = [fold(part) for part in parts]
    named = next((word for word in words if word in UNITS), "")
    unit = unit_of(words[0]) or SIGNS.get(named, named)
    number = next(filter(None, (re.search(NUMBER, word) for word in words)))
    counted = quantity(number[0], COUNT_SCALES)
    return None if counted is None else (counted, NAMED.get(unit, unit))
