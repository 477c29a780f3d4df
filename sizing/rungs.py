"""Which precisions to try on a set of GPUs, and which set that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from sizing.candidates import chosen_gpu
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.records import EngineRecord, GpuRecord, PrecisionRecord, PrecisionScheme
from sizing.request import SizingRequest

RUNGS = (
    ("bf16", "fp16"),
    ("fp8", "int8", "q8-0", "bnb-int8"),
    ("q6-k",),
    ("q5-k-m",),
    ("int4", "nvfp4", "q4-k-m", "bnb-nf4"),
)  # fmt: skip
"""Precisions that are tried beside the published one, by width, the usual one of a width first;
none below 4 bits: what a model loses there is a question of its own."""

DEFAULT_ENGINES = ("vllm", "llamacpp")
"""Engines to answer for where none was named: the first that runs on the GPU."""


@dataclass(frozen=True)
class GpuSet:
    """The GPUs to fill."""

    gpu: GpuRecord
    count: int
    usable_bytes: int
    engine: EngineRecord
    rungs: tuple[PrecisionRecord, ...] = ()
    """Usual precisions that run there, widest first."""


def set_of(request: SizingRequest, catalogue: Catalogue) -> GpuSet:
    """Return the set to fill; of unequal cards the smallest stands for all."""
    if not request.gpus:
        raise InvalidRequestError(reason="no_gpus")
    if len(request.gpus) > 1 and not request.mixed_gpus:
        raise InvalidRequestError(reason="two_gpu_sets", suggestions=())
    cards = [chosen_gpu(choice, catalogue) for choice in request.gpus]
    degrees = (request.tensor_parallel, request.pipeline_parallel, request.data_parallel)
    split = prod(degree or 1 for degree in degrees)
    gpu = min(cards, key=lambda one: (one.usable_mib, one.id))
    counts = [choice.count or split for choice in request.gpus]
    usable_bytes = sum(card.usable_bytes * n for card, n in zip(cards, counts, strict=True))
    engine = _engine_of(gpu, request, catalogue)
    gpus = GpuSet(gpu, sum(counts), usable_bytes, engine)
    rungs = (_rung(names, gpus, catalogue) for names in RUNGS)
    return replace(gpus, rungs=tuple(filter(None, rungs)))


def _engine_of(gpu: GpuRecord, request: SizingRequest, catalogue: Catalogue) -> EngineRecord:
    """Return the asked engine, else the usual one of the precision or of the GPU."""
    if request.engine is not None:
        return catalogue.engines[request.engine]
    if request.precision is not None:
        return catalogue.engines[catalogue.precisions[request.precision].engines[0]]
    names = dict.fromkeys((*DEFAULT_ENGINES, *catalogue.engines))
    engines = [catalogue.engines[name] for name in names]
    return next((one for one in engines if gpu.architecture in one.runs_on), engines[0])


def precisions_to_try(native: PrecisionRecord, gpus: GpuSet) -> tuple[PrecisionRecord, ...]:
    """Return the published precision and the usual narrower ones that run, widest first."""
    runs = _runs_in(native, gpus)
    below = [one for one in gpus.rungs if _is_step_down(one, native, equal=not runs)]
    return (native, *below) if runs else tuple(below)


def usual_precision(gpus: GpuSet, catalogue: Catalogue) -> PrecisionRecord:
    """Return the widest usual precision that runs, else the widest of all."""
    return next(iter(gpus.rungs), catalogue.precisions[RUNGS[0][0]])


def _runs_in(precision: PrecisionRecord, gpus: GpuSet) -> bool:
    """Return whether the engine loads the format there; GGUF files belong to their own engine."""
    is_file = precision.scheme is PrecisionScheme.GGUF
    engines = precision.engines[:1] if is_file else precision.engines
    return gpus.engine.id in engines and (
        _computes(precision, gpus) or gpus.gpu.architecture in precision.storage_only_on
    )


def _rung(names: Sequence[str], gpus: GpuSet, catalogue: Catalogue) -> PrecisionRecord | None:
    """Return the format of one width to try: one the GPU computes in before one it only stores."""
    running = [one for name in names if _runs_in(one := catalogue.precisions[name], gpus)]
    return next((one for one in running if _computes(one, gpus)), next(iter(running), None))


def _computes(precision: PrecisionRecord, gpus: GpuSet) -> bool:
    return gpus.gpu.architecture in precision.native_on


def _is_step_down(precision: PrecisionRecord, native: PrecisionRecord, *, equal: bool) -> bool:
    """Return whether a format is narrower than the published one, or `equal` as narrow."""
    if precision.nominal_bits == native.nominal_bits:
        return equal and precision.id != native.id
    return precision.nominal_bits < native.nominal_bits
