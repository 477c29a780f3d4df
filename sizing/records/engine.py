"""Records of serving engines."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records.base import (
    Identifier,
    Name,
    PositiveCount,
    Record,
    SourcedRecord,
    Text,
)
from sizing.records.gpu import GpuRecord
from sizing.records.host_cache import HostCacheRecord
from sizing.records.model import ModelKind
from sizing.records.overhead import OverheadRecord, PassOverheadRecord
from sizing.units import GIB

TEXT_KINDS = (ModelKind.LLM, ModelKind.MOE, ModelKind.VLM, ModelKind.HYBRID)
"""Kinds that write text."""


class SplitMode(StrEnum):
    """How an engine spreads one model over GPUs."""

    TENSOR = "tensor"
    LAYER = "layer"


class Reservation(StrEnum):
    """What an engine takes of a GPU when it starts, and what its setting is a share of."""

    SHARE_OF_ALL = "share_of_all"
    """Everything inside a share of the whole memory; what is left of it becomes KV cache."""

    WEIGHTS_AND_CACHE = "weights_and_cache"
    """Weights and KV cache inside a share of the whole memory; the rest lies outside."""

    SHARE_OF_FREE = "share_of_free"
    """KV cache as a share of what weights, activations and buffers leave free."""

    SHARE_AFTER_WEIGHTS = "share_after_weights"
    """KV cache as a share of what the weights leave free, before activations."""

    AS_ASKED = "as_asked"
    """KV cache of exactly the asked context and requests."""

    AS_USED = "as_used"
    """Nothing ahead: the cache grows with each request."""


class LaunchRecord(Record):
    """How an engine is started: what a command line needs beside the sized values."""

    image: Text | None = None
    """Container image for NVIDIA GPUs."""

    rocm_image: Text | None = None
    """Container image for AMD GPUs."""

    port: PositiveCount
    """Port that its server listens on."""

    memory_flag: Text | None = None
    """Option for its share of the memory; None where it has none."""

    context_flag: Text | None = None
    """Option for the longest context of a request."""

    requests_flag: Text | None = None
    """Option for the most requests in flight."""

    kv_flag: Text | None = None
    """Option for the precision of the KV cache."""

    eager_flag: Text | None = None
    """Words that switch CUDA graphs off."""

    offload_flag: Text | None = None
    """Option that keeps a part of the weights in host memory."""

    quantises: dict[Identifier, Text] = Field(default_factory=dict)
    """Formats it turns 16-bit weights into while loading, and its word for each."""

    kv_words: dict[Identifier, Text] = Field(default_factory=dict)
    """Precisions of the KV cache other than the model's own, and its word for each."""

    starts_across_servers: bool = False
    """Whether its documentation says how to start one copy over several servers."""


class StepRecord(Record):
    """What an engine takes on at once unless told otherwise, from a size of memory on."""

    from_gib: Annotated[float, Field(ge=0)]
    """Least memory of the GPU, GiB."""

    not_on: tuple[Identifier, ...] = ()
    """Architectures it does not hold for."""

    families: tuple[Identifier, ...] = ()
    """Families of GPUs it holds for; empty for all."""

    batched_tokens: PositiveCount
    """Most tokens of one step."""

    requests: PositiveCount | None = None
    """Most requests in flight; None where it follows from the cache."""


class EngineRecord(SourcedRecord):
    """One serving engine."""

    id: Identifier
    """Unique id."""

    name: Name
    """Name people read."""

    aliases: tuple[Identifier, ...] = ()
    """Other spellings, lower case."""

    sized_as: Identifier
    """Engine whose measured overheads are used; itself where it has its own."""

    default_memory_fraction: Annotated[float, Field(gt=0, le=1)]
    """Share of usable memory the engine may take."""

    reservation: Reservation = Reservation.SHARE_OF_ALL
    """What it takes of a GPU when it starts."""

    own_default_fraction: Annotated[float, Field(gt=0, le=1)] | None = None
    """Default of its own setting; None where it has none or derives it from the GPU."""

    filled_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Part of its own setting that it fills; the rest stays free, for CUDA graphs and peaks."""

    graphs_inside_budget: bool = True
    """Whether the memory of CUDA graphs is counted inside its share (False: beside it)."""

    kv_block_tokens: PositiveCount
    """Tokens of one block of KV cache."""

    split: SplitMode
    """How it spreads a model over GPUs."""

    honours_windows: bool = True
    """Whether layers with a window keep that window only; else the whole context."""

    refuses_storage_only: bool = False
    """Whether it refuses formats the GPU cannot compute in."""

    runs_on: tuple[Identifier, ...]
    """Architectures it runs on."""

    max_tensor_parallel: PositiveCount
    """Largest tensor-parallel group inside one server."""

    steps: tuple[StepRecord, ...] = ()
    """What it takes on at once by default; the last that holds for a GPU counts."""

    launch: LaunchRecord | None = None
    """How it is started; absent where no command is known."""

    host_cache: HostCacheRecord | None = None
    """How it keeps KV cache in host memory; absent where it does not."""

    overhead: OverheadRecord | None = None
    """Measured overheads; absent where `sized_as` names another engine."""

    kinds: tuple[ModelKind, ...] = TEXT_KINDS
    """Kinds of models it runs."""

    default_for: tuple[ModelKind, ...] = ()
    """Kinds of models it runs unless another engine is named."""

    passes: PassOverheadRecord | None = None
    """Overheads of models that work in passes; those of `sized_as` where absent."""

    step_tokens: PositiveCount | None = None
    """Most tokens of one step of an encoder; None where it works on the whole batch."""

    compute_bits: PositiveCount | None = None
    """Bits of a number in a pass; None where they are those of the weights."""

    joins_guidance: bool = True
    """Whether the copies of an item that guidance needs are worked on at once."""

    fuses_attention: bool = True
    """Whether a pass keeps no attention matrix."""

    offloads_text_encoders: bool = False
    """Whether text encoders leave the GPU once they have read the prompt."""

    def share_of_memory(self, asked: float | None) -> float:
        """Return the share of usable memory that it takes: as asked, never more than it fills."""
        return min(asked or self.default_memory_fraction, self.filled_share)

    def step_on(self, gpu: GpuRecord) -> StepRecord | None:
        """Return what it takes on at once by default on that GPU; None where it is not known."""
        usable_gib = gpu.usable_bytes / GIB
        holding = (
            step
            for step in reversed(self.steps)
            if step.from_gib <= usable_gib
            and gpu.architecture not in step.not_on
            and (not step.families or gpu.family in step.families)
        )
        return next(holding, None)
