"""The plain roofline, for comparison: the longer of reading and computing, two efficiencies.

Fitted on the same folds: a share of the bandwidth and a share of the peak for each family of GPUs,
number format and engine; where a fold leaves none of a group's rows, those of its engine decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sizing.units import power
from tools.speed.fit import stacked
from tools.speed.folds import LEFT_OUT, HeldOut

Array = np.ndarray[Any, Any]

KINDS = ("itl", "throughput", "saturation", "single")
"""Figures that it can be asked for."""

SHARES = np.geomspace(0.03, 1.0, 26)
"""Efficiencies that are tried, of bandwidth and of peak."""


def plain_errors(rows: list[HeldOut]) -> Mapping[str, Mapping[str, float]]:
    """Return by fold the error of each row that a plain roofline can be asked for."""
    kept = [row for row in rows if row.case.row.kind in KINDS]
    logarithms = np.concatenate([_logarithms(kept, reading) for reading in SHARES])
    families = _numbered(f"{r.family}/{r.case.traits['engine+numbers']}" for r in kept)
    engines = _numbered(r.case.row.engine for r in kept)
    found = {}
    for fold, key in LEFT_OUT.items():
        parts = _numbered(key(row.case) for row in kept)
        best = _best(np.abs(logarithms), parts, families, engines)
        errors = np.exp(logarithms[best, np.arange(len(kept))]) - 1
        found[fold] = {row.case.row.id: float(e) for row, e in zip(kept, errors, strict=True)}
    return found


def _logarithms(rows: list[HeldOut], reading: float) -> Array:
    """Return the logarithm of estimate over measurement, for each share of the peak and row."""
    work = stacked([row.case for row in rows])
    batch = np.array([row.case.batch for row in rows])
    bandwidth = np.array([row.case.gpu.bandwidth_gb_per_s * 1e9 for row in rows]) * reading
    touched = 1 - power(1 - work.expert_share, batch)  # type: ignore[arg-type]
    read = work.dense_bytes + work.expert_bytes * touched
    read_s = (read + batch * (work.cache_bytes + work.state_bytes)) / bandwidth
    computed_s = batch * (work.linear_s + work.attention_s) / SHARES[:, None]
    step_s = np.maximum(read_s, computed_s)
    prompt_s = (work.prefill_linear_s + work.prefill_attention_s) / SHARES[:, None]
    replicas = np.array([row.case.replicas for row in rows])
    stay_s = work.output_tokens * step_s + batch * prompt_s
    by_kind = {
        "itl": 1e3 * (step_s + (batch - 1) / work.output_tokens * prompt_s),
        "throughput": batch * work.output_tokens / stay_s * replicas,
        "single": 1 / step_s,
    }
    kinds = np.array([row.case.row.kind for row in rows])
    estimates = np.where(kinds == "itl", by_kind["itl"], by_kind["throughput"])
    estimates = np.where(kinds == "single", by_kind["single"], estimates)
    return np.asarray(np.log(estimates) - np.log([row.case.row.value for row in rows]))


def _numbered(names: Any) -> Array:
    """Return a number for each name, the same for the same one."""
    return np.unique(list(names), return_inverse=True)[1]


def _best(sizes: Array, parts: Array, families: Array, engines: Array) -> Array:
    """Return for each row which efficiencies fit the rows of its group outside its part best."""
    own, counts = _sums(sizes, families, parts)
    wide, _ = _sums(sizes, engines, parts)
    choice = np.where(counts[families, parts] > 0, own[families, parts], wide[engines, parts])
    return np.asarray(choice)


def _sums(sizes: Array, groups: Array, parts: Array) -> tuple[Array, Array]:
    """Return by group and part the best efficiencies on the group's other parts, and their rows."""
    shape = (groups.max() + 1, parts.max() + 1)
    place = groups * shape[1] + parts
    best = np.zeros(shape, dtype=int)
    rows = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    for group in range(shape[0]):
        of_group = groups == group
        within = np.stack(
            [np.bincount(parts[of_group], weights=line, minlength=shape[1])
             for line in sizes[:, of_group]]
        )  # fmt: skip
        others = within.sum(axis=1, keepdims=True) - within
        best[group] = others.argmin(axis=0)
    return best, rows.sum(axis=1, keepdims=True) - rows
