"""What an answer says about a model that was not named."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, note
from sizing.memory import Load, kv_range_bytes
from sizing.records import ModelRecord
from sizing.request import Shape, SizingRequest
from sizing.subject import Subject


def stand_in_notes(request: SizingRequest, subject: Subject) -> Iterator[Note]:
    """Say what was borrowed."""
    base = subject.shape_of
    if base is None:
        return
    if request.experts and request.parameters:
        yield _mixture(request.experts, request.parameters, subject)
    elif request.shape == Shape() and request.active_parameters:
        yield note("sparse_size", parameters=subject.parameters, shape_of=base.name)
    elif request.shape == Shape():
        yield note("dense_size", parameters=subject.parameters, shape_of=base.name)
    if request.shape != Shape():
        yield _shape(base, subject)


def _mixture(experts: int, parameters: int, subject: Subject) -> Note:
    return note(
        "mixture_size",
        experts=experts,
        expert_parameters=parameters,
        parameters=subject.parameters,
        active_parameters=subject.active_parameters,
    )


def _shape(base: ModelRecord, subject: Subject) -> Note:
    shape = subject.architecture
    return note(
        "shape_told",
        layers=shape.layers,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        shape_of=base.name,
    )


def kv_range_notes(request: SizingRequest, load: Load) -> Iterator[Note]:
    """Say between which bounds the KV cache lies, where the shape leaves it open."""
    bounds = kv_range_bytes(load)
    if bounds is None:
        return
    low_bytes, high_bytes = bounds
    if request.active_parameters and not request.experts:
        yield note("kv_range_mixtures", low_bytes=low_bytes, high_bytes=high_bytes)
    else:
        yield note("kv_range_attention", low_bytes=low_bytes, high_bytes=high_bytes)
