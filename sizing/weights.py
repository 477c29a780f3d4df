"""Weights: parameters of each tensor group times the bits the format really takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sizing.answer import GroupWeights
from sizing.architecture import GroupSize
from sizing.catalogue import Catalogue
from sizing.checkpoints import UNQUANTISED_BITS, checkpoint_of, exceptions
from sizing.gguf_files import group_bits
from sizing.records import (
    GivenTensors,
    PrecisionRecord,
    PrecisionScheme,
    TensorGroup,
)
from sizing.request import SizingRequest
from sizing.subject import SPEECH, TOWERS, Subject
from sizing.units import ceil_div

LLAMACPP = "llamacpp"

SPEAKING = frozenset({"transformers"})
"""Engines that load what turns text into sound."""

KEPT = "mxfp4"
"""Format that conversions to GGUF copy as it lies."""

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


def loaded_part(subject: Subject, precision: PrecisionRecord, engine: str | None) -> Subject:
    """Return what a checkpoint in `precision` holds, as `engine` loads it.

    Engines but transformers leave out what turns text into sound (`skip_prefixes` of "talker." and
    "token2wav." in vLLM). Files of llama.cpp hold the text model; image and audio encoders are a
    file of their own (tools/mtmd/README.md: `--mmproj`). They keep tensors published in MXFP4, and
    have a head of their own where the checkpoint stores one (convert_hf_to_gguf.py).
    """
    if precision.scheme is not PrecisionScheme.GGUF and engine != LLAMACPP:
        return subject if engine in SPEAKING else subject.without(SPEECH)
    text = subject.without(TOWERS | SPEECH)
    if subject.model is not None and subject.model.stores_head:
        text = text.with_own_head()
    if precision.id == subject.native_precision:
        return text
    kept = {group: name for group, name in subject.native_groups.items() if name == KEPT}
    return replace(text, kept_groups=kept)


def group_weights(
    subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[GroupWeights, ...]:
    """Return the weights of each tensor group in `precision`, bytes; a file's own as they lie."""
    if subject.stored and precision.id == subject.native_precision:
        held = {size.group for size in subject.groups}
        return tuple(_as_stored(each) for each in subject.stored if each.group in held)
    if precision.gguf is not None:
        bits = group_bits(precision.gguf, subject.architecture) | _kept_bits(subject, catalogue)
        return tuple(_weigh(size, bits[size.group]) for size in subject.groups)
    return tuple(_weigh_mixed(size, subject, precision, catalogue) for size in subject.groups)


def _kept_bits(subject: Subject, catalogue: Catalogue) -> dict[TensorGroup, float]:
    return {
        group: catalogue.precisions[name].weight_bits for group, name in subject.kept_groups.items()
    }


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


def _format_of(
    size: GroupSize, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> PrecisionRecord | None:
    """Return the format of one group; None where it stays in 16 bits."""
    found = checkpoint_of(subject, precision)
    mixed: Mapping[TensorGroup, str] = found.groups if found else {}
    if precision.id == subject.native_precision:
        mixed = subject.native_groups
    if size.group in subject.kept_groups:
        return catalogue.precisions[subject.kept_groups[size.group]]
    if mixed:
        name = mixed.get(size.group)
        return catalogue.precisions[name] if name else None
    return precision if size.group in precision.quantised_groups else None


def _weigh_mixed(
    size: GroupSize, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> GroupWeights:
    """Weigh a group in its format, and in those of the matrices a checkpoint stores apart."""
    bits = _bits(size, _format_of(size, subject, precision, catalogue))
    found = checkpoint_of(subject, precision)
    if found is None or precision.id == subject.native_precision:
        return _weigh(size, bits)
    apart = [
        (share, _bits(size, catalogue.precisions[name] if name else None))
        for share, name in exceptions(size, subject, found)
    ]
    rest = 1 - sum(share for share, _ in apart)
    return _weigh(size, rest * bits + sum(share * each for share, each in apart))


def _bits(size: GroupSize, precision: PrecisionRecord | None) -> float:
    """Return the bits of a weight of a group in one format; None for 16 bits."""
    if precision is None:
        return UNQUANTISED_BITS
    if size.group is TensorGroup.HEAD and precision.head_bits is not None:
        return precision.head_bits
    return precision.weight_bits + (
        precision.channel_scale_bits * size.output_channels / size.parameters
    )


def _weigh(size: GroupSize, bits_per_weight: float) -> GroupWeights:
    return GroupWeights(
        group=size.group,
        parameters=size.parameters,
        bits_per_weight=bits_per_weight,
        weights_bytes=ceil_div(round(size.parameters * bits_per_weight), 8),
    )
