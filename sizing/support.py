"""Whether an engine runs a number format on an accelerator, and what to do where it does not."""

from __future__ import annotations

from sizing.answer import Note, note
from sizing.catalogue import Catalogue
from sizing.records import (
    EngineRecord,
    GpuRecord,
    KvPrecisionRecord,
    ModelKind,
    PrecisionRecord,
)


def refusals(
    gpu: GpuRecord,
    precision: PrecisionRecord,
    kv_precision: KvPrecisionRecord | None,
    engine: EngineRecord,
    *,
    catalogue: Catalogue,
    kind: ModelKind | None = None,
) -> tuple[Note, ...]:
    """Return why this combination does not run; empty where it does.

    Models without a KV cache have no precision of it.
    """
    found = []
    if kind is not None and kind not in engine.kinds:
        found.append(note("unsupported_engine_kind", engine=engine.id, kind=kind.value))
    if gpu.architecture not in engine.runs_on:
        found.append(note("unsupported_engine", engine=engine.id, gpu=gpu.id))
    if engine.id not in precision.engines:
        found.append(_wrong_engine(precision, engine))
    if not _computes(gpu, precision) and not _stores(gpu, precision, engine):
        found.append(_wrong_format(gpu, precision, engine, catalogue))
    if kv_precision is not None and (
        gpu.architecture not in kv_precision.runs_on or engine.id not in kv_precision.engines
    ):
        found.append(_wrong_kv_format(gpu, kv_precision, engine))
    return tuple(found)


def storage_notes(gpu: GpuRecord, precision: PrecisionRecord) -> tuple[Note, ...]:
    """Return the warning that a format saves memory only, where this GPU computes in 16 bits."""
    if _computes(gpu, precision):
        return ()
    return (note("storage_only", precision=precision.id, gpu=gpu.id),)


def _computes(gpu: GpuRecord, precision: PrecisionRecord) -> bool:
    return gpu.architecture in precision.native_on


def _stores(gpu: GpuRecord, precision: PrecisionRecord, engine: EngineRecord) -> bool:
    return gpu.architecture in precision.storage_only_on and not engine.refuses_storage_only


def _wrong_engine(precision: PrecisionRecord, engine: EngineRecord) -> Note:
    other = precision.engines[0]
    return note(
        "unsupported_engine_precision", precision=precision.id, engine=engine.id, other=other
    )


def _wrong_kv_format(gpu: GpuRecord, kv_precision: KvPrecisionRecord, engine: EngineRecord) -> Note:
    return note(
        "unsupported_kv_precision", kv_precision=kv_precision.id, gpu=gpu.id, engine=engine.id
    )


def _wrong_format(
    gpu: GpuRecord, precision: PrecisionRecord, engine: EngineRecord, catalogue: Catalogue
) -> Note:
    others = [catalogue.precisions[other] for other in precision.instead]
    runs = [other.id for other in others if _computes(gpu, other) or _stores(gpu, other, engine)]
    return note(
        "unsupported_precision",
        precision=precision.id,
        gpu=gpu.id,
        architecture=gpu.architecture,
        other=runs[0] if runs else None,
    )
