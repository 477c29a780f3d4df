"""What is sized: a catalogue model, or a stand-in for a size given without a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sizing.architecture import (
    GroupSize,
    active_parameter_count,
    parameter_count,
    tensor_groups,
)
from sizing.catalogue import Catalogue
from sizing.errors import NotCoveredError
from sizing.kv_cache import CacheLayout, cache_layout
from sizing.records import (
    ArchitectureRecord,
    GivenModel,
    GivenTensors,
    ModelKind,
    ModelRecord,
    TensorGroup,
)
from sizing.request import SizingRequest
from sizing.stand_in import Bounds, StandIn, stand_in

TOWERS = frozenset({TensorGroup.VISION, TensorGroup.AUDIO})
"""Groups that read images and sound."""

SPEECH = frozenset({TensorGroup.VOCODER})
"""Groups that turn what the text model writes into sound."""


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
    cache_bounds: Bounds = None
    """The least and the most it may keep, where only a size is known."""
    model: ModelRecord | None = None
    shape_of: ModelRecord | None = None
    """Model whose shape a bare size borrows."""
    native_groups: Mapping[TensorGroup, str] = field(default_factory=dict)
    """Format of each tensor group in the checkpoint where it mixes formats."""
    mtp_parameters: int = 0
    """Stored parameters that only speculative decoding loads."""
    kept_groups: Mapping[TensorGroup, str] = field(default_factory=dict)
    """Format of the tensor groups that keep it whatever the others are converted to."""
    checkpoint: str | None = None
    """Repository of the published checkpoint that was named."""
    stored: tuple[GivenTensors, ...] = ()
    """Sizes of the groups as they lie in a file; empty where they are counted."""

    @property
    def parameters(self) -> int:
        """Return the parameters that are loaded."""
        return sum(group.parameters for group in self.groups)

    @property
    def is_multimodal(self) -> bool:
        """Return whether an image or audio encoder is loaded."""
        return self.tower_parameters > 0

    @property
    def source_tokens(self) -> int | None:
        """Return the tokens of the encoder input that every request has; None without one."""
        cross = self.architecture.cross_attention
        return None if cross is None or cross.for_each_image else cross.source_tokens

    @property
    def tower_parameters(self) -> int:
        """Return the parameters of image and audio encoders that are loaded."""
        return sum(group.parameters for group in self.groups if group.group in TOWERS)

    def with_own_head(self) -> Subject:
        """Return the model with the table that serves both ends stored once more, as a head."""
        architecture = self.architecture
        table = architecture.vocabulary_size * architecture.hidden_size
        head = GroupSize(TensorGroup.HEAD, table, architecture.vocabulary_size)
        untied = architecture.model_copy(update={"tied_embeddings": False})
        groups = sorted((*self.groups, head), key=lambda size: list(TensorGroup).index(size.group))
        return replace(self, architecture=untied, groups=tuple(groups))

    def without(self, left_out: frozenset[TensorGroup]) -> Subject:
        """Return the model without some of its groups."""
        groups = tuple(group for group in self.groups if group.group not in left_out)
        rest = replace(self, groups=groups)
        active = self.active_parameters - (self.parameters - rest.parameters)
        return replace(rest, active_parameters=active)


def model_parameters(model: ModelRecord) -> int:
    """Return the parameters of a model, transformer or pipeline."""
    if model.architecture is not None:
        return parameter_count(model.architecture)
    return sum(one.parameters for one in model.pipeline.components) if model.pipeline else 0


def subject_of(request: SizingRequest, catalogue: Catalogue) -> Subject:
    """Return what `request` asks about; raise InvalidRequestError when it names nothing."""
    if request.model_id is not None:
        named = subject_from(catalogue.models[request.model_id])
        return replace(named, checkpoint=request.checkpoint)
    if request.given is not None:
        return _from_given(request.given)
    return _from_size(request, catalogue)


def subject_from(model: ModelRecord) -> Subject:
    """Return a model with its tensors counted; raise NotCoveredError for a pipeline."""
    architecture = model.architecture
    if architecture is None:
        raise NotCoveredError(what=model.kind.value)
    return Subject(
        name=model.name,
        kind=model.kind,
        architecture=architecture,
        groups=tensor_groups(architecture),
        active_parameters=_active_parameters(architecture),
        cache=cache_layout(architecture) if architecture.cache_is_known else None,
        max_context_tokens=model.max_context_tokens,
        native_precision=model.native_precision,
        model=model,
        native_groups=model.native_groups,
        mtp_parameters=model.mtp_parameters,
    )


def _from_given(given: GivenModel) -> Subject:
    """Take a model from outside the catalogue; sizes that its file states replace counted ones."""
    architecture = given.architecture
    stated = tuple(GroupSize(each.group, each.parameters, 0) for each in given.tensors)
    return Subject(
        name=given.name,
        kind=given.kind,
        architecture=architecture,
        groups=stated or tensor_groups(architecture),
        active_parameters=_active(stated, given) if stated else _active_parameters(architecture),
        cache=cache_layout(architecture) if architecture.cache_is_known else None,
        max_context_tokens=given.max_context_tokens,
        native_precision=given.native_precision,
        native_groups=given.native_groups,
        mtp_parameters=given.mtp_parameters,
        stored=given.tensors,
    )


def _active(stated: tuple[GroupSize, ...], given: GivenModel) -> int:
    """Return the parameters a token passes: all but the experts that the router leaves out."""
    total = sum(size.parameters for size in stated)
    moe = given.architecture.moe
    if moe is None:
        return total
    experts = sum(size.parameters for size in stated if size.group is TensorGroup.EXPERTS)
    return total - experts * (moe.experts - moe.experts_per_token) // moe.experts


def _active_parameters(architecture: ArchitectureRecord) -> int:
    """Return the parameters a token is multiplied with; an expert model's table is only read."""
    active = active_parameter_count(architecture)
    if architecture.moe is None or architecture.tied_embeddings:
        return active
    return active - architecture.vocabulary_size * architecture.hidden_size


def _from_size(request: SizingRequest, catalogue: Catalogue) -> Subject:
    """Return a stand-in for a model that was not named."""
    known = stand_in(request, catalogue)
    return Subject(
        name=_name(request, known),
        kind=known.kind,
        architecture=known.architecture,
        groups=known.groups,
        active_parameters=known.active_parameters,
        cache=known.cache,
        cache_bounds=known.cache_bounds,
        max_context_tokens=None,
        native_precision="bf16",
        shape_of=known.shape_of,
    )


def _name(request: SizingRequest, known: StandIn) -> str:
    """Return what people call a model of this size: `8x13B`, `120B A12B`."""
    total = request.parameters or sum(group.parameters for group in known.groups)
    name = f"{request.experts}x{size_name(total)}" if request.experts else size_name(total)
    active = request.active_parameters
    return f"{name} A{size_name(active)}" if active else name


def size_name(parameters: int) -> str:
    """Return a size as people write it: `13B`, `7.5B`, `1.3M`."""
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if parameters >= size:
            return f"{parameters / size:.4g}{unit}"
    return str(parameters)
