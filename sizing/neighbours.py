"""Measured neighbours of an option: the same model, format, set and engine at a close load."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

from sizing.answer import Option
from sizing.performance import Measurement, Performance
from sizing.placement import Placer
from sizing.records import ModelRecord

MOST_NEIGHBOURS = 3
"""Measurements shown beside an estimate."""

CLOSE = log(1.5)
"""Largest ratio of a length, or of the requests in flight, that is called close (logarithm)."""

SAME = log(1.1)
"""Largest ratio that is called the same (logarithm)."""


def with_measured(option: Option, placer: Placer) -> Option:
    """Return the option with what was measured closest to it, nearest first, at most three."""
    speed, model = option.performance, placer.load.subject.model
    if speed is None or model is None or placer.load.drafter is not None or option.mig_profile:
        return option
    rows = [
        (_distance(row, speed), row)
        for row in _rows_of(model, placer)
        if _is_alike(row, option, placer)
    ]
    close = sorted(
        (found for found in rows if max(found[0]) <= CLOSE),
        key=lambda found: (not _is_same_cache(found[1], placer), sum(found[0])),
    )
    nearest = tuple(
        row.model_copy(update={"is_same": _is_same(distances, row, placer)})
        for distances, row in close[:MOST_NEIGHBOURS]
    )
    return option.model_copy(update={"performance": speed.model_copy(update={"measured": nearest})})


def _rows_of(model: ModelRecord, placer: Placer) -> Iterator[Measurement]:
    """Yield what was measured of the model and of its siblings of the same shape."""
    catalogue = placer.catalogue
    for other in catalogue.models.values():
        if other.family == model.family and other.architecture == model.architecture:
            yield from catalogue.measurements.of(other.id)


def _is_alike(row: Measurement, option: Option, placer: Placer) -> bool:
    """Return whether model, format, GPUs, split and engine are the same, and the load of a kind."""
    speed = option.performance
    if row.single_tokens_per_s is not None and speed and speed.output_tokens_per_s is not None:
        return False
    return (
        row.gpu == option.gpu
        and row.precision == placer.precision.id
        and row.engine == placer.load.engine.id
        and row.tensor_parallel == option.tensor_parallel
        and row.pipeline_parallel == option.pipeline_parallel
        and row.data_parallel == option.data_parallel
        and row.replicas == option.replicas
    )


def _distance(row: Measurement, speed: Performance) -> tuple[float, ...]:
    """Return how far apart the loads are: ratios of lengths and of requests, as logarithms."""
    if row.single_tokens_per_s is not None:
        return (0.0,)
    lengths = (
        _apart(row.input_tokens, speed.input_tokens or 1),
        _apart(row.output_tokens, speed.output_tokens or 1),
    )
    if row.concurrent_requests is None or speed.at_saturation:
        is_alike = row.concurrent_requests is None and speed.at_saturation
        return (*lengths, 0.0 if is_alike else float("inf"))
    return (*lengths, _apart(row.concurrent_requests, speed.concurrent_requests))


def _apart(first: int, second: int) -> float:
    return abs(log(max(first, 1) / max(second, 1)))


def _is_same_cache(row: Measurement, placer: Placer) -> bool:
    return row.kv_precision == placer.load.kv_precision.id


def _is_same(distances: tuple[float, ...], row: Measurement, placer: Placer) -> bool:
    """Return whether it is the very case that was asked about."""
    is_batched = row.single_tokens_per_s is None
    return is_batched and max(distances) <= SAME and _is_same_cache(row, placer)
