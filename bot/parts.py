"""Parts of a need in tenths of a GB that sum to the total as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sizing.answer import Memory, PerGpu

_STEP_BYTES = 10**8


@dataclass(frozen=True)
class ShownParts:
    """Parts of a need in whole tenths of a GB that sum to the total as it is shown."""

    weights_bytes: int
    kv_cache_bytes: int
    adapter_bytes: int
    activation_bytes: int
    runtime_bytes: int
    has_cache: bool
    """Whether requests keep something between steps."""


def shown_parts(need: Memory | PerGpu, total_bytes: int) -> ShownParts | None:
    """Return the parts rounded; what rounding leaves over goes to the softest figure."""
    if need.kv_cache_bytes is None or need.activation_bytes is None or need.runtime_bytes is None:
        return None
    known = (
        need.weights_bytes,
        need.kv_cache_bytes,
        need.adapter_bytes or 0,
        need.activation_bytes,
    )
    parts = [_tenths(size_bytes) for size_bytes in known]
    parts.append(max(0, _tenths(total_bytes) - sum(parts)))
    weights, kv_cache, adapters, activation, runtime = (part * _STEP_BYTES for part in parts)
    return ShownParts(
        weights_bytes=weights,
        kv_cache_bytes=kv_cache,
        adapter_bytes=adapters,
        activation_bytes=activation,
        runtime_bytes=runtime,
        has_cache=need.kv_cache_bytes > 0,
    )


@dataclass(frozen=True)
class TrainingPart:
    """One part of a training need, in whole tenths of a GB."""

    name: str
    size_bytes: int


def training_parts_of(need: Memory | PerGpu, total_bytes: int) -> tuple[TrainingPart, ...]:
    """Return the parts rounded; what rounding leaves over goes to the runtime."""
    known = {
        "weights": need.weights_bytes,
        "gradients": need.gradient_bytes,
        "optimizer": need.optimizer_bytes,
        "reference": need.reference_bytes,
        "adapters": need.adapter_bytes or 0,
        "activations": need.activation_bytes or 0,
    }
    tenths = {name: _tenths(size_bytes) for name, size_bytes in known.items()}
    tenths["runtime"] = max(0, _tenths(total_bytes) - sum(tenths.values()))
    return tuple(TrainingPart(name, count * _STEP_BYTES) for name, count in tenths.items() if count)


def _tenths(size_bytes: int) -> int:
    return round(size_bytes / _STEP_BYTES)
