"""Records of training software: what its code keeps in memory, and what was measured beside it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from sizing.records.base import Identifier, Name, Record, SourcedRecord
from sizing.records.overhead import BytesPerEntryRange, GibRange, PercentRange


class Stages(StrEnum):
    """How layers that are spread over several GPUs work."""

    IN_TURN = "in_turn"
    """One stage at a time, on one batch (`device_map`)."""

    ONE_FORWARD_ONE_BACKWARD = "one_forward_one_backward"
    """All at once: the first stage holds a batch for every stage (Narayanan et al. 2021)."""


class FrameworkRecord(SourcedRecord):
    """One training framework, as far as its code decides memory."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case, words joined by a hyphen."""

    scores: BytesPerEntryRange
    """Copies of the score of one vocabulary entry at the peak of the loss, all together."""

    fuses_loss: bool = False
    """Whether the loss is computed piece by piece together with the head, unless told otherwise."""

    raises_base: bool = False
    """Whether what a 4-bit or 8-bit base leaves in 16 bits is raised to 32 before adapters."""

    raises_norms: bool = True
    """Whether norms compute in 32 bits and keep that copy of their input."""

    copies_inputs: bool = True
    """Whether every adapter keeps a copy of its input of its own."""

    adapter_dropout: bool = False
    """Whether adapters drop inputs out by default, which keeps a mask of each."""

    adapts_experts: bool = False
    """Whether adapters hang on routed experts as well."""

    keeps_quantised_inputs: bool = False
    """Whether products of a 4-bit base keep inputs that they do not need, and beyond the step."""

    quantises_head: bool = False
    """Whether a 4-bit base has its head in 4 bits as well."""

    unties_head: bool = False
    """Whether the head is a matrix of its own even where the model shares the embedding's."""

    gradient_bits: Literal[16, 32] = 16
    """Bits of a gradient of a trained weight of 16 bits."""

    stages: Stages = Stages.IN_TURN
    """How layers that are spread over several GPUs work."""

    splits_sequence: bool = False
    """Whether tensor parallelism shares out what stands between the products as well."""

    shards_optimizer: bool = False
    """Whether copies of the model share out the optimizer, unless told otherwise."""


class TrainingOverheads(Record):
    """Memory of one GPU that no code states, fitted on measured runs."""

    context: GibRange
    """Driver context and loaded kernels of one process."""

    communication: GibRange
    """Buffers of one process where several GPUs train."""

    unusable: PercentRange
    """What the allocator reserves beyond all tensors, as a share of them."""
