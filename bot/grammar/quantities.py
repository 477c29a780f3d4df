"""Quantities as people type them, read into the unit of their field."""

from __future__ import annotations

import re
from typing import Final

from bot import numbers

FEWEST_PARAMETERS: Final = 1000
"""Parameters below which a number without unit was meant in billions."""


def tokens(text: str) -> float | None:
    """Return a number of tokens."""
    return numbers.quantity(text, numbers.TOKEN_SCALES)


def count(text: str) -> float | None:
    """Return a number of things."""
    return numbers.quantity(text, numbers.COUNT_SCALES)


def milliseconds(text: str) -> float | None:
    """Return a number of milliseconds."""
    return numbers.quantity(text, numbers.MS_SCALES)


def seconds(text: str) -> float | None:
    """Return a number of seconds."""
    return numbers.quantity(text, numbers.SECOND_SCALES)


def rate(text: str) -> float | None:
    """Return a number of tokens per second."""
    return numbers.quantity(re.sub(r"(?:t|toks?|tokens?)/s$", "", text), {"": 1})


def gbps(text: str) -> float | None:
    """Return a number of Gbit per second."""
    return numbers.quantity(text, numbers.GBPS_SCALES)


def watts(text: str) -> float | None:
    """Return a number of watts."""
    return numbers.quantity(text, numbers.WATT_SCALES)


def gigabytes(text: str) -> float | None:
    """Return a number of gigabytes."""
    return numbers.quantity(text, numbers.GB_SCALES)


def gibibytes(text: str) -> float | None:
    """Return a number of GiB, as memory modules are sold."""
    return numbers.quantity(text, numbers.GIB_SCALES)


def parameters(text: str) -> float | None:
    """Return a number of parameters, bare numbers from a thousand upwards."""
    whole = numbers.quantity(text, {"": 1})
    return numbers.parameters(text) or (whole if whole and whole >= FEWEST_PARAMETERS else None)


def run_tokens(text: str) -> float | None:
    """Return the tokens of a training run such as `15t`."""
    return numbers.quantity(text, numbers.RUN_SCALES)
