"""What a training run does: the settings that decide its memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sizing.answer import GroupWeights
from sizing.media import TEXT_ALONE, Media
from sizing.records import TensorGroup
from sizing.request import Mode, Optimizer
from sizing.subject import Subject

DEFAULT_RANK = 16
"""Rank of adapters unless told otherwise."""

SIXTEEN_BITS = 16

ENCODERS = frozenset({TensorGroup.VISION, TensorGroup.AUDIO})
"""Groups that training scripts freeze: image and audio encoders (ms-swift, LLaMA-Factory)."""


class Targets(StrEnum):
    """Linear layers that carry adapters."""

    ALL_LINEAR = "all_linear"
    ATTENTION = "attention"
    QUERY_VALUE = "query_value"


@dataclass(frozen=True)
class TrainingPlan:
    """One training run, every default filled in."""

    subject: Subject
    groups: tuple[GroupWeights, ...]
    """Weights of the base model as they are held during the run."""
    mode: Mode
    sequence_tokens: int
    micro_batch: int
    """Sequences that one GPU computes at once."""
    checkpointing: bool = True
    """Whether only the input of each layer is kept and the rest computed again."""
    media: Media = TEXT_ALONE
    """Images and sound of a sequence, part of its length."""
    optimizer: Optimizer = Optimizer.ADAMW
    rank: int = DEFAULT_RANK
    targets: Targets = Targets.ALL_LINEAR
    frozen: frozenset[TensorGroup] = ENCODERS
    """Groups that a full fine-tuning leaves as they are."""
    preference: bool = False
    """Whether each sequence is a pair of answers, judged against a frozen reference (DPO)."""
    chunked_loss: bool = False
    """Whether the loss is computed in pieces, so that no full table of logits exists."""

    @property
    def tokens(self) -> int:
        """Return the tokens that one GPU computes at once: of both answers of a pair."""
        return self.sequence_tokens * self.micro_batch * (2 if self.preference else 1)

    @property
    def is_full(self) -> bool:
        """Return whether the model's own weights are trained."""
        return self.mode is Mode.FULL

    @property
    def keeps_reference(self) -> bool:
        """Return whether a frozen copy of the model stands beside it.

        With adapters the model without them is the reference (`DPOTrainer` of TRL).
        """
        return self.preference and self.is_full

    @property
    def weights_bytes(self) -> int:
        """Return the weights of the base model, bytes."""
        return sum(group.weights_bytes for group in self.groups)

    @property
    def is_quantised(self) -> bool:
        """Return whether some of the base weights are held in fewer than 16 bits."""
        return any(group.bits_per_weight < SIXTEEN_BITS for group in self.groups)
