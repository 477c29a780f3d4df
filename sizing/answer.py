"""The answer: breakdowns whose parts sum to their totals, for people and programs alike."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from sizing.records import Count, Identifier, ModelKind, PositiveCount, Record, TensorGroup
from sizing.request import Correction, GpuChoice, Mode, Targets

NoteValue = str | int | float | bool | tuple[str, ...] | None


class Note(Record):
    """Sentence to be worded by the reader's language: its code and the values it needs."""

    code: Identifier | str
    """Key of the sentence in the message catalogues."""

    values: dict[str, NoteValue] = Field(default_factory=dict)
    """Values of the sentence; units stand in the keys."""


def note(code: str, **values: NoteValue) -> Note:
    """Return the note of that code with its values."""
    return Note(code=code, values=values)


class Verdict(StrEnum):
    """Whether a load runs on a set of GPUs."""

    FITS = "fits"
    TIGHT = "tight"
    DOES_NOT_FIT = "does_not_fit"
    UNSUPPORTED = "unsupported"


class GpuCount(Record):
    """One kind of accelerator and how many."""

    gpu: Identifier
    """Catalogue id."""

    count: PositiveCount
    """Devices."""


class Understood(Record):
    """The question as it was answered, defaults filled in."""

    model: str
    """Name people read."""

    model_id: str | None
    """Catalogue id; None for a bare size."""

    kind: ModelKind
    """What the model does."""

    parameters: PositiveCount
    """Parameters that are loaded."""

    active_parameters: PositiveCount
    """Parameters a token passes."""

    precision: str
    """Precision of the weights, id."""

    bits_per_weight: float
    """Bits of a parameter on average over the whole model."""

    kv_precision: str
    """Precision of the KV cache, id."""

    engine: str
    """Serving engine, id."""

    mode: Mode
    """Inference or a kind of training."""

    context_tokens: PositiveCount
    """Prompt and output tokens of one request together."""

    input_tokens: int | None
    """Prompt tokens of one request."""

    output_tokens: int | None
    """Output tokens of one request."""

    concurrent_requests: PositiveCount
    """Requests in flight at once."""

    requests_per_s: float | None
    """Arrival rate, requests per second."""

    memory_fraction: float
    """Share of usable memory the engine may take."""

    tensor_parallel: int | None
    """Tensor-parallel degree, as asked."""

    pipeline_parallel: int | None
    """Pipeline-parallel degree, as asked."""

    expert_parallel: int | None
    """Expert-parallel degree, as asked."""

    gpus: tuple[GpuChoice, ...] | None
    """Accelerators the asker named."""

    targets: Targets
    """Wishes about speed."""

    budget_usd: float | None
    """Money to spend, USD."""

    network_gbps: float | None
    """Network between servers, Gbit per second."""

    power_limit_w: float | None
    """Power to stay under, W."""

    read_as: tuple[Correction, ...]
    """What was corrected on reading."""


class GroupWeights(Record):
    """Weights of one tensor group."""

    group: TensorGroup
    """Which tensors."""

    parameters: PositiveCount
    """Parameters of the group."""

    bits_per_weight: float
    """Bits of a parameter, scales included."""

    weights_bytes: PositiveCount
    """Memory of the group, bytes."""


class Memory(Record):
    """Memory need on a single GPU large enough to hold all; each total is the sum of its parts."""

    groups: tuple[GroupWeights, ...]
    """Weights by tensor group; they sum to `weights_bytes`."""

    weights_bytes: PositiveCount
    """Weights that are loaded, bytes."""

    mtp_weights_bytes: Count
    """Weights of multi-token-prediction heads: stored, not loaded, not in any total, bytes."""

    kv_bytes_per_token: int | None
    """KV cache of one token, all layers, no split, bytes; None where not yet supported."""

    kv_bytes_fixed_per_request: int | None
    """State of one request that does not grow with its length, bytes."""

    kv_cache_bytes: int | None
    """KV cache of the asked load, bytes."""

    adapter_bytes: int | None
    """LoRA adapters served beside the model, bytes."""

    activation_bytes: int | None
    """Peak of activations, bytes."""

    activation_low_bytes: int | None
    """Low bound of the activations, bytes."""

    activation_high_bytes: int | None
    """High bound of the activations, bytes."""

    runtime_bytes: int | None
    """CUDA context, communication buffers and CUDA graphs, bytes."""

    runtime_low_bytes: int | None
    """Low bound of the runtime overhead, bytes."""

    runtime_high_bytes: int | None
    """High bound of the runtime overhead, bytes."""

    total_bytes: int | None
    """Typical need, bytes."""

    total_low_bytes: int | None
    """Low bound of the need, bytes."""

    total_high_bytes: int | None
    """High bound of the need, bytes."""

    rule_20_percent_bytes: PositiveCount
    """Rule of thumb: parameters x nominal bytes, plus 20 %, bytes."""

    rule_25_percent_bytes: PositiveCount
    """Rule of thumb: parameters x nominal bytes, plus 25 %, bytes."""


