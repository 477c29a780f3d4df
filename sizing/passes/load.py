"""The asked work on one GPU: weights by component, tensors of a pass, runtime."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.answer import GroupWeights
from sizing.catalogue import Catalogue
from sizing.checkpoints import UNQUANTISED_BITS
from sizing.errors import CatalogueError
from sizing.media import media_of
from sizing.overhead import NOTHING, BytesRange, in_bytes
from sizing.passes.tensors import Stage, stages_of
from sizing.passes.work import Work, work_of
from sizing.records import (
    ComponentRecord,
    EngineRecord,
    FactorRange,
    ModelRecord,
    PassOverheadRecord,
    PrecisionRecord,
    PrecisionScheme,
    TensorGroup,
)
from sizing.request import SizingRequest
from sizing.subject import subject_from
from sizing.units import ceil_div
from sizing.weights import group_weights, precision_for

UNKNOWN_TENSORS = FactorRange(low=0.1, typical=0.25, high=1.0)
"""Tensors beside the weights where neither shape nor measurement is known: the NIM article's 25 %
with a wide range."""


@dataclass(frozen=True)
class PassLoad:
    """The asked work and the settings that change its memory."""

    model: ModelRecord
    precision: PrecisionRecord
    engine: EngineRecord
    overhead: PassOverheadRecord
    work: Work
    groups: tuple[GroupWeights, ...]
    stages: tuple[Stage, ...]
    memory_fraction: float

    @property
    def resident_groups(self) -> tuple[GroupWeights, ...]:
        """Return the weights that stay on the GPU while the work goes on."""
        if not self.offloaded_bytes:
            return self.groups
        return tuple(one for one in self.groups if one.group is not TensorGroup.TEXT_ENCODER)

    @property
    def parameters(self) -> int:
        """Return the parameters of all components."""
        return sum(group.parameters for group in self.groups)

    @property
    def works_in_steps(self) -> bool:
        """Return whether the engine cuts a batch into steps, so that more items take no more."""
        return self.model.architecture is not None and self.engine.step_tokens is not None

    @property
    def weights_bytes(self) -> int:
        """Return the weights that stay on the GPU while the work goes on, bytes."""
        return sum(group.weights_bytes for group in self.groups) - self.offloaded_bytes

    @property
    def text_encoder_bytes(self) -> int:
        """Return the weights of text encoders that other networks work behind, bytes."""
        of_text = (one for one in self.groups if one.group is TensorGroup.TEXT_ENCODER)
        return sum(one.weights_bytes for one in of_text) if len(self.groups) > 1 else 0

    @property
    def offloaded_bytes(self) -> int:
        """Return the weights that leave the GPU once they have done their part, bytes."""
        return self.text_encoder_bytes if self.engine.offloads_text_encoders else 0


@dataclass(frozen=True)
class PassNeed:
    """Memory the work takes of one GPU, bytes."""

    weights_bytes: int
    activation: BytesRange
    runtime: BytesRange

    @property
    def total(self) -> BytesRange:
        """Return the need with its range."""
        fixed = BytesRange(self.weights_bytes, self.weights_bytes, self.weights_bytes)
        return fixed + self.activation + self.runtime


def need_of(load: PassLoad, items: int) -> PassNeed:
    """Return what one GPU needs for `items` at once: networks work one after the other."""
    return PassNeed(load.weights_bytes, activation(load, items), in_bytes(load.overhead.context))


def activation(load: PassLoad, items: int) -> BytesRange:
    """Return the tensors of the network that needs most, workspaces included, bytes."""
    if not load.stages:
        return _scaled(load.weights_bytes, UNKNOWN_TENSORS)
    peak = NOTHING
    for stage in load.stages:
        ratio = load.overhead.convolution if stage.is_convolutional else load.overhead.transformer
        peak = peak.at_least(_scaled(stage.item_bytes * items, ratio))
    return peak


def _scaled(size_bytes: int, ratio: FactorRange) -> BytesRange:
    return BytesRange(
        round(size_bytes * ratio.low),
        round(size_bytes * ratio.typical),
        round(size_bytes * ratio.high),
    )


def pass_load(model: ModelRecord, request: SizingRequest, catalogue: Catalogue) -> PassLoad:
    """Return the work to size, every default filled in."""
    precision = precision_for(model.native_precision, request, catalogue)
    engine = engine_for(model, precision, request, catalogue)
    work = work_of(request, model, media_of(request, catalogue))
    return PassLoad(
        model=model,
        precision=precision,
        engine=engine,
        overhead=_overhead(engine, catalogue),
        work=work,
        groups=_groups(model, precision, catalogue),
        stages=stages_of(model, work, precision, engine),
        memory_fraction=engine.share_of_memory(request.memory_fraction),
    )


def engine_for(
    model: ModelRecord, precision: PrecisionRecord, request: SizingRequest, catalogue: Catalogue
) -> EngineRecord:
    """Return the asked engine, else the usual one of the kind, else one that loads the format."""
    if request.engine is not None:
        return catalogue.engines[request.engine]
    able = [one for one in catalogue.engines.values() if model.kind in one.kinds]
    usual = [one for one in able if model.kind in one.default_for]
    loading = [one for one in (*usual, *able) if one.id in precision.engines]
    return (loading or usual or able)[0]


def _overhead(engine: EngineRecord, catalogue: Catalogue) -> PassOverheadRecord:
    measured = engine.passes or catalogue.engines[engine.sized_as].passes
    if measured is None:
        raise CatalogueError(file="engines.toml", detail=f"{engine.id}: no passes to size it by")
    return measured


def _groups(
    model: ModelRecord, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[GroupWeights, ...]:
    """Return the weights of each tensor group or of each kind of component, bytes."""
    if model.architecture is not None:
        return group_weights(subject_from(model), precision, catalogue)
    components = model.pipeline.components if model.pipeline else ()
    kinds = dict.fromkeys(one.group for one in components)
    return tuple(
        _group(kind, [one for one in components if one.group is kind], precision) for kind in kinds
    )


def _group(
    group: TensorGroup, components: list[ComponentRecord], precision: PrecisionRecord
) -> GroupWeights:
    parameters = sum(one.parameters for one in components)
    bits = sum(one.parameters * _bits(one, precision) for one in components)
    return GroupWeights(
        group=group,
        parameters=parameters,
        bits_per_weight=bits / parameters,
        weights_bytes=ceil_div(round(bits), 8),
    )


def _bits(component: ComponentRecord, precision: PrecisionRecord) -> float:
    """Return the bits of a component's parameter; what a format leaves out stays in 16 bits."""
    is_float = precision.scheme is PrecisionScheme.FLOAT
    return precision.weight_bits if is_float or component.quantises else UNQUANTISED_BITS
