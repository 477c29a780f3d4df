"""The question turned round: which models run on these GPUs, in which precision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sizing.answer import GroupWeights, Note, Verdict, note
from sizing.candidates import placement_of
from sizing.catalogue import Catalogue
from sizing.defaults import DEFAULT_CONTEXT_TOKENS, kv_precision_of, load_of
from sizing.errors import NotCoveredError
from sizing.fits import FitsAnswer, FitsFormat, FitsUnderstood, FittingModel
from sizing.media import asked_images, readers
from sizing.memory import Load
from sizing.placement import Placement, Placer, longest_context, max_requests
from sizing.records import (
    HostCacheUse,
    ModelKind,
    ModelRecord,
    PrecisionRecord,
)
from sizing.remarks import reading_assumptions, request_warnings
from sizing.request import Mode, SizingRequest
from sizing.rungs import GpuSet, precisions_to_try, set_of, usual_precision
from sizing.subject import Subject, subject_of
from sizing.support import refusals
from sizing.uneven import uneven_placements
from sizing.weights import (
    LLAMACPP,
    as_published,
    group_weights,
    loaded_part,
    loaded_precision,
)

TEXT_KINDS = frozenset({ModelKind.LLM, ModelKind.MOE, ModelKind.VLM, ModelKind.HYBRID})
"""Kinds that are looked for unless others are named: what writes text."""

CLASS_PARAMETERS = tuple(size * 10**9 for size in (1000, 400, 200, 100, 60, 30, 20, 10, 5, 2, 0))
"""Lower bounds of size classes, largest first: steps of about two, as families are sold."""

KEPT_LOADS = 4
"""Kinds of questions whose loads are kept: most ask for the default one."""

ANY_SET = SizingRequest().model_dump(
    include={"gpus", "mixed_gpus", "max_gpus", "kinds", "families", "read_as", "ignored"}
)
"""What of a question does not change the load."""

_Placers = dict[tuple[str, str], Placer]
"""Loads by model and precision, ready to be placed."""

RUNS = frozenset({Verdict.FITS, Verdict.TIGHT})


@dataclass(frozen=True)
class _Part:
    """What is loaded of a model in one precision."""

    subject: Subject
    groups: tuple[GroupWeights, ...]

    @cached_property
    def weights_bytes(self) -> int:
        """Return the weights of one copy, bytes."""
        return sum(group.weights_bytes for group in self.groups)


class Finder:
    """Looks through one catalogue; what depends on a model alone is computed once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._subjects: dict[str, Subject] = {}
        self._parts: dict[tuple[str, str, bool], _Part] = {}
        self._placers: dict[SizingRequest, _Placers] = {}

    def what_fits(self, request: SizingRequest) -> FitsAnswer:
        """Return the models that run on the GPUs of `request`.

        Raises InvalidRequestError where it names no GPUs, or several sets to choose from, and
        NotCoveredError where it is about training.
        """
        if request.mode is not Mode.INFER:
            raise NotCoveredError(what=request.mode.value)
        gpus = set_of(request, self._catalogue)
        looked_at = [one for one in readers(request, self._catalogue) if _wanted(one, request)]
        able = [model for model in looked_at if _takes(model, request)]
        sized = [model for model in able if self._subject(model).cache is not None]
        found = [fitting for model in sized if (fitting := self._fitting(model, request, gpus))]
        return FitsAnswer(
            understood=_understood(request, gpus),
            models=tuple(sorted(found, key=_order)),
            too_large=len(sized) - len(found),
            too_short=len(looked_at) - len(able),
            not_sized=len(able) - len(sized),
            warnings=_warnings(request, gpus, self._catalogue),
            assumptions=_assumptions(request, self._catalogue),
            catalogue=self._catalogue.stamp,
        )

    def _subject(self, model: ModelRecord) -> Subject:
        if model.id not in self._subjects:
            asked = SizingRequest(model_id=model.id)
            self._subjects[model.id] = subject_of(asked, self._catalogue)
        return self._subjects[model.id]

    def _fitting(
        self, model: ModelRecord, request: SizingRequest, gpus: GpuSet
    ) -> FittingModel | None:
        """Return the model with the precisions in which it runs; None where there is none."""
        subject = self._subject(model)
        formats = self._formats(model, request, gpus)
        ranked = sorted(formats, key=lambda one: one.verdict is Verdict.TIGHT)
        if not ranked:
            return None
        return FittingModel(
            model_id=model.id,
            model=model.name,
            kind=model.kind,
            family=model.family,
            release=model.release,
            parameters=subject.parameters,
            active_parameters=subject.active_parameters,
            class_parameters=next(size for size in CLASS_PARAMETERS if subject.parameters >= size),
            formats=tuple(ranked),
        )

    def _formats(
        self, model: ModelRecord, request: SizingRequest, gpus: GpuSet
    ) -> Iterator[FitsFormat]:
        subject = self._subject(model)
        placers = self._placers_for(request, gpus)
        for precision in self._precisions(subject, request, gpus):
            part = self._part(subject, precision, model.id, gpus.engine.id)
            if part.weights_bytes > gpus.usable_bytes:
                continue
            key = (model.id, precision.id)
            if key not in placers:
                asked = _asked(model, precision, request, gpus)
                load = load_of(asked, part.subject, precision, self._catalogue, groups=part.groups)
                placers[key] = Placer(load, precision, self._catalogue)
            row = _placed(request, gpus, placers[key])
            if row.starts and row.verdict in RUNS:
                yield _format(row, placers[key].load, precision, part.weights_bytes)

    def _placers_for(self, request: SizingRequest, gpus: GpuSet) -> _Placers:
        """Return the loads of one kind of question: those of the last few are kept."""
        key = request.model_copy(update=ANY_SET | {"engine": gpus.engine.id})
        if key not in self._placers and len(self._placers) >= KEPT_LOADS:
            self._placers.clear()
        return self._placers.setdefault(key, {})

    def _part(
        self, subject: Subject, precision: PrecisionRecord, model_id: str, engine: str
    ) -> _Part:
        key = (model_id, precision.id, engine == LLAMACPP)
        if key not in self._parts:
            part = loaded_part(subject, precision, engine)
            self._parts[key] = _Part(part, group_weights(part, precision, self._catalogue))
        return self._parts[key]

    def _precisions(
        self, subject: Subject, request: SizingRequest, gpus: GpuSet
    ) -> tuple[PrecisionRecord, ...]:
        """Return the precisions to try, highest first: the asked one, else what people run."""
        if request.precision is not None:
            return (loaded_precision(subject, request, self._catalogue),)
        native = loaded_precision(subject, request, self._catalogue)
        tried = precisions_to_try(native, gpus)
        return tuple(as_published(subject, one, self._catalogue) for one in tried)


