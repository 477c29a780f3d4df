"""Records of serving engines and their measured overheads."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records.base import Identifier, Name, Positive, PositiveCount, Record, SourcedRecord


class GibRange(Record):
    """Low, typical and high of a measured size, GiB."""

    low_gib: Annotated[float, Field(ge=0)]
    """Tenth percentile of what was measured, GiB."""

    typical_gib: Annotated[float, Field(ge=0)]
    """Median of what was measured, GiB."""

    high_gib: Annotated[float, Field(ge=0)]
    """Ninetieth percentile of what was measured, GiB."""


class BytesPerEntryRange(Record):
    """Low, typical and high of a size for each vocabulary entry, bytes."""

    low_bytes_per_entry: Positive
    """Tenth percentile, bytes for each entry."""

    typical_bytes_per_entry: Positive
    """Median, bytes for each entry."""

    high_bytes_per_entry: Positive
    """Ninetieth percentile, bytes for each entry."""


class OverheadRecord(Record):
    """Memory of one GPU beside weights and KV cache, as measured."""

    activation_per_vocabulary_entry: BytesPerEntryRange
    """Peak of activations for each vocabulary entry (logits and sampler buffers)."""

    activation_floor: GibRange
    """Least activation peak of a small vocabulary."""

    activation_multimodal: GibRange
    """Activation peak that an image or audio encoder adds."""

    activation_moe_parallel: GibRange
    """Activation peak of a mixture of experts split over two to four GPUs."""

    communication_single: GibRange
    """Buffers outside the tensor library on a single GPU."""

    communication_parallel: GibRange
    """The same where GPUs talk to each other."""

    graphs_single: GibRange
    """Captured CUDA graphs on a single GPU."""

    graphs_parallel: GibRange
    """Captured CUDA graphs of a model split over GPUs."""

    context: GibRange
    """Driver context and loaded kernels."""


class SplitMode(StrEnum):
    """How an engine spreads one model over GPUs."""

    TENSOR = "tensor"
    LAYER = "layer"


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

    overhead: OverheadRecord | None = None
    """Measured overheads; absent where `sized_as` names another engine."""
