"""Memory of one GPU as a bar of text: each part of the need, and what stays free of the budget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sizing.answer import PerGpu

CHARACTERS = 34
"""Length of a bar: with the name of a set behind it a line stays below 80 columns."""

SIGNS = {
    "weights": "█",
    "kv_cache": "▓",
    "adapters": "╫",
    "activations": "▒",
    "runtime": "░",
    "free": "·",
}
"""Sign of each part, in order."""


def memory_bar(gpu: PerGpu) -> str:
    """Return the bar of a GPU: as long as its budget, or as the need where that is more."""
    parts = _parts_bytes(gpu)
    whole_bytes = sum(parts.values())
    ends, filled_bytes, bar = 0, 0, ""
    for name, part_bytes in parts.items():
        filled_bytes += part_bytes
        # What is there shows, however small.
        end = max(round(CHARACTERS * filled_bytes / whole_bytes), ends + bool(part_bytes))
        bar += SIGNS[name] * (end - ends)
        ends = end
    return bar[:CHARACTERS]


def shown_signs(gpus: Iterable[PerGpu]) -> tuple[tuple[str, str], ...]:
    """Return the signs that stand in the bars of some GPUs, with the names of their parts."""
    shown = {name for gpu in gpus for name, size in _parts_bytes(gpu).items() if size}
    return tuple((sign, name) for name, sign in SIGNS.items() if name in shown)


def _parts_bytes(gpu: PerGpu) -> dict[str, int]:
    """Return the parts of the need and what is left of the budget, bytes."""
    return {
        "weights": gpu.weights_bytes,
        "kv_cache": gpu.kv_cache_bytes,
        "adapters": gpu.adapter_bytes,
        "activations": gpu.activation_bytes,
        "runtime": gpu.runtime_bytes,
        "free": max(0, gpu.free_bytes),
    }
