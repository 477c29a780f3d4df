"""What is sized: a catalogue model, or a stand-in for a size given without a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

from sizing.architecture import (
    GroupSize,
    active_parameter_count,
    tensor_groups,
)
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.kv_cache import CacheGroup, CacheLayout, cache_layout
from sizing.records import ArchitectureRecord, Attention, ModelKind, ModelRecord, TensorGroup
from sizing.request import SizingRequest

LADDER_FAMILY = "llama"
"""Line of models from 1 to 405 billion parameters that sizes without a name are compared with."""


TOWERS = frozenset({TensorGroup.VISION, TensorGroup.AUDIO})
"""Groups that read images and sound."""


@dataclass(frozen=True)
class Subject:
    """The model to size, with its tensors counted."""

    name: str
    kind: ModelKind
    architecture: ArchitectureRecord
    groups: tuple[GroupSize, ...]
    active_parameters: int
    cache: CacheLayout | None
    """What one request keeps; None where too little of the shape is published."""
    max_context_tokens: int | None
    """Longest context the model was made for; None where only a size is known."""
    native_precision: str
    model: ModelRecord | None = None
    shape_of: ModelRecord | None = None
    """Model whose shape a bare size borrows."""

    @property
    def parameters(self) -> int:
        """Return the parameters that are loaded."""
        return sum(group.parameters for group in self.groups)

    @property
    def mtp_parameters(self) -> int:
        """Return the stored parameters that only speculative decoding loads."""
        return self.model.mtp_parameters if self.model else 0

    @property
    def is_multimodal(self) -> bool:
        """Return whether an image or audio encoder is loaded."""
        return self.tower_parameters > 0

    @property
    def tower_parameters(self) -> int:
        """Return the parameters of image and audio encoders that are loaded."""
        return sum(group.parameters for group in self.groups if group.group in TOWERS)

    def without_towers(self) -> Subject:
        """Return the text model alone."""
        groups = tuple(group for group in self.groups if group.group not in TOWERS)
        active = self.active_parameters - self.tower_parameters
        return replace(self, groups=groups, active_parameters=active)


def subject_of(request: SizingRequest, catalogue: Catalogue) -> Subject:
    """Return what `request` asks about; raise InvalidRequestError when it names nothing."""
    if request.model_id is not None:
        return _from_model(catalogue.models[request.model_id])
    if request.parameters is None:
        raise InvalidRequestError(reason="no_model")
    return _from_size(request.parameters, request.attention, catalogue)


def _from_model(model: ModelRecord) -> Subject:
    is_known = model.architecture.cache_is_known
    return Subject(
        name=model.name,
        kind=model.kind,
        architecture=model.architecture,
        groups=tensor_groups(model.architecture),
        active_parameters=_active_parameters(model.architecture),
        cache=cache_layout(model.architecture) if is_known else None,
        max_context_tokens=model.max_context_tokens,
        native_precision=model.native_precision,
        model=model,
    )


def _active_parameters(architecture: ArchitectureRecord) -> int:
    """Return the parameters a token is multiplied with; an expert model's table is only read."""
    active = active_parameter_count(architecture)
    if architecture.moe is None or architecture.tied_embeddings:
        return active
    return active - architecture.vocabulary_size * architecture.hidden_size


def _from_size(parameters: int, attention: Attention | None, catalogue: Catalogue) -> Subject:
    """Borrow the shape of the nearest dense model, its KV cache between its neighbours' by size."""
    ladder = _ladder(attention or Attention.GQA, catalogue)
    base = min(ladder, key=lambda rung: abs(log(rung.parameters / parameters)))
    return replace(
        base,
        name=size_name(parameters),
        kind=ModelKind.LLM,
        groups=_stretched(base.groups, parameters),
        active_parameters=parameters,
        max_context_tokens=None,
        cache=_between(ladder, base, parameters),
        native_precision="bf16",
        model=None,
        shape_of=base.model,
    )


def size_name(parameters: int) -> str:
    """Return a size as people write it: `13B`, `7.5B`, `1.3M`."""
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if parameters >= size:
            return f"{parameters / size:.4g}{unit}"
    return str(parameters)


def _ladder(attention: Attention, catalogue: Catalogue) -> tuple[Subject, ...]:
    """Return the dense models whose shape a bare size may borrow, smallest first.

    One line of models, so that a larger size never caches less: Llama where it has this
    attention, else all others.
    """
    dense = [
        model
        for model in catalogue.models.values()
        if model.kind is ModelKind.LLM
        and model.architecture.attention is attention
        and _is_plain(model.architecture)
    ]
    rungs = [model for model in dense if model.family == LADDER_FAMILY] or dense
    if not rungs:
        raise InvalidRequestError(reason="no_shape", word=attention.value)
    newest = sorted(rungs, key=lambda model: (model.release, model.id))
    by_size = {subject.parameters: subject for subject in map(_from_model, newest)}
    return tuple(by_size[size] for size in sorted(by_size))


def _is_plain(architecture: ArchitectureRecord) -> bool:
    """Return whether every layer keeps the whole context, as a model of unknown make may."""
    return (
        architecture.cache_is_known
        and not architecture.attention_variants
        and not architecture.recurrent
        and architecture.is_causal
    )


def _between(ladder: tuple[Subject, ...], base: Subject, parameters: int) -> CacheLayout | None:
    """Return the KV layout at a size: a straight line between two rungs on logarithmic scales.

    Beyond the ends it grows as depth does: parameters are layers x width^2, both grow together.
    """
    if base.cache is None:
        return None
    below = [rung for rung in ladder if rung.parameters <= parameters]
    above = [rung for rung in ladder if rung.parameters >= parameters]
    if below and above:
        elements = _interpolated(below[-1], above[0], parameters)
    else:
        growth = (parameters / base.parameters) ** (1 / 3)
        elements = base.cache.elements_per_token * growth
    shape = base.cache.groups[0]
    head_elements = max(1, elements / (shape.layers * shape.heads))
    return CacheLayout((CacheGroup(shape.layers, shape.heads, head_elements),))


def _interpolated(low: Subject, high: Subject, parameters: int) -> float:
    low_elements, high_elements = _elements(low), _elements(high)
    if low.parameters == high.parameters:
        return low_elements
    span = log(high.parameters / low.parameters)
    share = log(parameters / low.parameters) / span
    return float(low_elements * (high_elements / low_elements) ** share)


def _elements(rung: Subject) -> float:
    return rung.cache.elements_per_token if rung.cache else 1


def _stretched(groups: tuple[GroupSize, ...], parameters: int) -> tuple[GroupSize, ...]:
    """Scale every group by the same factor, so that the groups sum to `parameters`."""
    total = sum(group.parameters for group in groups)
    scaled = [
        replace(
            group,
            parameters=max(1, group.parameters * parameters // total),
            output_channels=group.output_channels * parameters // total,
        )
        for group in groups
    ]
    largest = max(range(len(scaled)), key=lambda index: scaled[index].parameters)
    rest = parameters - sum(group.parameters for group in scaled)
    scaled[largest] = replace(scaled[largest], parameters=scaled[largest].parameters + rest)
    return tuple(scaled)
