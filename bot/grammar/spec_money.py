"""Amounts of a spec in another unit than the US dollar, where the rate of that unit is told."""

from __future__ import annotations

import re
from typing import Final

from bot.grammar.currencies import NAMES, in_dollars, units_in
from bot.grammar.number_values import read_number
from bot.grammar.spec_options import SPEC_NUMBERS, SPEC_WORDS
from bot.text import fold
from sizing.errors import InvalidRequestError

OPTION: Final = re.compile(r"(?P<key>[\w-]+)=(?P<value>\S+)")
RATE: Final = "usd_per_unit"
CURRENCY: Final = "currency"


def with_rate(text: str) -> str:
    """Return a line with amounts in dollars, at its own rate: `budget=500utm fx=72`.

    Without a rate the line is returned as it is: the reading of an amount refuses it. Raises
    InvalidRequestError where amounts are in another unit than the one whose rate is told.
    """
    told = {fold(found["key"]): found["value"] for found in OPTION.finditer(text)}
    rates = [key for key in told if key in SPEC_NUMBERS and SPEC_NUMBERS[key].number.field == RATE]
    units = units_in(text)
    if not rates or not units:
        return text
    rate = read_number(SPEC_NUMBERS[rates[0]].number, told[rates[0]], typed=told[rates[0]])
    named = [told[key] for key in told if SPEC_WORDS.get(key, ("", ""))[1] == CURRENCY]
    unit = fold(named[0]) if named else next(iter(units))
    # Many currencies are called pesos: the one whose rate is told is meant.
    others = [amount for other, amount in units.items() if other not in {unit, *NAMES}]
    if others or rate is None:
        raise InvalidRequestError(reason="currency", word=(others or [told[rates[0]]])[0])
    shown = "" if named else f" currency={unit}"
    return in_dollars(text, rate) + shown
