"""Weights: parameters of each tensor group times the bits the format really takes."""

from __future__ import annotations

from sizing.answer import GroupWeights
from sizing.architecture import GroupSize
from sizing.catalogue import Catalogue
from sizing.records import PrecisionRecord, PrecisionScheme, TensorGroup
from sizing.request import SizingRequest
from sizing.subject import Subject
from sizing.units import ceil_div

UNQUANTISED_BITS = 16.0
"""Bits of a parameter in the groups a format leaves out: BF16 or FP16."""

LARGE_MODEL_PARAMETERS = 65 * 10**9
"""Size from which whole GGUF files average fewer bits (llama.cpp tools/quantize/README.md)."""


TWINS = {"bf16": "fp16", "fp16": "bf16"}
"""Formats of equal size: engines cast one to the other on loading."""


def loaded_precision(
    subject: Subject, request: SizingRequest, catalogue: Catalogue
) -> PrecisionRecord:
    """Return the asked precision, or the published one where that is a kind of it.

    Where none was asked and the named GPUs cannot compute in the published 16-bit format,
    return its twin.
    """
    native = catalogue.precisions[subject.native_precision]
    if request.precision is not None:
        is_native = request.precision in (native.id, native.specialises)
        return native if is_native else catalogue.precisions[request.precision]
    named = {catalogue.gpus[choice.gpu].architecture for choice in request.gpus if choice.gpu}
    twin = catalogue.precisions.get(TWINS.get(native.id, ""))
    if twin is None or named <= set(native.native_on) or not named <= set(twin.native_on):
        return native
    return twin


def loaded_part(subject: Subject, precision: PrecisionRecord) -> Subject:
    """Return what a checkpoint in `precision` holds.

    GGUF files hold the text model; image and audio encoders are a file of their own
    (llama.cpp tools/mtmd/README.md: `--mmproj`).
    """
    return subject.without_towers() if precision.scheme is PrecisionScheme.GGUF else subject


def group_weights(
    subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[GroupWeights, ...]:
    """Return the weights of each tensor group in `precision`, bytes."""
    return tuple(
        _weigh(size, _format_of(size, subject, precision, catalogue), subject.parameters)
        for size in subject.groups
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
    """Return the stored weights of multi-token-prediction heads, bytes, all in `precision`."""
    return ceil_div(round(subject.mtp_parameters * precision.weight_bits), 8)


def _format_of(
    size: GroupSize, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> PrecisionRecord | None:
    """Return the format of one group; None where it stays in 16 bits."""
    mixed = subject.model.native_groups if subject.model else {}
    if mixed and precision.id == subject.native_precision:
        name = mixed.get(size.group)
        return catalogue.precisions[name] if name else None
    return precision if size.group in precision.quantised_groups else None


def _weigh(size: GroupSize, precision: PrecisionRecord | None, parameters: int) -> GroupWeights:
    weight_bits = UNQUANTISED_BITS if precision is None else _weight_bits(precision, parameters)
    scale_bits = 0 if precision is None else precision.channel_scale_bits * size.output_channels
    bits = size.parameters * weight_bits + scale_bits
    return GroupWeights(
        group=size.group,
        parameters=size.parameters,
        bits_per_weight=bits / size.parameters,
        weights_bytes=ceil_div(round(bits), 8),
    )


def _weight_bits(precision: PrecisionRecord, parameters: int) -> float:
    large = precision.large_model_weight_bits
    if precision.scheme is PrecisionScheme.GGUF and large and parameters >= LARGE_MODEL_PARAMETERS:
        return large
    return precision.weight_bits
