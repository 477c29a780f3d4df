"""Records of models: names, published figures and shape."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from sizing.records.architecture import ArchitectureRecord, TensorGroup
from sizing.records.base import (
    Count,
    Identifier,
    Name,
    PositiveCount,
    SourcedRecord,
    Text,
)
from sizing.records.checkpoint import CheckpointRecord
from sizing.records.pipeline import PipelineRecord


class ModelKind(StrEnum):
    """What a model does, as far as sizing cares."""

    LLM = "llm"
    MOE = "moe"
    VLM = "vlm"
    HYBRID = "hybrid"
    EMBEDDING = "embedding"
    RERANKER = "reranker"
    VISION = "vision"
    ASR = "asr"
    TTS = "tts"
    IMAGE = "image"
    VIDEO = "video"


POOLING_KINDS = frozenset({ModelKind.EMBEDDING, ModelKind.RERANKER})
"""Kinds that read a text once and write none."""


class ModelRecord(SourcedRecord):
    """One model of the catalogue."""

    id: Identifier
    """Unique id, also the name people type most."""

    name: Name
    """Name people read."""

    family: Identifier
    """Line of models it belongs to."""

    kind: ModelKind
    """What it does."""

    hf_id: Text
    """Repository on the Hugging Face Hub."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    alternatives: tuple[Identifier, ...] = ()
    """Ids of models that its ambiguous aliases could also mean, named in the answer."""

    max_context_tokens: PositiveCount | None = None
    """Longest context the model was made for, prompt and output tokens together; None where it
    reads no text."""

    processor: Identifier | None = None
    """What turns its images and sound into tokens; None where it reads neither."""

    processor_is_published: bool = True
    """Whether the rule is known by which it turns them into tokens, where it reads some."""

    native_precision: Identifier
    """Precision in which the checkpoint is published."""

    native_groups: dict[TensorGroup, Identifier] = Field(default_factory=dict)
    """Precision of each tensor group in the published checkpoint where it mixes formats."""

    published_in: tuple[Identifier, ...] = ()
    """Other precisions in which its publisher offers it: what their broader names mean here."""

    checkpoints: tuple[CheckpointRecord, ...] = ()
    """Published checkpoints whose formats differ from what their precision quantises."""

    stores_head: bool = False
    """Whether its own checkpoint stores a second copy of the table that serves both ends."""

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

    architecture: ArchitectureRecord | None = None
    """Shape of the transformer that reads and writes tokens; None for a pipeline."""

    pipeline: PipelineRecord | None = None
    """Networks that work in whole passes; None for a transformer."""

    @property
    def shape(self) -> ArchitectureRecord:
        """Return the shape of a transformer; raise ValueError for a pipeline."""
        if self.architecture is None:
            raise ValueError(f"{self.id} is a pipeline")
        return self.architecture

    @property
    def works_in_passes(self) -> bool:
        """Return whether inputs are worked on whole, with nothing cached between steps."""
        return self.architecture is None or self.kind in POOLING_KINDS

    @model_validator(mode="after")
    def _has_one_shape(self) -> ModelRecord:
        if (self.architecture is None) == (self.pipeline is None):
            raise ValueError("give either an architecture or a pipeline")
        if self.processor and not self.processor_is_published:
            raise ValueError("a processor that is not published has no id")
        if not self.works_in_passes and self.max_context_tokens is None:
            raise ValueError("max_context_tokens is missing")
        return self
