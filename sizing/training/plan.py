"""What a training run does: the settings that decide its memory."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.answer import GroupWeights
from sizing.media import TEXT_ALONE, Media
from sizing.records import FrameworkRecord, TensorGroup, TrainingOverheads
from sizing.request import Mode
from sizing.subject import Subject
from sizing.training.methods import PAIRED, REFERENCED
from sizing.tuning import (
    PARTIAL_TUNERS,
    AdapterTargets,
    Encoders,
    Loss,
    Method,
    Offload,
    Optimizer,
    Tuner,
    Tuning,
)

SIXTEEN_BITS = 16

ENCODERS = frozenset({TensorGroup.VISION, TensorGroup.AUDIO})
"""Groups that training scripts freeze: image and audio encoders (ms-swift, LLaMA-Factory)."""

FROZEN = ENCODERS | {TensorGroup.VOCODER}
"""Groups beside the text model: encoders, and what turns its output into sound."""


@dataclass(frozen=True)
class TrainingPlan:
    """One training run, every default filled in."""

    subject: Subject
    groups: tuple[GroupWeights, ...]
    """Weights of the base model as they are held during the run."""
    mode: Mode
    method: Method
    sequence_tokens: int
    micro_batch: int
    """Sequences that one GPU computes at once."""
    framework: FrameworkRecord
    overheads: TrainingOverheads
    rank: int
    """Rank of the adapters, or what stands for it in other kinds of them."""
    tuning: Tuning
    beside_bytes: int | None = None
    """Weights of a named teacher or reward model; None for one like the model itself."""
    picture_patches: int | None = None
    """Patches that encoders read for one sequence; None where no picture was told."""
    media: Media = TEXT_ALONE
    """Images and sound of a sequence, part of its length."""

    @property
    def tokens(self) -> int:
        """Return the tokens that one GPU computes at once: of both answers of a pair."""
        answers = 2 if self.method in PAIRED else 1
        return self.sequence_tokens * self.micro_batch * answers

    @property
    def is_full(self) -> bool:
        """Return whether the model's own weights are trained, all or some."""
        return self.mode is Mode.FULL

    @property
    def optimizer(self) -> Optimizer:
        """Return the optimizer, AdamW in mixed precision unless told otherwise."""
        return self.tuning.optimizer or Optimizer.ADAMW

    @property
    def checkpointing(self) -> bool:
        """Return whether only the input of each layer is kept and the rest computed again."""
        return self.tuning.checkpointing is not False

    @property
    def encoder_checkpointing(self) -> bool:
        """Return the same of image and audio encoders."""
        asked = self.tuning.encoder_checkpointing
        return self.checkpointing if asked is None else asked

    @property
    def tuner(self) -> Tuner | None:
        """Return the kind of adapter or of partial training; None where all is trained."""
        tuner = self.tuning.tuner
        if self.is_full:
            return tuner if tuner in PARTIAL_TUNERS else None
        return tuner if tuner and tuner not in PARTIAL_TUNERS else Tuner.LORA

    @property
    def targets(self) -> AdapterTargets:
        """Return the layers that carry adapters."""
        return self.tuning.targets or AdapterTargets.ALL_LINEAR

    @property
    def encoders(self) -> Encoders:
        """Return what happens to image and audio encoders."""
        return self.tuning.encoders or Encoders.FROZEN

    @property
    def loss(self) -> Loss:
        """Return how the scores of the vocabulary are computed."""
        usual = Loss.FUSED if self.framework.fuses_loss else Loss.WHOLE
        return self.tuning.loss or usual

    @property
    def keeps_reference(self) -> bool:
        """Return whether a frozen copy of the model stands beside it.

        With adapters the model without them is the reference (`DPOTrainer` of TRL).
        """
        return self.method in REFERENCED and self.is_full

    @property
    def offloads_all(self) -> bool:
        """Return whether weights too come from host memory layer by layer."""
        return self.tuning.offload is Offload.ALL

    @property
    def weights_bytes(self) -> int:
        """Return the weights of the base model, bytes."""
        return sum(group.weights_bytes for group in self.groups)

    @property
    def is_quantised(self) -> bool:
        """Return whether some of the base weights are held in fewer than 16 bits."""
        return any(group.bits_per_weight < SIXTEEN_BITS for group in self.groups)

    @property
    def raises_base(self) -> bool:
        """Return whether what a quantised base leaves in 16 bits is raised to 32."""
        widest = max(group.bits_per_weight for group in self.groups)
        return self.is_quantised and widest > SIXTEEN_BITS

    @property
    def computes_in_32_bits(self) -> bool:
        """Return whether weights of 32 bits are multiplied as they are."""
        widest = max(group.bits_per_weight for group in self.groups)
        raised = widest > SIXTEEN_BITS and not self.is_quantised
        return raised and not self.tuning.autocast
