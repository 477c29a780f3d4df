"""Options of a question about electricity: their keys, and values that cannot be."""

from __future__ import annotations

import re
from typing import Final

from sizing.errors import InvalidRequestError

KEYED: Final = re.compile(r"(?<!\S)(?P<key>[a-z_]+)=(?P<value>\S+)")
KEYS: Final = {
    "psu": "supply", "supply": "supply", "fuente": "supply", "fuentes": "supply", "psus": "supply",
    "cpu": "cpu_w", "cpu_w": "cpu_w", "node": "server_w", "nodo": "server_w", "load": "server_w",
    "carga": "server_w", "server": "server_w", "servidor": "server_w", "servers": "servers",
    "servidores": "servers", "nodes": "servers", "nodos": "servers", "feeds": "feeds",
    "ramas": "feeds", "alimentaciones": "feeds", "circuits": "circuit_count",
    "circuitos": "circuit_count", "country": "country", "pais": "country",
    "altitude": "altitude_m", "altitud": "altitude_m", "gpus": "gpus",
}  # fmt: skip
"""Options of a question about power, by each word for them."""

EXAMPLES: Final = {
    "supply": "psu=2x1800W", "cpu_w": "cpu=280W", "server_w": "node=500W", "servers": "servers=4",
    "feeds": "feeds=2", "circuit_count": "circuits=2", "altitude_m": "altitude=2240",
    "gpus": "gpus=8",
}  # fmt: skip
"""How the value of each is typed."""

MOST: Final = {"feeds": 2, "altitude_m": 6_000, "gpus": 256, "circuit_count": 200}
"""Largest value of some of them."""

LARGEST: Final = 100_000
"""Largest value of the others."""


def is_beyond(field: str, number: float) -> bool:
    """Return whether a value is too large for its option."""
    return number > MOST.get(field, LARGEST)


def unreadable(typed: str, field: str) -> InvalidRequestError:
    """Return the error for a value that cannot be."""
    return InvalidRequestError(
        reason="bad_value", word=typed, suggestions=(EXAMPLES.get(field, "country=es"),)
    )
