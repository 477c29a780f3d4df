"""Numbers up to which something holds."""

from __future__ import annotations

from collections.abc import Callable


def largest(most: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number up to `most` for which `holds`, which fails from some number on."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
