"""A stand-in for a model known by its size, and by as much of its shape as was told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt

from sizing.architecture import GroupSize, parameter_count, tensor_groups
from sizing.catalogue import Catalogue
from sizing.errors import InvalidRequestError
from sizing.kv_cache import CacheLayout, cache_layout
from sizing.ladder import ladder_of, mixtures_of, with_elements
from sizing.records import (
    ArchitectureRecord,
    Attention,
    ModelKind,
    ModelRecord,
    MoeRecord,
    TensorGroup,
)
from sizing.request import Shape, SizingRequest

EXPERTS_PER_TOKEN = 2
"""Experts a token passes in mixtures named as `8x7b` is (Mixtral, arXiv 2401.04088, table 1)."""

LEAST_SHARE = 0.2
"""Share of the parameters below which a rest is no feed-forward part: the shape was another."""

Bounds = tuple[CacheLayout, CacheLayout] | None


@dataclass(frozen=True)
class StandIn:
    """What is known or estimated of a model without a name."""

    kind: ModelKind
    architecture: ArchitectureRecord
    groups: tuple[GroupSize, ...]
    active_parameters: int
    cache: CacheLayout
    cache_bounds: Bounds
    """The least and the most it may keep; None where that is known."""
    shape_of: ModelRecord
    """Model whose shape fills in what was not told."""


def stand_in(request: SizingRequest, catalogue: Catalogue) -> StandIn:
    """Return what `request` tells of a model without a name, the rest borrowed.

    Raises InvalidRequestError where it tells too little, or what cannot be.
    """
    _check(request)
    if request.experts:
        return _mixture(_dense(request, catalogue), request)
    if request.active_parameters:
        return _sparse(request, request.active_parameters, catalogue)
    return _dense(request, catalogue)


def _check(request: SizingRequest) -> None:
    shape, total = request.shape, request.parameters
    if total is None and not shape.is_countable:
        raise InvalidRequestError(reason="no_model")
    if total and not request.experts and (request.active_parameters or 0) > total:
        raise InvalidRequestError(reason="active_beyond_total")
    if shape.heads and shape.kv_heads and shape.heads % shape.kv_heads:
        raise InvalidRequestError(
            reason="kv_heads_mismatch", heads=shape.heads, kv_heads=shape.kv_heads
        )


def _dense(request: SizingRequest, catalogue: Catalogue) -> StandIn:
    """Borrow from the nearest dense model; the KV cache lies between its neighbours' by size."""
    ladder = ladder_of(request.attention or Attention.GQA, catalogue)
    parameters = request.parameters or _counted(request, ladder.rungs[0].architecture)
    base = ladder.nearest(parameters)
    architecture, groups = base.architecture, _stretched(base.architecture, parameters)
    cache = ladder.cache_at(parameters)
    if request.shape != Shape():
        architecture = _shaped(base.architecture, request)
        groups = _filled(architecture, parameters, TensorGroup.FFN)
        cache = cache_layout(architecture)
    return StandIn(
        kind=ModelKind.LLM,
        architecture=architecture,
        groups=groups,
        active_parameters=parameters,
        cache=cache,
        cache_bounds=_dense_bounds(request, cache, architecture, catalogue),
        shape_of=base.model,
    )


def _counted(request: SizingRequest, base: ArchitectureRecord) -> int:
    """Return the parameters of a shape that says all it takes to count them."""
    return parameter_count(_shaped(base, request))


def _dense_bounds(
    request: SizingRequest,
    cache: CacheLayout,
    architecture: ArchitectureRecord,
    catalogue: Catalogue,
) -> Bounds:
    """Return what grouped-query and multi-head attention keep, where neither was told."""
    if request.attention is not None or request.shape.kv_heads is not None:
        return None
    if request.shape == Shape() and request.parameters is not None:
        return cache, ladder_of(Attention.MHA, catalogue).cache_at(request.parameters)
    return cache, cache_layout(architecture.model_copy(update={"kv_heads": architecture.heads}))


def _mixture(dense: StandIn, request: SizingRequest) -> StandIn:
    """Return a mixture whose experts are each the feed-forward part of a dense model.

    Attention, norms and embedding are there once (Mixtral, arXiv 2401.04088, section 2).
    """
    experts = request.experts or 1
    used = min(EXPERTS_PER_TOKEN, experts)
    shape = dense.architecture
    groups = [_as_experts(group, experts) for group in dense.groups]
    groups.append(GroupSize(TensorGroup.ROUTER, shape.layers * shape.hidden_size * experts, 0))
    routed = sum(group.parameters for group in groups if group.group is TensorGroup.EXPERTS)
    active = sum(group.parameters for group in groups) - routed * (experts - used) // experts
    moe = MoeRecord(
        experts=experts,
        experts_per_token=used,
        expert_ffn_size=max(1, shape.ffn_size),
        layers=shape.layers,
    )
    return replace(
        dense,
        kind=ModelKind.MOE,
        architecture=shape.model_copy(update={"moe": moe, "ffn_size": 0}),
        groups=tuple(groups),
        active_parameters=request.active_parameters or active,
    )


