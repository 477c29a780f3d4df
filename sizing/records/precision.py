"""Records of number formats for weights and KV cache."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records.architecture import TensorGroup
from sizing.records.base import Count, Identifier, Name, Positive, SourcedRecord
from sizing.records.gguf import GgufRecipe


class PrecisionScheme(StrEnum):
    """What a number format is applied to."""

    FLOAT = "float"
    WEIGHTS_AND_ACTIVATIONS = "weights_and_activations"
    WEIGHTS_ONLY = "weights_only"
    GGUF = "gguf"


class PrecisionRecord(SourcedRecord):
    """One number format for weights, with its real cost."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    specialises: Identifier | None = None
    """Broader name that also means this format where a checkpoint is published in it."""

    scheme: PrecisionScheme
    """What the format is applied to."""

    nominal_bits: Positive
    """Bits of a weight in its name: what a rule of thumb multiplies by."""

    weight_bits: Positive
    """Bits of a quantised weight, group scales and zero points included."""

    channel_scale_bits: Count = 0
    """Bits of scale kept for each output channel."""

    scale_group_weights: Count = 0
    """Weights along a row that share a scale, where a split must keep them together; else 0."""

    quantises_mtp: bool = False
    """Whether multi-token-prediction heads are stored in it too; else in 16 bits."""

    copies_tied_head: bool = False
    """Whether the tools that make it store the table of a tied head a second time, in 16 bits."""

    head_bits: Positive | None = None
    """Bits of a weight of the output head, where it has a width of its own."""

    quantised_groups: Annotated[tuple[TensorGroup, ...], Field(min_length=1)]
    """Tensor groups stored in this format; the others stay in 16 bits."""

    gguf: GgufRecipe | None = None
    """Types of the tensors of a GGUF file, from which its size follows."""

    engines: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Engines that load it; the first is the default."""

    native_on: tuple[Identifier, ...]
    """Architectures that compute in this format."""

    storage_only_on: tuple[Identifier, ...] = ()
    """Architectures that store it and compute in 16 bits: memory saved, no faster arithmetic."""

    instead: tuple[Identifier, ...] = ()
    """Precisions to use where this one does not run, best first."""


class KvPrecisionRecord(SourcedRecord):
    """One number format for the KV cache."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    element_bits: Positive
    """Bits of one cached number, scales included."""

    engines: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Engines that offer it."""

    runs_on: tuple[Identifier, ...]
    """Architectures that can read it."""
