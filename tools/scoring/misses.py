"""What is wrong, and what is left out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tools.scoring.answers import CASES
from tools.scoring.comparison import Comparison, counted
from tools.scoring.results import Results

WORST = 10
"""Rows named first, whatever they are about."""

UNKNOWN = "not known"


@dataclass(frozen=True)
class Kind:
    """One kind of figure, with the error from which a row is a miss."""

    name: str
    rows: list[Comparison]
    limit: float


def kinds(results: Results) -> tuple[Kind, ...]:
    """Return the kinds of figures that are compared by their error."""
    return (
        Kind("parameters", results.parameters, 0.005),
        Kind("checkpoint", results.checkpoints, 0.03),
        Kind("KV cache", results.kv_cache, 0.005),
        Kind("KV cache as printed", results.kv_measured, 0.02),
        Kind("start, weights", results.start_weights, 0.06),
        Kind("start, bytes of a token", results.token_bytes, 0.02),
        Kind("start, KV pool", results.pools, 0.20),
        Kind("peak in transformers", results.peaks, 0.20),
        Kind("training", results.training, 0.45),
    )


def missed(results: Results) -> list[tuple[Kind, Comparison]]:
    """Return every row beyond the limit of its kind, the largest error first."""
    found = [
        (kind, row)
        for kind in kinds(results)
        for row in counted(kind.rows)
        if abs(row.error) > kind.limit
    ]
    return sorted(found, key=lambda each: (-abs(each[1].error), each[1].case))


def left_out(results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield the rows that state a fault of their own, with it."""
    for kind in kinds(results):
        for row in kind.rows:
            if row.left_out:
                yield kind.name, row.case, row.left_out


def remark_on(case: str) -> str:
    """Return why a row is missed: the remark whose key begins the case."""
    return next((why for key, why in remarks().items() if case.startswith(key)), UNKNOWN)


@cache
def remarks() -> dict[str, str]:
    """Return what is known of each miss, by the beginning of its name."""
    found: dict[str, str] = tomllib.loads((CASES / "remarks.toml").read_text(encoding="utf-8"))
    return found