def _as_experts(size: GroupSize, experts: int) -> GroupSize:
    if size.group is not TensorGroup.FFN:
        return size
    parameters, channels = size.parameters * experts, size.output_channels * experts
    return GroupSize(TensorGroup.EXPERTS, parameters, channels)


def _sparse(request: SizingRequest, active: int, catalogue: Catalogue) -> StandIn:
    """Borrow from the nearest mixture.

    The KV cache is that of a dense model of the geometric mean of all and active parameters,
    times the ratio of the two among the mixtures of the catalogue.
    """
    ladder = ladder_of(Attention.GQA, catalogue)
    mixtures = mixtures_of(ladder, catalogue)
    parameters = request.parameters or active
    base = mixtures.nearest(parameters, active)
    mean = ladder.elements_at(isqrt(parameters * active))
    low, cache, high = (with_elements(base.cache, mean * ratio) for ratio in mixtures.spread)
    bounds: Bounds = low, high
    architecture, groups = base.architecture, _stretched(base.architecture, parameters)
    if request.shape != Shape() or request.attention is not None:
        architecture = _shaped(base.architecture, request)
        groups = _filled(architecture, parameters, TensorGroup.EXPERTS)
        cache, bounds = cache_layout(architecture), None
    return StandIn(
        kind=ModelKind.MOE,
        architecture=architecture,
        groups=groups,
        active_parameters=active,
        cache=cache,
        cache_bounds=bounds,
        shape_of=base.model,
    )


def _shaped(base: ArchitectureRecord, request: SizingRequest) -> ArchitectureRecord:
    """Return a shape with what was told in it; a head is as wide as the model divided by heads."""
    shape = request.shape
    hidden, heads = shape.hidden_size or base.hidden_size, shape.heads or base.heads
    is_told = shape.hidden_size is not None or shape.heads is not None
    width = max(1, hidden // heads) if is_told else base.head_dim
    kv_heads = shape.kv_heads or _kv_heads(heads, base, request.attention)
    return base.model_copy(
        update={
            "layers": shape.layers or base.layers,
            "hidden_size": hidden,
            "heads": heads,
            "kv_heads": kv_heads,
            "head_dim": shape.head_dim or width,
            "ffn_size": shape.ffn_size or base.ffn_size,
            "vocabulary_size": shape.vocabulary_size or base.vocabulary_size,
            "tied_embeddings": base.tied_embeddings and shape.vocabulary_size is None,
            "moe": _moe(base, shape),
        }
    )


def _kv_heads(heads: int, base: ArchitectureRecord, attention: Attention | None) -> int:
    """Return the KV heads of an attention; grouped ones as the base has, where they divide."""
    if attention is Attention.MHA:
        return heads
    if attention is Attention.MQA:
        return 1
    grouped = min(base.kv_heads, heads)
    return grouped if heads % grouped == 0 else heads


def _moe(base: ArchitectureRecord, shape: Shape) -> MoeRecord | None:
    """Return the experts of a base in as many layers as were told."""
    if base.moe is None or shape.layers is None:
        return base.moe
    dense = base.layers - base.moe.layers
    return base.moe.model_copy(update={"layers": max(1, shape.layers - dense)})


def _filled(
    architecture: ArchitectureRecord, parameters: int, group: TensorGroup
) -> tuple[GroupSize, ...]:
    """Count what the shape says, and let `group` take the rest of the parameters."""
    counted = {size.group: size for size in tensor_groups(architecture)}
    own = counted.get(group)
    rest = parameters - sum(size.parameters for size in counted.values() if size is not own)
    if own is None or rest < LEAST_SHARE * parameters:
        return _stretched(architecture, parameters)
    channels = own.output_channels * rest // own.parameters
    counted[group] = GroupSize(group, rest, channels)
    return tuple(counted.values())


def _stretched(architecture: ArchitectureRecord, parameters: int) -> tuple[GroupSize, ...]:
    """Scale every group by the same factor, so that the groups sum to `parameters`."""
    groups = tensor_groups(architecture)
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
