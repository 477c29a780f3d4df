"""Records of measured overheads: what an engine takes beside weights and KV cache."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.records.base import Positive, PositiveCount, Record


class GibRange(Record):
    """Low, typical and high of a measured size, GiB."""

    low_gib: Annotated[float, Field(ge=0)]
    """Tenth percentile of what was measured, GiB."""

    typical_gib: Annotated[float, Field(ge=0)]
    """Median of what was measured, GiB."""

    high_gib: Annotated[float, Field(ge=0)]
    """Ninetieth percentile of what was measured, GiB."""


class PercentRange(Record):
    """Low, typical and high of a share, percent."""

    low_percent: Annotated[float, Field(ge=0)]
    """Least share, percent."""

    typical_percent: Annotated[float, Field(ge=0)]
    """Likely share, percent."""

    high_percent: Annotated[float, Field(ge=0)]
    """Largest share, percent."""


class BytesPerEntryRange(Record):
    """Low, typical and high of a size for each vocabulary entry, bytes."""

    low_bytes_per_entry: Positive
    """Tenth percentile, bytes for each entry."""

    typical_bytes_per_entry: Positive
    """Median, bytes for each entry."""

    high_bytes_per_entry: Positive
    """Ninetieth percentile, bytes for each entry."""


class TokenRange(Record):
    """Low, typical and high of a number of tokens."""

    low_tokens: PositiveCount
    """Least that is usual, tokens."""

    typical_tokens: PositiveCount
    """What is usual, tokens."""

    high_tokens: PositiveCount
    """Most that is usual, tokens."""


class StepOverheads(Record):
    """What one step of an engine allocates."""

    batch: TokenRange
    """Tokens of one step (`max_num_batched_tokens`), where the asker names none."""

    sampler: BytesPerEntryRange
    """Logits and buffers of the sampler, for each vocabulary entry."""

    sampled_tokens: PositiveCount | None = None
    """Tokens of a step that the sampler's figure holds for, where the logits of each are kept."""


class OverheadPart(StrEnum):
    """Overheads that an engine may keep outside its memory fraction."""

    CONTEXT = "context"
    GRAPHS = "graphs"


class OverheadRecord(Record):
    """Memory of one GPU beside weights and KV cache, as measured."""

    step: StepOverheads
    """What one step allocates."""

    large_card_step: StepOverheads | None = None
    """The same on cards where the engine takes on more at once; None where it does not."""

    activation_floor: GibRange
    """Least activation peak, whatever the model."""

    activation_multimodal: GibRange
    """Least activation peak of a model with an image or audio encoder: its largest input."""

    reserved: GibRange
    """What the driver keeps of the memory it shows."""

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

    outside_budget: tuple[OverheadPart, ...] = ()
    """Parts that the memory fraction does not hold: they take of what it leaves."""

    inside_at_worst: tuple[OverheadPart, ...] = ()
    """Parts of those that some versions hold inside: the high bound does."""


class FactorRange(Record):
    """Low, typical and high of a multiple."""

    low: Positive
    """Least multiple."""

    typical: Positive
    """Likely multiple."""

    high: Positive
    """Largest multiple."""


class PassOverheadRecord(Record):
    """Memory of one GPU beside weights and counted tensors, for models that work in passes."""

    context: GibRange
    """Driver context and loaded kernels."""

    transformer: FactorRange
    """Memory of a pass through a transformer over the peak of its tensors."""

    convolution: FactorRange
    """Memory of a pass through convolutions, workspaces included, over the same peak."""
