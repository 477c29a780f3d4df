"""The question, understood: one frozen value with a unit in every name."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from sizing.records import (
    Attention,
    Count,
    GivenModel,
    Identifier,
    ModelKind,
    Positive,
    PositiveCount,
    ProfileName,
    Record,
    Text,
)
from sizing.speculation import Speculation
from sizing.spending import Spending
from sizing.tuning import Tuning


class Mode(StrEnum):
    """What the GPUs shall do with the model."""

    INFER = "infer"
    LORA = "lora"
    QLORA = "qlora"
    FULL = "full"


class Goal(StrEnum):
    """What the asker wants to know."""

    SIZE = "size"
    MAX_CONTEXT = "max_context"
    MAX_REQUESTS = "max_requests"
    WHAT_FITS = "what_fits"


class GpuChoice(Record):
    """Accelerators the asker named, or described by memory alone."""

    gpu: Identifier | None = None
    """Catalogue id; None when only a memory size was given."""

    memory_gb: Positive | None = None
    """Name-plate memory when no product was named, GB."""

    count: PositiveCount | None = None
    """Devices; None leaves the number open."""

    mig_profile: ProfileName | None = None
    """MIG slice of the product that each device is; None for whole GPUs."""


class Correction(Record):
    """Word that was read as another."""

    typed: str
    """Word as typed."""

    read_as: str
    """Word as understood."""


class Targets(Record):
    """Wishes about speed."""

    ttft_ms: Positive | None = None
    """Longest time to the first token, ms."""

    itl_ms: Positive | None = None
    """Longest time between two tokens, ms."""

    tokens_per_s: Positive | None = None
    """Least rate of one request, tokens per second."""


class Shape(Record):
    """Shape of a model known by its size alone, as far as the asker told it."""

    layers: PositiveCount | None = None
    """Transformer blocks."""

    hidden_size: PositiveCount | None = None
    """Width of the residual stream."""

    heads: PositiveCount | None = None
    """Query heads of a layer."""

    kv_heads: PositiveCount | None = None
    """Key-value heads of a layer."""

    head_dim: PositiveCount | None = None
    """Width of a head."""

    ffn_size: PositiveCount | None = None
    """Inner width of the dense feed-forward part."""

    vocabulary_size: PositiveCount | None = None
    """Entries of the embedding table."""

    @property
    def is_countable(self) -> bool:
        """Return whether the parameters follow from it."""
        needed = (self.layers, self.hidden_size, self.heads, self.ffn_size, self.vocabulary_size)
        return None not in needed


EARLIER_SETTINGS = ("zero_stage", "checkpointing", "optimizer")
"""Settings of a training run that requests of earlier logs hold beside all others."""


class SizingRequest(Record):
    """What to size; None means that the asker left it to the defaults."""

    goal: Goal = Goal.SIZE
    """What the asker wants to know."""

    model_id: Identifier | None = None
    """Catalogue id of the model; None for a bare size."""

    reference: Text | None = None
    """Model outside the catalogue, as typed: `hf:organisation/name` or `file:path`."""

    given: GivenModel | None = None
    """What that reference led to: all that the answer is computed from."""

    checkpoint: Text | None = None
    """Repository of the published checkpoint that was named; None for the first in a precision."""

    model_is_default: bool = False
    """Whether the typed name could mean other models too: some alternative of the model fits it."""

    parameters: PositiveCount | None = None
    """Parameters of a model given by size alone."""

    experts: PositiveCount | None = None
    """Experts of a mixture, each the feed-forward part of a dense model of `parameters`."""

    active_parameters: PositiveCount | None = None
    """Parameters a token passes, of a mixture given by size alone."""

    shape: Shape = Shape()
    """Shape of a model given by size alone, where the asker told it."""

    attention: Attention | None = None
    """Attention of a model given by size alone, where the asker said it."""

    kinds: tuple[ModelKind, ...] = ()
    """Kinds of models that are looked for on the named GPUs; empty for all."""

    families: tuple[Identifier, ...] = ()
    """Lines of models that are looked for on the named GPUs; empty for all."""

    precision: Identifier | None = None
    """Precision of the weights; None for the published one."""

    kv_precision: Identifier | None = None
    """Precision of the KV cache; None for 16 bits."""

    kv_in_host: bool = False
    """Whether KV cache shall lie in host memory."""

    kv_host_gib: Positive | None = None
    """Host memory for KV cache, all GPUs together, GiB; named, it is asked for as well."""

    engine: Identifier | None = None
    """Serving engine; None for the precision's default."""

    mode: Mode = Mode.INFER
    """Inference or a kind of training."""

    context_tokens: PositiveCount | None = None
    """Prompt and output tokens of one request together."""

    input_tokens: PositiveCount | None = None
    """Prompt tokens of one request."""

    output_tokens: PositiveCount | None = None
    """Output tokens of one request."""

    images: PositiveCount | None = None
    """Images of one request, for models that read them beside text."""

    width_pixels: PositiveCount | None = None
    """Width of a picture to see or to make."""

    height_pixels: PositiveCount | None = None
    """Height of a picture to see or to make."""

    frames: PositiveCount | None = None
    """Pictures of a clip."""

    seconds: PositiveCount | None = None
    """Seconds of sound of one request."""
    steps: PositiveCount | None = None
    """Steps of denoising of one picture."""

    concurrent_requests: PositiveCount | None = None
    """Requests in flight at once."""

    requests_per_s: Positive | None = None
    """Arrival rate, requests per second."""

    memory_fraction: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of usable memory the engine may take."""

    tensor_parallel: PositiveCount | None = None
    """Tensor-parallel degree, as asked."""

    pipeline_parallel: PositiveCount | None = None
    """Pipeline-parallel degree, as asked."""

    expert_parallel: PositiveCount | None = None
    """Expert-parallel degree, as asked."""

    data_parallel: PositiveCount | None = None
    """Copies of the attention whose ranks share the experts; replicas of a dense model."""

    gpus: tuple[GpuChoice, ...] = ()
    """Accelerators the asker named."""

    mixed_gpus: bool = False
    """Whether the GPUs were named as one set of unequal cards."""

    max_gpus: PositiveCount | None = None
    """Most devices the asker will take."""

    batched_tokens: PositiveCount | None = None
    """Most tokens of one engine step."""

    eager: bool = False
    """Whether CUDA graphs are switched off."""

    prefix_caching: bool = False
    """Whether beginnings that prompts share are kept and not read again."""

    disaggregated: bool = False
    """Whether prompts are read on other GPUs than answers are written on."""

    targets: Targets = Targets()
    """Wishes about speed."""

    budget_usd: Positive | None = None
    """Money for the cards, or for a month of rent where they shall be rented, USD."""

    network_gbps: Positive | None = None
    """Network between servers, Gbit per second."""

    power_limit_w: Positive | None = None
    """Power to stay under, W."""

    host_ram_gb: Positive | None = None
    """Memory of the host, GB."""

    speculation: Speculation = Speculation()
    """Speculative decoding."""

    spending: Spending = Spending()
    """Wishes about costs."""

    as_of: date | None = None
    """Day of the question, from which prices age; None for the day of the catalogue."""

    adapters: Count = 0
    """LoRA adapters served beside the model."""

    adapter_rank: PositiveCount | None = None
    """Rank of those adapters."""

    tuning: Tuning = Tuning()
    """How the model is trained, where it is."""

    read_as: tuple[Correction, ...] = ()
    """What was corrected on reading."""

    ignored: tuple[str, ...] = ()
    """Words that changed nothing."""

    @property
    def asks_host_cache(self) -> bool:
        """Return whether KV cache shall lie in host memory: in so many words, or by its size."""
        return self.kv_in_host or self.kv_host_gib is not None

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, values: object) -> object:
        """Read the log of when settings of a training run stood beside all others."""
        if not isinstance(values, dict) or "preference" not in values:
            return values
        told = {name: values[name] for name in EARLIER_SETTINGS if name in values}
        others = {key: value for key, value in values.items() if key not in {*told, "preference"}}
        return {**others, "tuning": {**told, "method": "dpo" if values["preference"] else None}}
