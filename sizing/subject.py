"""What is sized: a catalogue model, or a stand-in for a size given without a name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

from sizing.architecture import (
    GroupSize,
    KvLayout,
    active_parameter_count,
    kv_layout,
    tensor_groups,
    unsupported_feature,
)
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.records import ArchitectureRecord, Attention, ModelKind, ModelRecord, TensorGroup
from sizing.request import SizingRequest


@dataclass(frozen=True)
class Subject:
    """The model to size, with its tensors counted."""

    name: str
    kind: ModelKind
    architecture: ArchitectureRecord
    groups: tuple[GroupSize, ...]
    active_parameters: int
    layout: KvLayout | None
    """KV layout; None for an architecture this version cannot size."""
    unsupported_feature: str | None
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
        encoders = {TensorGroup.VISION, TensorGroup.AUDIO}
        return any(group.group in encoders for group in self.groups)


def subject_of(request: SizingRequest, catalogue: Catalogue) -> Subject:
    """Return what `request` asks about; raise InvalidRequestError when it names nothing."""
    if request.model_id is not None:
        return _from_model(catalogue.models[request.model_id])
    if request.parameters is None:
        raise InvalidRequestError(reason="no_model")
    return _from_size(request.parameters, request.attention, catalogue)


def _from_model(model: ModelRecord) -> Subject:
    feature = unsupported_feature(model.architecture)
    return Subject(
        name=model.name,
        kind=model.kind,
        architecture=model.architecture,
        groups=tensor_groups(model.architecture),
        active_parameters=_active_parameters(model.architecture),
        layout=None if feature else kv_layout(model.architecture),
        unsupported_feature=feature,
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
    """Borrow the shape of the nearest dense model and stretch it to the asked size."""
    shape = _nearest_shape(parameters, attention or Attention.GQA, catalogue)
    base = _from_model(shape)
    factor = parameters / base.parameters
    groups = _stretched(base.groups, parameters)
    return replace(
        base,
        name=size_name(parameters),
        kind=ModelKind.LLM,
        groups=groups,
        active_parameters=parameters,
        max_context_tokens=None,
        layout=_deeper(base.layout, factor) if base.layout else None,
        native_precision="bf16",
        model=None,
        shape_of=shape,
    )


def size_name(parameters: int) -> str:
    """Return a size as people write it: `13B`, `7.5B`, `1.3M`."""
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if parameters >= size:
            return f"{parameters / size:.4g}{unit}"
    return str(parameters)


def _nearest_shape(parameters: int, attention: Attention, catalogue: Catalogue) -> ModelRecord:
    dense = [
        model
        for model in catalogue.models.values()
        if model.kind is ModelKind.LLM
        and model.architecture.attention is attention
        and unsupported_feature(model.architecture) is None
    ]
    if not dense:
        raise InvalidRequestError(reason="no_shape", word=attention.value)
    return min(dense, key=lambda model: (_distance(model, parameters), -_month(model), model.id))


def _distance(model: ModelRecord, parameters: int) -> float:
    """Return how far apart two sizes are on a logarithmic scale, to a hundredth."""
    counted = sum(group.parameters for group in tensor_groups(model.architecture))
    return round(abs(log(parameters / counted)), 2)


def _month(model: ModelRecord) -> int:
    """Return the months since year 0; a year alone counts as its first month."""
    year, _, month = model.release.partition("-")
    return int(year) * 12 + int(month or 1)


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


def _deeper(layout: KvLayout, factor: float) -> KvLayout:
    """Scale the KV cache as depth does: parameters grow with layers x width^2, both together."""
    if 0.7 <= factor <= 1.4:
        return layout
    elements = layout.elements_per_token * factor ** (1 / 3)
    return replace(layout, elements_per_token=max(1, round(elements)))
