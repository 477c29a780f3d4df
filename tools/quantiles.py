"""How far held-out rows lie from their estimates: shares of weight, one part drawn to all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

Miss = tuple[str, float]
"""What a fit had not seen of a row, and how far the row lies from its estimate, without sign."""

INSIDE = 0.84
"""Share of the weight between bounds: those that others set then hold about eight of ten rows."""


def reach(own: Sequence[Miss], of_all: Sequence[Miss] = (), *, weight_of_all: float = 0.0) -> float:
    """Return the size that holds `INSIDE` of the weight of a part and, beside it, of all.

    Whatever was left out weighs 1 in a part, however many rows it has; all together weigh
    `weight_of_all`.
    """
    weights = _weights(own)
    if of_all:
        together = _weights(of_all)
        weights = np.concatenate([weights, weight_of_all * together / together.sum()])
    sizes = np.array([size for _, size in (*own, *of_all)])
    order = np.argsort(sizes, kind="stable")
    reached = np.cumsum(weights[order])
    place = int(np.searchsorted(reached, INSIDE * reached[-1]))
    return float(sizes[order][min(place, len(order) - 1)])


def _weights(misses: Sequence[Miss]) -> Array:
    counts = Counter(left_out for left_out, _ in misses)
    return np.array([1 / counts[left_out] for left_out, _ in misses])
