"""What was measured that is like a case: whether a number is named, and how sure it is."""

from __future__ import annotations

from sizing.memory import Load
from sizing.notes import Note, note
from sizing.performance import Confidence
from sizing.placement import Placement
from sizing.records import FormRecord, GpuRecord, ModelKind, PrecisionRecord, PrecisionScheme
from sizing.slices import GpuSlice
from sizing.speed.traits import SAME_KERNELS, SIXTEEN_BITS, family_of

MOST_GPUS = 8
"""GPUs of one copy beyond which nothing comparable was measured."""

BATCHING = frozenset({"vllm", "sglang", "trtllm", "nim", "lmdeploy", "tgi"})
"""Engines whose speed with many requests is estimated."""

LAYERED = frozenset({"llamacpp"})
"""Engines that were measured with one request."""

UNMEASURED_KINDS = frozenset({ModelKind.ASR, ModelKind.TTS})
"""Models that work on sound beside their tokens."""

LEAST_PARAMETERS = 1_000_000_000
"""Active parameters below which an engine's own overheads are all that was measured."""

ODD_KERNELS = ("bnb", "hqq")
"""Beginnings of formats whose kernels were not measured, or differ from run to run."""

MANY_ROWS, SOME_ROWS = 200, 30
"""Measured rows from which an estimate is called sure, and from which it is called fair."""


def refusal_of(placement: Placement, load: Load, precision: PrecisionRecord) -> Note | None:
    """Return why no speed is named: nothing comparable was measured."""
    engine, gpus = load.engine.id, placement.layout.gpus_per_replica
    kind = load.subject.kind
    if kind in UNMEASURED_KINDS:
        return note("speed_kind_unmeasured", kind=kind.value)
    if engine not in BATCHING | LAYERED:
        return note("speed_engine_unmeasured", engine=engine)
    if load.disaggregated:
        return note("speed_disaggregated")
    if gpus > MOST_GPUS:
        return note("speed_beyond_eight", gpus=gpus)
    if not _is_measured(precision, engine):
        return note("speed_format_unmeasured", precision=precision.id, engine=engine)
    if isinstance(placement.gpu, GpuSlice) or placement.shares:
        return note("speed_cards_unmeasured")
    if placement.need.host is not None:
        return note("speed_host_unmeasured")
    return None


def _is_measured(precision: PrecisionRecord, engine: str) -> bool:
    """Return whether the engine's kernels for a format were measured, and agree with each other.

    Those of bitsandbytes are 1.2 to 4.6 times slower than their bytes let expect.
    """
    is_file = precision.scheme is PrecisionScheme.GGUF
    is_odd = precision.nominal_bits > SIXTEEN_BITS or precision.id.startswith(ODD_KERNELS)
    return not is_odd and (engine in LAYERED or not is_file)


def confidence_in(form: FormRecord, placement: Placement, load: Load) -> Confidence:
    """Return how many rows stand behind engine, family and kind of layers.

    Less on a GPU that was not measured and for a shape that is not known; least for tiny models,
    where copies of the attention share the experts, where tokens are drafted, and where parts of
    prompts are not read.
    """
    subject, gpu = load.subject, placement.gpu
    is_tiny = load.engine.id in BATCHING and subject.active_parameters < LEAST_PARAMETERS
    rows = _rows_alike(form, placement, load)
    is_other = load.drafter is not None or load.prefix_caching
    if placement.layout.data_parallel > 1 or is_tiny or is_other or rows < SOME_ROWS:
        return Confidence.LOW
    is_sure = rows >= MANY_ROWS and is_measured(form, gpu) and subject.shape_of is None
    return Confidence.HIGH if is_sure else Confidence.MEDIUM


def is_measured(form: FormRecord, gpu: GpuRecord) -> bool:
    """Return whether rows of that very GPU are behind the fit."""
    return gpu.id in form.coefficients["bandwidth"].effects.get("gpu", {})


def _rows_alike(form: FormRecord, placement: Placement, load: Load) -> int:
    """Return the measured rows of that engine, family of GPUs, and kind of layers."""
    engine = SAME_KERNELS.get(load.engine.id, load.engine.id)
    start, is_dense = f"{engine}/{family_of(placement.gpu)}/", load.subject.architecture.moe is None
    return sum(
        count
        for name, count in form.rows.items()
        if name.startswith(start) and name.endswith("dense") is is_dense
    )
