"""Records of models: names, published figures and shape."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from sizing.records.architecture import ArchitectureRecord, TensorGroup
from sizing.records.base import (
    Count,
    Identifier,
    Name,
    Positive,
    PositiveCount,
    Record,
    SourcedRecord,
    Text,
)


class ModelKind(StrEnum):
    """What a model does, as far as sizing cares."""

    LLM = "llm"
    MOE = "moe"
    VLM = "vlm"
    HYBRID = "hybrid"


class CheckpointRecord(Record):
    """A published checkpoint in another precision that leaves more, or less, in 16 bits."""

    repository: Text
    """Where it is published."""

    precision: Identifier
    """Precision that people call it by."""

    groups: dict[TensorGroup, Identifier]
    """Format of each quantised tensor group; the others stay in 16 bits."""

    mtp_bits: Positive = 16
    """Bits of a weight of the multi-token-prediction heads."""


class ModelRecord(SourcedRecord):
    """One model of the catalogue."""

    id: Identifier
    """Unique id, also the name people type most."""

    name: Name
    """Name people read."""

    family: Identifier
    """Line of models it belongs to."""

    kind: ModelKind
    """Dense text model, mixture of experts, vision-language model or hybrid."""

    hf_id: Text
    """Repository on the Hugging Face Hub."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    alternatives: tuple[Identifier, ...] = ()
    """Ids of models that its ambiguous aliases could also mean, named in the answer."""

    max_context_tokens: PositiveCount
    """Longest context the model was made for, prompt and output tokens together."""

    image_pixels_per_token: PositiveCount | None = None
    """Pixels of an image that one token of context stands for; None where it is fixed or none."""

    native_precision: Identifier
    """Precision in which the checkpoint is published."""

    native_groups: dict[TensorGroup, Identifier] = Field(default_factory=dict)
    """Precision of each tensor group in the published checkpoint where it mixes formats."""

    published_in: tuple[Identifier, ...] = ()
    """Other precisions in which its publisher offers it: what their broader names mean here."""

    checkpoints: tuple[CheckpointRecord, ...] = ()
    """Published checkpoints whose formats differ from what their precision quantises."""

    license: Name
    """Licence, as the publisher names it."""

    release: Annotated[str, StringConstraints(pattern=r"^20\d\d(-[01]\d)?$")]
    """Year and month of release; the year alone where the month is not known."""

    published_parameters: PositiveCount | None = None
    """Parameters the publisher states: the test of our count, never its input."""

    published_is_rounded: bool = False
    """Whether that statement is rounded, such as "230B"."""

    published_includes_mtp: bool = False
    """Whether that statement counts the multi-token-prediction heads."""

    mtp_parameters: Count = 0
    """Parameters of multi-token-prediction heads: stored, loaded only to speculate."""

    architecture: ArchitectureRecord
    """Shape of the text model."""
