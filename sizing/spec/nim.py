"""What NVIDIA's own support matrix says of a model on a GPU in a precision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from math import ceil

from sizing.records import Count, GpuRecord, Identifier, Name, Positive, PositiveCount, Record, Text
from sizing.spec.nim_facts import BandRecord, Goal, NimCatalogue, NimRecord, ProfileRecord
from sizing.spec.versions import Version

_BILLION = 10**9

_ROUNDING = 1.05
"""How far a model's size may be from the size in its name."""

_SAME_FORMAT = (frozenset({"bf16", "fp16"}), frozenset({"fp8", "fp8-block"}))
"""Precisions that the matrices use one for the other: 16 bits, FP8 whatever its scales."""


class NimStatus(StrEnum):
    """How far the matrices go, from a row for this very set to no word of the model."""

    LISTED = "listed"
    """A row, or a list of verified GPUs, names the model on this GPU in this precision."""

    GENERIC = "generic"
    """A row holds for any GPUs with memory enough."""

    GPU_NOT_TOLD = "gpu_not_told"
    """The precision is listed, the GPUs are not."""

    OTHER_PRECISION = "other_precision"
    """The model is listed on this GPU, in other precisions."""

    OTHER_GPU = "other_gpu"
    """The model is listed on other GPUs alone."""

    NOT_LISTED = "not_listed"
    """No matrix that was read names the model."""


class NimProfile(Record):
    """One row that holds for the question."""

    name: Name
    """What NVIDIA calls the model."""

    product: Name
    """Family of NIMs."""

    version: Version
    """Release whose matrix it is."""

    precision: Identifier
    """Precision of the row."""

    gpus: PositiveCount
    """GPUs that it takes: of a generic row, as many as have its memory together."""

    goal: Goal | None
    """What it is made for."""

    lora: bool
    """Whether it serves LoRA adapters."""

    disk_gb: Positive | None
    """Disk for container and model, GB."""

    is_secondhand: bool
    """Whether the matrix was read in a restatement."""

    sources: tuple[Text, ...]
    """Where it can be read again."""

    checked: date
    """Day on which it was read."""


class NimRule(Record):
    """NVIDIA's generic table by size: estimates, not guarantees."""

    version: Version
    """Release."""

    gpus: PositiveCount | None
    """GPUs of this accelerator; None where the table leaves it or the size out."""

    disk_gb: Positive
    """Disk for the model, GB."""


class NimSupport(Record):
    """What the matrices say."""

    status: NimStatus
    """How far they go."""

    profiles: tuple[NimProfile, ...]
    """Rows behind that status, those read first-hand first."""

    other_precisions: tuple[Identifier, ...]
    """Precisions listed on this GPU beside the asked one."""

    other_gpus: tuple[Identifier, ...]
    """Accelerators listed beside this one."""

    least_memory_gb: Positive | None
    """Least memory of a GPU that a matrix names, GB."""

    releases: Count
    """Releases whose matrices name the model."""

    rule_of_thumb: NimRule | None
    """Generic table, where the size is known."""


@dataclass(frozen=True)
class _Row:
    """A row and the matrix it stands in."""

    nim: NimRecord
    profile: ProfileRecord

    @property
    def gpus_named(self) -> tuple[str, ...]:
        """Return the accelerators it is said of."""
        return self.profile.on or self.nim.verified


def nim_support(
    model_id: str | None,
    gpu: GpuRecord,
    precision: str,
    facts: NimCatalogue,
    *,
    parameters: int | None = None,
) -> NimSupport:
    """Return what the matrices say of a model of the catalogue on a GPU in a precision.

    `parameters` adds NVIDIA's generic table, also for a model without an id.
    """
    records = [each for each in facts.nim if each.model == model_id]
    rows = [_Row(nim, profile) for nim in records for profile in nim.profiles]
    status, found = _best(rows, gpu, precision)
    return NimSupport(
        status=status,
        profiles=tuple(_profile(row, gpu) for row in sorted(found, key=_order)),
        other_precisions=_names(
            row.profile.precision
            for row in rows
            if gpu.id in row.gpus_named and not _is_same(row.profile.precision, precision)
        ),
        other_gpus=_names(each for row in rows for each in row.gpus_named if each != gpu.id),
        least_memory_gb=max((each.least_memory_gb or 0 for each in records), default=0) or None,
        releases=len({(each.product, each.version) for each in records}),
        rule_of_thumb=_rule(gpu.id, parameters, facts) if parameters else None,
    )


def _best(rows: list[_Row], gpu: GpuRecord, precision: str) -> tuple[NimStatus, list[_Row]]:
    """Return the furthest status and the rows behind it."""
    same = [row for row in rows if _is_same(row.profile.precision, precision)]
    named = [row for row in same if gpu.id in row.gpus_named]
    generic = [row for row in same if row.profile.least_total_gb]
    silent = [row for row in same if not row.gpus_named and not row.profile.least_total_gb]
    elsewhere = [row for row in rows if gpu.id in row.gpus_named]
    for status, found in (
        (NimStatus.LISTED, named),
        (NimStatus.GENERIC, generic),
        (NimStatus.GPU_NOT_TOLD, silent),
        (NimStatus.OTHER_PRECISION, elsewhere),
        (NimStatus.OTHER_GPU, same or rows),
    ):
        if found:
            return status, found
    return NimStatus.NOT_LISTED, []


def _is_same(one: str, other: str) -> bool:
    return one == other or any({one, other} <= formats for formats in _SAME_FORMAT)


def _order(row: _Row) -> tuple[bool, str]:
    return row.nim.is_secondhand, row.nim.id


def _names(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(found)))


def _profile(row: _Row, gpu: GpuRecord) -> NimProfile:
    nim, profile = row.nim, row.profile
    return NimProfile(
        name=nim.name,
        product=nim.product,
        version=nim.version,
        precision=profile.precision,
        gpus=_gpus(profile, gpu),
        goal=profile.goal,
        lora=profile.lora,
        disk_gb=profile.disk_gb,
        is_secondhand=nim.is_secondhand,
        sources=nim.sources,
        checked=nim.checked,
    )


def _gpus(profile: ProfileRecord, gpu: GpuRecord) -> int:
    """Return the GPUs of a row; of a generic one, as many as have its memory together."""
    if profile.least_total_gb is None:
        return profile.gpus
    return ceil(profile.least_total_gb / gpu.memory_gb)


def _rule(gpu: str, parameters: int, facts: NimCatalogue) -> NimRule:
    rule = facts.rule_of_thumb
    billions = parameters / _BILLION
    band = next((each for each in rule.bands if _holds(each, billions)), None)
    return NimRule(
        version=rule.version,
        gpus=band.gpus.get(gpu) if band else None,
        disk_gb=rule.disk_gb_per_billion * billions,
    )


def _holds(band: BandRecord, billions: float) -> bool:
    """Return whether a size belongs to a band: names are rounded, a "70B" has 70.6."""
    return band.from_billion / _ROUNDING <= billions <= band.to_billion * _ROUNDING
