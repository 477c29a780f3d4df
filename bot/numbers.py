"""Numbers and sizes as English and Spanish writers type them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

DECIMAL: Final = re.compile(
    r"(?P<dotted>[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)"
    r"|(?P<commaed>[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)"
    r"|\d+(?:[.,]\d{1,9})?"
)
QUANTITY: Final = re.compile(r"(?P<sign>[+-]?)(?P<number>\d[\d.,]*)(?P<unit>[a-z%€$/]*)")
MOST_DIGITS: Final = 18
"""Digits of a number that are believed; beyond that it is no count of anything."""

TOKEN_SCALES: Final = {"": 1, "k": 1024, "ki": 1024, "m": 1024**2, "tokens": 1, "tok": 1}
"""Multipliers of token counts: 8k is 8,192."""

COUNT_SCALES: Final = {"": 1, "k": 1000, "m": 10**6}
"""Multipliers of counts and of money."""

RUN_SCALES: Final = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
"""Multipliers of the tokens of a training run."""

PARAMETER_SCALES: Final = {"m": 10**6, "b": 10**9, "t": 10**12}
"""Multipliers of model sizes."""

GB_SCALES: Final = {"": 1, "g": 1, "gb": 1, "gib": 1, "tb": 1000, "t": 1000}
"""Multipliers of memory sizes, GB as marketed."""

GIB_SCALES: Final = {"": 1, "g": 1, "gb": 1, "gib": 1, "t": 1024, "tb": 1024, "tib": 1024}
"""Multipliers of memory of a host, GiB: its modules are sold in powers of two."""

GBPS_SCALES: Final = {
    "": 1, "g": 1, "gb": 1, "gbps": 1, "gbe": 1, "gbit": 1, "gbits": 1, "gb/s": 1, "tbps": 1000,
}  # fmt: skip
"""Multipliers of network rates, Gbit per second."""

MS_SCALES: Final = {"": 1, "ms": 1, "s": 1000}
"""Multipliers of latencies, ms."""

SECOND_SCALES: Final = {"": 1, "s": 1, "sec": 1, "min": 60, "m": 60, "h": 3600}
"""Multipliers of lengths of sound, s."""

YEAR_SCALES: Final = {"": 1, "y": 1, "a": 1}
"""Multipliers of years."""

WATT_SCALES: Final = {"": 1, "w": 1, "kw": 1000}
"""Multipliers of power, W."""

NUMBER_WORDS: Final = {
    "un": 1, "una": 1, "uno": 1, "one": 1, "single": 1, "sola": 1, "dos": 2, "two": 2, "dual": 2,
    "doble": 2, "tres": 3, "three": 3, "cuatro": 4, "four": 4, "quad": 4, "cinco": 5, "five": 5,
    "seis": 6, "six": 6, "siete": 7, "seven": 7, "ocho": 8, "eight": 8, "diez": 10, "ten": 10,
    "doce": 12, "twelve": 12, "dieciseis": 16, "sixteen": 16,
}  # fmt: skip
"""Small numbers in words, without accents."""


def decimal(text: str) -> float | None:
    """Return the number in `text`, read with a decimal comma or point; None where it is none."""
    found = DECIMAL.fullmatch(text)
    if not found or sum(map(str.isdigit, text)) > MOST_DIGITS:
        return None
    if found["dotted"]:
        return float(text.replace(".", "").replace(",", "."))
    if found["commaed"]:
        return float(text.replace(",", ""))
    return float(text.replace(",", "."))


def quantity(text: str, scales: Mapping[str, float]) -> float | None:
    """Return a number times the multiplier of its unit; None where either is not known."""
    found = QUANTITY.fullmatch(text)
    if not found or found["unit"] not in scales:
        return None
    number = decimal(found["number"].rstrip(".,"))
    if number is None:
        return None
    return (-number if found["sign"] == "-" else number) * scales[found["unit"]]


def parameters(text: str) -> int | None:
    """Return the parameters of a size such as `70b` or `13.000m`; None where it is none."""
    found = QUANTITY.fullmatch(text)
    if not found or found["sign"] or found["unit"] not in PARAMETER_SCALES:
        return None
    number = _size(found["number"], found["unit"])
    return round(number * PARAMETER_SCALES[found["unit"]]) if number else None


def money(text: str) -> float | None:
    """Return an amount of US dollars such as `$1.5m` or `40kusd`; None where it is none."""
    bare = re.sub(r"^(?:us\$|usd|\$)|(?:usd|us\$|\$)$", "", text)
    return quantity(bare, COUNT_SCALES)


def fraction(text: str) -> float | None:
    """Return a share such as `0,9` or `90%`; None where it is none."""
    share = quantity(text, {"": 1, "%": 1})
    return share / 100 if share is not None and text.endswith("%") else share


def small_number(word: str) -> int | None:
    """Return a count written in digits or, up to sixteen, in words; None where it is none."""
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    return int(word) if word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS else None


def _size(number: str, unit: str) -> float | None:
    """Read one group of three digits as decimals where thousands of billions would be absurd."""
    single_group = re.fullmatch(r"(\d+)[.,](\d{3})", number)
    if unit in "bt" and single_group and single_group[2] != "000":
        return float(f"{single_group[1]}.{single_group[2]}")
    return decimal(number)
