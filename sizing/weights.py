"""Weights: parameters of each tensor group times the bits the format really takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sizing.answer import GroupWeights
from sizing.architecture import GroupSize
from sizing.catalogue import Catalogue
from sizing.gguf_files import group_bits
from sizing.records import (
    CheckpointRecord,
    GivenTensors,
    PrecisionRecord,
    PrecisionScheme,
    TensorGroup,
)
from sizing.request import SizingRequest
from sizing.subject import Subject
from sizing.units import ceil_div

UNQUANTISED_BITS = 16.0
"""Bits of a parameter in the groups a format leaves out: BF16 or FP16."""

TWINS = {"bf16": "fp16", "fp16": "bf16"}
"""Formats of equal size: engines cast one to the other on loading."""


def loaded_precision(
    subject: Subject, request: SizingRequest, catalogue: Catalogue
) -> PrecisionRecord:
    """Return the precision to load `subject` in."""
    if request.precision is not None:
        return as_published(subject, catalogue.precisions[request.precision], catalogue)
    return precision_for(subject.native_precision, request, catalogue)


def precision_for(
    native_precision: str, request: SizingRequest, catalogue: Catalogue
) -> PrecisionRecord:
    """Return the asked precision, or the published one where that is a kind of it.

    Where none was asked and the named GPUs cannot compute in the published 16-bit format,
    return its twin.
    """
    native = catalogue.precisions[native_precision]
    if request.precision is not None:
        asked = catalogue.precisions[request.precision]
        return native if native.specialises == asked.id else asked
    named = {catalogue.gpus[choice.gpu].architecture for choice in request.gpus if choice.gpu}
    twin = catalogue.precisions.get(TWINS.get(native.id, ""))
    if twin is None or named <= set(native.native_on) or not named <= set(twin.native_on):
        return native
    return twin


def as_published(
    subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> PrecisionRecord:
    """Return the kind of `precision` in which the model is published, or `precision` itself.

    A format of part of a published mix means the mix: DeepSeek V4 is "FP8" with FP4 experts.
    """
    for known, loaded in _published(subject, catalogue):
        if precision.id in (known.id, known.specialises):
            return loaded
    return precision


def _published(
    subject: Subject, catalogue: Catalogue
) -> Iterator[tuple[PrecisionRecord, PrecisionRecord]]:
    """Yield the formats in which the model is published, each with what asking for it loads."""
    native, model = catalogue.precisions[subject.native_precision], subject.model
    yield native, native
    if model is None:
        return
    for name in (*(each.precision for each in model.checkpoints), *model.published_in):
        yield catalogue.precisions[name], catalogue.precisions[name]
    for name in model.native_groups.values():
        yield catalogue.precisions[name], native


def loaded_part(subject: Subject, precision: PrecisionRecord) -> Subject:
    """Return what a checkpoint in `precision` holds.

    GGUF files hold the text model; image and audio encoders are a file of their own
    (llama.cpp tools/mtmd/README.md: `--mmproj`).
    """
    return subject.without_towers() if precision.scheme is PrecisionScheme.GGUF else subject


def group_weights(
    subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[GroupWeights, ...]:
    """Return the weights of each tensor group in `precision`, bytes; a file's own as they lie."""
    if subject.stored and precision.id == subject.native_precision:
        held = {size.group for size in subject.groups}
        return tuple(_as_stored(each) for each in subject.stored if each.group in held)
    if precision.gguf is not None:
        bits = group_bits(precision.gguf, subject.architecture)
        return tuple(_weigh(size, bits[size.group]) for size in subject.groups)
    return tuple(
        _weigh_in(size, _format_of(size, subject, precision, catalogue)) for size in subject.groups
    )


def _as_stored(tensors: GivenTensors) -> GroupWeights:
    return GroupWeights(
        group=tensors.group,
        parameters=tensors.parameters,
        bits_per_weight=tensors.weights_bytes * 8 / tensors.parameters,
        weights_bytes=tensors.weights_bytes,
    )


def scale_groups(
    subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[tuple[TensorGroup, int], ...]:
    """Return the weights along a row that share a scale, for the tensor groups that have such."""
    formats = (
        (size.group, _format_of(size, subject, precision, catalogue)) for size in subject.groups
    )
    return tuple(
        (group, found.scale_group_weights)
        for group, found in formats
        if found and found.scale_group_weights
    )


def mtp_weights_bytes(subject: Subject, precision: PrecisionRecord) -> int:
    """Return the stored weights of multi-token-prediction heads, bytes."""
    found = checkpoint_of(subject, precision)
    own_bits = precision.weight_bits if precision.quantises_mtp else UNQUANTISED_BITS
    bits = found.mtp_bits if found else own_bits
    return ceil_div(round(subject.mtp_parameters * bits), 8)


def checkpoint_of(subject: Subject, precision: PrecisionRecord) -> CheckpointRecord | None:
    """Return the published checkpoint in `precision` that has formats of its own."""
    checkpoints = subject.model.checkpoints if subject.model else ()
    return next((each for each in checkpoints if each.precision == precision.id), None)


def _format_of(
    size: GroupSize, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> PrecisionRecord | None:
    """Return the format of one group; None where it stays in 16 bits."""
    found = checkpoint_of(subject, precision)
    mixed: Mapping[TensorGroup, str] = found.groups if found else {}
    if precision.id == subject.native_precision:
        mixed = subject.native_groups
    if mixed:
        name = mixed.get(size.group)
        return catalogue.precisions[name] if name else None
    return precision if size.group in precision.quantised_groups else None


def _weigh_in(size: GroupSize, precision: PrecisionRecord | None) -> GroupWeights:
    """Weigh a group in one format; None for 16 bits."""
    if precision is None:
        return _weigh(size, UNQUANTISED_BITS)
    if size.group is TensorGroup.HEAD and precision.head_bits is not None:
        return _weigh(size, precision.head_bits)
    scale_bits = precision.channel_scale_bits * size.output_channels
    return _weigh(size, precision.weight_bits + scale_bits / size.parameters)


def _weigh(size: GroupSize, bits_per_weight: float) -> GroupWeights:
    return GroupWeights(
        group=size.group,
        parameters=size.parameters,
        bits_per_weight=bits_per_weight,
        weights_bytes=ceil_div(round(size.parameters * bits_per_weight), 8),
    )