def what_fits(request: SizingRequest, catalogue: Catalogue) -> FitsAnswer:
    """Return the models that run on the GPUs of `request`; a Finder is quicker for many."""
    return Finder(catalogue).what_fits(request)


def _wanted(model: ModelRecord, request: SizingRequest) -> bool:
    kinds = request.kinds or TEXT_KINDS
    if model.works_in_passes:
        return False
    return model.kind in kinds and (not request.families or model.family in request.families)


def _takes(model: ModelRecord, request: SizingRequest) -> bool:
    longest = model.max_context_tokens or 0
    return _context_of(request) <= longest or not _names_context(request)


def _names_context(request: SizingRequest) -> bool:
    return bool(request.context_tokens or request.input_tokens or request.output_tokens)


def _context_of(request: SizingRequest) -> int:
    parts = (request.input_tokens or 0) + (request.output_tokens or 0)
    return request.context_tokens or parts or DEFAULT_CONTEXT_TOKENS


def _asked(
    model: ModelRecord, precision: PrecisionRecord, request: SizingRequest, gpus: GpuSet
) -> SizingRequest:
    """Return the question about one model in one precision."""
    named = {"model_id": model.id, "precision": precision.id, "engine": gpus.engine.id}
    return request.model_copy(update=named)


def _placed(request: SizingRequest, gpus: GpuSet, placer: Placer) -> Placement:
    """Return how a load stands on the set; unequal cards in whichever way holds it best."""
    uneven = uneven_placements(request, placer)
    return uneven[0] if uneven else placement_of(gpus.gpu, gpus.count, request, placer)


