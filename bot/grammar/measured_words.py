"""Figures that were measured, as people write them: `38 GB 92 tok/s ttft=350ms`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bot import numbers
from bot.decisions.measured import LONGEST_NOTE, Figures
from bot.text import DASHES, fold
from sizing.errors import InvalidRequestError

Unit = tuple[str, float]
"""Field that a unit tells, and its multiplier."""

MEMORY: Final[dict[str, float]] = {
    "gb": 1e9, "g": 1e9, "gib": 2.0**30, "mb": 1e6, "mib": 2.0**20, "tb": 1e12, "tib": 2.0**40,
}  # fmt: skip
"""Multipliers of memory that was read from a monitor, bytes: GB and GiB are not the same here."""

_TOKENS: Final = ("tok/s", "toks/s", "token/s", "tokens/s", "t/s", "tps")
_EACH: Final = ("user", "usuario", "request", "peticion", "req")
_WATTS: Final = {"w": 1.0, "kw": 1000.0, "watts": 1.0, "vatios": 1.0}
_IMAGE: Final = ("s/image", "s/img", "s/imagen", "sec/image")
_HELD: Final = ("users", "usuarios", "requests", "peticiones")

UNITS: Final[Mapping[str, Unit]] = {
    **{unit: ("memory_bytes", scale) for unit, scale in MEMORY.items()},
    **dict.fromkeys(_TOKENS, ("output_tokens_per_s", 1.0)),
    **{f"{unit}/{one}": ("user_tokens_per_s", 1.0) for unit in _TOKENS for one in _EACH},
    **{unit: ("power_w", scale) for unit, scale in _WATTS.items()},
    **dict.fromkeys(_IMAGE, ("seconds_per_image", 1.0)),
    **dict.fromkeys(_HELD, ("requests", 1.0)),
}
"""What stands behind a number, by its letters."""

_SCALES: Final[Mapping[str, Mapping[str, float]]] = {
    "memory_bytes": {"": 1e9, **MEMORY},
    "output_tokens_per_s": {"": 1.0, **dict.fromkeys(_TOKENS, 1.0)},
    "user_tokens_per_s": {"": 1.0, **dict.fromkeys(_TOKENS, 1.0)},
    "ttft_ms": numbers.MS_SCALES,
    "itl_ms": numbers.MS_SCALES,
    "requests": {"": 1.0},
    "power_w": {"": 1.0, **_WATTS},
    "seconds_per_image": {"": 1.0, "s": 1.0, "ms": 1e-3},
}
"""Units of each field where a key tells it."""

KEYS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("memory", "memoria", "mem", "vram"), "memory_bytes"),
    **dict.fromkeys(("tps", "throughput", "tok/s", "tokens/s", "t/s"), "output_tokens_per_s"),
    **dict.fromkeys(("per-user", "por-usuario", "tok/s/user"), "user_tokens_per_s"),
    **dict.fromkeys(("ttft",), "ttft_ms"),
    **dict.fromkeys(("itl", "tpot"), "itl_ms"),
    **dict.fromkeys(("users", "usuarios", "requests", "peticiones", "held"), "requests"),
    **dict.fromkeys(("power", "potencia", "watts", "vatios"), "power_w"),
    **dict.fromkeys(("s/image", "s/imagen", "image", "imagen"), "seconds_per_image"),
}
"""Fields by the keys that tell them."""

LARGEST_MEMORY_BYTES: Final = 1e15
"""Most memory that is believed, bytes."""

LARGEST: Final = 1e9
"""Largest value of any other field that is believed, in its unit."""

EXAMPLES: Final[Mapping[str, str]] = {
    "memory_bytes": "38 GB", "output_tokens_per_s": "92 tok/s",
    "user_tokens_per_s": "25 tok/s/user", "ttft_ms": "ttft=350ms", "itl_ms": "itl=22ms",
    "requests": "requests=8", "power_w": "350 W", "seconds_per_image": "2.5 s/image",
}  # fmt: skip
"""How each field is typed."""

_KEYED: Final = re.compile(r"-*([a-z][a-z/-]*)[=:](\S+)")
_NUMBER: Final = re.compile(r"-?\d[\d.,]*")
_JOINED: Final = re.compile(r"(-?\d[\d.,]*?)([a-z%/]+)")


def measured_in(text: str) -> tuple[Figures, str | None]:
    """Return the figures of a line and the words beside them; behind `--` there are words alone.

    Raises InvalidRequestError for a figure without a known unit, one told twice, or none at all.
    """
    told: dict[str, float] = {}
    rest: list[str] = []
    words = text.split()
    position = 0
    while position < len(words):
        if words[position] in {"--", "—"}:
            rest += words[position + 1 :]
            break
        taken = _take(words, position, told)
        if not taken:
            rest.append(words[position])
        position += taken or 1
    if not told:
        raise InvalidRequestError(reason="no_measurement", word="actual")
    return figures_from(told), " ".join(rest)[:LONGEST_NOTE] or None


def figures_from(told: Mapping[str, float]) -> Figures:
    """Return figures by name; those that are counts are rounded."""
    whole = {"memory_bytes", "requests"}
    return Figures(**{name: round(one) if name in whole else one for name, one in told.items()})


def read_figure(field: str, text: str) -> float | None:
    """Return a value of one field as typed, in its unit; None where it is none."""
    value = _quantity(field, text)
    return value if value and 0 < value <= _largest(field) else None


def _quantity(field: str, text: str) -> float | None:
    return numbers.quantity("".join(fold(text).split()), _SCALES[field])


def _largest(field: str) -> float:
    return LARGEST_MEMORY_BYTES if field == "memory_bytes" else LARGEST


def _checked(field: str, value: float | None, typed: str) -> float:
    """Return a value that can have been measured; raise InvalidRequestError for another."""
    if value is None:
        raise InvalidRequestError(reason="bad_value", word=typed, suggestions=(EXAMPLES[field],))
    if value <= 0:
        raise InvalidRequestError(reason="not_positive", word=typed)
    if value > _largest(field):
        raise InvalidRequestError(
            reason="beyond_measure",
            word=typed,
            most_gb=int(LARGEST_MEMORY_BYTES / MEMORY["gb"]),
            most=int(LARGEST),
        )
    return value


def _take(words: list[str], position: int, told: dict[str, float]) -> int:
    """Keep the figure that stands at `position`; return how many words it takes."""
    word = fold(words[position]).translate(DASHES).strip(",;")
    if keyed := _KEYED.fullmatch(word):
        field = KEYS.get(keyed[1])
        if field is None:
            return 0
        value = _checked(field, _quantity(field, keyed[2]), words[position])
        return _put(told, field, value, words[position])
    if joined := _JOINED.fullmatch(word):
        return _with_unit(told, joined[1], joined[2], words[position])
    if _NUMBER.fullmatch(word) and position + 1 < len(words):
        unit = fold(words[position + 1]).strip(",;.")
        typed = " ".join(words[position : position + 2])
        return 2 if unit in UNITS and _with_unit(told, word, unit, typed) else 0
    return 0


def _with_unit(told: dict[str, float], number: str, unit: str, typed: str) -> int:
    """Keep a number by its unit; return 0 where the unit tells no figure."""
    if unit not in UNITS:
        return 0
    field, scale = UNITS[unit]
    size = numbers.decimal(number.lstrip("-").rstrip(".,"))
    signed = None if size is None else size * scale * (-1 if number.startswith("-") else 1)
    return _put(told, field, _checked(field, signed, typed), typed)


def _put(told: dict[str, float], field: str, value: float, typed: str) -> int:
    if told.setdefault(field, value) != value:
        raise InvalidRequestError(reason="given_twice", word=typed)
    return 1
