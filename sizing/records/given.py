"""A model that is not in the catalogue: its shape, as read from a file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from sizing.records.architecture import ArchitectureRecord, TensorGroup
from sizing.records.base import Count, Identifier, Name, PositiveCount, Record, Text
from sizing.records.media import ImageRule, SoundRule
from sizing.records.model import ModelKind


class Doubt(StrEnum):
    """What a file says that is not understood: the answer is an estimate, and names it."""

    MODEL_TYPE = "model_type"
    QUANTISATION = "quantisation"
    ENCODER = "encoder"
    PARAMETERS = "parameters"


class GivenTensors(Record):
    """Size of one tensor group as it lies in a file."""

    group: TensorGroup
    """Tensors that number formats treat alike."""

    parameters: PositiveCount
    """Parameters of the group."""

    weights_bytes: PositiveCount
    """Bytes the group takes in the file."""


class GivenModel(Record):
    """One model from outside the catalogue, complete enough to answer again without its file."""

    name: Name
    """Name people read."""

    kind: ModelKind
    """What the model does."""

    source: Text
    """Where its shape was read: a file's name or a repository."""

    model_type: Name
    """Line of models the file says it belongs to."""

    digest: str
    """First 16 hexadecimal digits of the SHA-256 of what was read."""

    architecture: ArchitectureRecord
    """Shape of the model."""

    max_context_tokens: PositiveCount | None = None
    """Longest context the model was made for; None where the file does not say it."""

    native_precision: Identifier
    """Precision in which the file's weights are stored."""

    native_groups: dict[TensorGroup, Identifier] = Field(default_factory=dict)
    """Precision of each tensor group where the file mixes formats."""

    engine: Identifier | None = None
    """Serving engine that reads such files; None where the precision's default serves."""

    mtp_parameters: Count = 0
    """Parameters of multi-token-prediction heads: stored, loaded only to speculate."""

    tensors: tuple[GivenTensors, ...] = ()
    """Sizes read from the file itself; empty where they are counted from the shape."""

    image: ImageRule | None = None
    """Rule for the tokens of an image; None where it reads none or the rule is not known."""

    sound: SoundRule | None = None
    """Rule for the tokens of sound; None where it reads none or the rule is not known."""

    doubts: tuple[Doubt, ...] = ()
    """What was not understood."""