def _format(
    row: Placement, load: Load, precision: PrecisionRecord, weights_bytes: int
) -> FitsFormat:
    return FitsFormat(
        precision=precision.id,
        engine=load.engine.id,
        verdict=row.verdict,
        weights_bytes=weights_bytes,
        tensor_parallel=row.layout.tensor_parallel,
        pipeline_parallel=row.layout.pipeline_parallel,
        expert_parallel=row.layout.expert_parallel,
        data_parallel=row.layout.data_parallel,
        replicas=row.layout.replicas,
        max_context_tokens=longest_context(row, load),
        safe_max_context_tokens=longest_context(row, load, safe=True),
        max_concurrent_requests=max_requests(row, load),
        safe_max_concurrent_requests=max_requests(row, load, safe=True),
    )


def _order(model: FittingModel) -> tuple[int, bool, int, int, str]:
    """Return the order of models: size class, safe before tight, newest, largest, id."""
    is_tight = model.best.verdict is Verdict.TIGHT
    month = int(model.release.replace("-", "")[:6].ljust(6, "0"))
    return (-model.class_parameters, is_tight, -month, -model.parameters, model.model_id)


def _understood(request: SizingRequest, gpus: GpuSet) -> FitsUnderstood:
    return FitsUnderstood(
        gpus=request.gpus,
        gpu=gpus.gpu.id,
        gpu_count=gpus.count,
        usable_bytes=gpus.usable_bytes,
        kinds=request.kinds,
        families=request.families,
        precision=request.precision,
        kv_precision=request.kv_precision,
        kv_in_host=request.asks_host_cache,
        kv_host_gib=request.kv_host_gib,
        engine=gpus.engine.id,
        memory_fraction=gpus.engine.share_of_memory(request.memory_fraction),
        context_tokens=_context_of(request),
        context_is_default=not _names_context(request),
        concurrent_requests=request.concurrent_requests or 1,
        images=asked_images(request),
        seconds=request.seconds,
        read_as=request.read_as,
    )


def _warnings(request: SizingRequest, gpus: GpuSet, catalogue: Catalogue) -> tuple[Note, ...]:
    """Return what holds for every row: refusals by the GPU, and words without effect."""
    named = catalogue.precisions[request.precision] if request.precision else None
    precision = named or usual_precision(gpus, catalogue)
    kv_precision = kv_precision_of(request, precision, catalogue)
    unfilled = _host_cache_warnings(request, gpus)
    refused = refusals(gpus.gpu, precision, kv_precision, gpus.engine, catalogue=catalogue)
    return (*refused, *unfilled, *request_warnings(request, catalogue))


def _host_cache_warnings(request: SizingRequest, gpus: GpuSet) -> Iterator[Note]:
    """Say where KV cache in host memory lets no model run that would not run without."""
    record = gpus.engine.host_cache
    if not request.asks_host_cache:
        return
    if record is None:
        yield note("no_host_cache", engine=gpus.engine.id)
    elif gpus.gpu.unified_memory:
        yield note("host_cache_same_memory", gpu=gpus.gpu.id)
    elif gpus.gpu.architecture in record.not_on:
        yield note("host_cache_not_on", engine=gpus.engine.id, gpu=gpus.gpu.id)
    elif record.use is HostCacheUse.REUSE:
        yield note("host_cache_no_help", engine=gpus.engine.id)
    elif request.kv_host_gib is None and request.host_ram_gb is None:
        yield note("host_cache_unnamed")


def _assumptions(request: SizingRequest, catalogue: Catalogue) -> tuple[Note, ...]:
    notes = [*reading_assumptions(request, catalogue)]
    if request.precision is None:
        notes.append(note("fits_precisions"))
    return (*notes, note("fits_published"))