class PerGpu(Record):
    """Memory of the fullest GPU of an option; the parts sum to `budget_bytes`."""

    usable_bytes: PositiveCount
    """Memory the driver shows, bytes."""

    budget_bytes: PositiveCount
    """Usable memory times the memory fraction, bytes."""

    weights_bytes: PositiveCount
    """Weights on this GPU, bytes."""

    kv_cache_bytes: Count
    """KV cache of the asked load on this GPU, bytes."""

    activation_bytes: Count
    """Peak of activations, bytes."""

    runtime_bytes: Count
    """CUDA context, communication buffers and CUDA graphs, bytes."""

    need_bytes: PositiveCount
    """Typical need: weights, KV cache, activations and runtime overhead, bytes."""

    need_low_bytes: PositiveCount
    """Low bound of the need, bytes."""

    need_high_bytes: PositiveCount
    """High bound of the need, bytes."""

    kv_pool_bytes: Count
    """Memory left for KV cache: budget minus weights, activations and runtime, bytes."""

    free_bytes: int
    """Budget minus the typical need, bytes; negative where it does not fit."""


class Option(Record):
    """One set of GPUs and what it does with the asked load."""

    gpu: Identifier
    """Catalogue id."""

    gpus: PositiveCount
    """Devices of all replicas."""

    nodes: PositiveCount
    """Servers they stand in."""

    replicas: PositiveCount
    """Copies of the model."""

    tensor_parallel: PositiveCount
    """Tensor-parallel degree."""

    pipeline_parallel: PositiveCount
    """Pipeline-parallel degree."""

    expert_parallel: PositiveCount
    """Expert-parallel degree."""

    verdict: Verdict
    """Whether the asked load runs."""

    per_gpu: PerGpu | None
    """Memory of the fullest GPU; None where the format does not run there."""

    kv_pool_tokens: int | None
    """Tokens that the KV pool of one replica holds."""

    max_context_tokens: int | None
    """Longest context at the asked concurrency, tokens."""

    max_concurrent_requests: int | None
    """Requests of the asked context that fit at once, all replicas."""

    minimum_memory_fraction: float | None
    """Least memory fraction that holds the asked load, 0-1."""

    mig_profile: str | None
    """MIG slice, where the option is one."""

    performance: None
    """Speed; not estimated yet."""

    power_w: float | None
    """Maximum power of the devices, W."""

    price: None
    """Price; not known."""

    reasons: tuple[Note, ...]
    """Why this verdict and this place in the order."""


class CatalogueStamp(Record):
    """Which catalogue an answer was computed from."""

    version: str
    """Package version."""

    date: str
    """Newest day on which a fact of it was checked, ISO 8601."""

    digest: str
    """First 16 hex digits of the SHA-256 of its files."""


class SizingAnswer(Record):
    """All that is known about the question."""

    understood: Understood
    """The question as it was answered."""

    memory: Memory
    """What the load needs."""

    options: tuple[Option, ...]
    """Sets of GPUs, best first; the asked ones before all others."""

    warnings: tuple[Note, ...]
    """What the asker should know before trusting the answer."""

    assumptions: tuple[Note, ...]
    """Defaults that were filled in, and estimates."""

    catalogue: CatalogueStamp
    """Which facts were used."""

    @property
    def supported(self) -> bool:
        """Return whether the engine can size this architecture; without it there are no options."""
        return self.memory.total_bytes is not None
