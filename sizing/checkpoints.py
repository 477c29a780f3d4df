"""Published checkpoints: which one is meant, what it mixes, what it stores beside the weights."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.architecture import GroupSize, dense_layers
from sizing.attention_layers import attention_layer_count
from sizing.records import (
    ArchitectureRecord,
    CheckpointRecord,
    MatrixFormat,
    PrecisionRecord,
    PrecisionScheme,
    TensorGroup,
)
from sizing.subject import Subject
from sizing.units import ceil_div

UNQUANTISED_BITS = 16.0
"""Bits of a parameter in the groups a format leaves out: BF16 or FP16."""


def checkpoint_of(subject: Subject, precision: PrecisionRecord) -> CheckpointRecord | None:
    """Return the published checkpoint in `precision` that has formats of its own.

    The one that was named, else the first.
    """
    known = subject.model.checkpoints if subject.model else ()
    found = [each for each in known if each.precision == precision.id]
    named = (each for each in found if each.repository == subject.checkpoint)
    return next(named, next(iter(found), None))


def exceptions(
    size: GroupSize, subject: Subject, checkpoint: CheckpointRecord
) -> Iterator[tuple[float, str | None]]:
    """Yield the shares of a group that a checkpoint stores apart, each with its format."""
    for each in checkpoint.exceptions:
        if each.group is size.group:
            yield _share(each, size, subject.architecture), each.precision


def _share(each: MatrixFormat, size: GroupSize, architecture: ArchitectureRecord) -> float:
    parameters = sum(size.matrices.get(matrix, 0) for matrix in each.matrices)
    share = parameters / size.parameters if each.matrices else 1.0
    return share * each.layers / _layers(size.group, architecture) if each.layers else share


def _layers(group: TensorGroup, architecture: ArchitectureRecord) -> int:
    """Return the layers that have tensors of a group."""
    match group:
        case TensorGroup.ATTENTION:
            return attention_layer_count(architecture)
        case TensorGroup.RECURRENT:
            return sum(layers.layers for layers in architecture.recurrent)
        case TensorGroup.FFN:
            return dense_layers(architecture)
    return architecture.moe.layers if architecture.moe else architecture.layers


def mtp_weights_bytes(subject: Subject, precision: PrecisionRecord) -> int:
    """Return the stored weights of multi-token-prediction heads, bytes."""
    found = checkpoint_of(subject, precision)
    own_bits = precision.weight_bits if precision.quantises_mtp else UNQUANTISED_BITS
    bits = found.mtp_bits if found else own_bits
    return ceil_div(round(subject.mtp_parameters * bits), 8)


def table_copy_bytes(subject: Subject, precision: PrecisionRecord) -> int:
    """Return the second copy of a tied head's table that a checkpoint stores, bytes.

    Engines load the table once. GGUF files count theirs as a head (`with_own_head`).
    """
    if not subject.architecture.tied_embeddings or precision.scheme is PrecisionScheme.GGUF:
        return 0
    is_own = precision.id == subject.native_precision
    stores_head = subject.model is not None and subject.model.stores_head
    if not (stores_head if is_own else precision.copies_tied_head):
        return 0
    table = subject.architecture.vocabulary_size * subject.architecture.hidden_size
    return ceil_div(round(table * UNQUANTISED_BITS), 8)
