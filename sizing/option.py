"""One set of GPUs of an answer."""

from __future__ import annotations

from enum import StrEnum

from sizing.notes import Note
from sizing.performance import Performance
from sizing.price import Price
from sizing.records import Count, HostCacheUse, Identifier, PositiveCount, Record


class Verdict(StrEnum):
    """Whether a load runs on a set of GPUs."""

    FITS = "fits"
    TIGHT = "tight"
    DOES_NOT_FIT = "does_not_fit"
    UNSUPPORTED = "unsupported"


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

    adapter_bytes: Count
    """LoRA adapters on this GPU, bytes."""

    activation_bytes: Count
    """Peak of activations, bytes."""

    runtime_bytes: Count
    """Communication buffers, what the driver keeps, and the rest of the engine's own, bytes."""

    outside_bytes: Count = 0
    """What the engine takes beside its budget (driver context, CUDA graphs), bytes."""

    reference_bytes: Count = 0
    """Frozen copy of the model that preferences are judged against, bytes."""

    gradient_bytes: Count = 0
    """Gradients of a training run on this GPU, bytes."""

    optimizer_bytes: Count = 0
    """Optimizer states of a training run on this GPU, bytes."""

    need_bytes: PositiveCount
    """Typical need: the sum of all parts above, bytes."""

    need_low_bytes: PositiveCount
    """Low bound of the need, bytes."""

    need_high_bytes: PositiveCount
    """High bound of the need, bytes."""

    kv_pool_bytes: Count
    """Memory left for KV cache: budget minus all the rest, bytes."""

    reserved_bytes: int | None = None
    """Memory a monitor shows in use once the engine has started, bytes."""

    free_bytes: int
    """Budget minus the typical need, bytes; negative where it does not fit."""


class CardShare(Record):
    """Equal cards of a set of unequal ones."""

    gpu: Identifier
    """Catalogue id."""

    gpus: PositiveCount
    """Devices."""

    layers: int | None
    """Layers that each of them holds; None where all cards hold an even part."""


class HostCache(Record):
    """KV cache of an option in host memory."""

    use: HostCacheUse
    """What it is for."""

    size_bytes: PositiveCount
    """Host memory that it takes, all GPUs and copies together, bytes."""

    setting: str
    """Words that start the engine with it."""

    requests: Count
    """Requests of the asked context whose cache it holds."""


class Option(Record):
    """One set of GPUs and what it does with the asked load."""

    gpu: Identifier
    """Catalogue id."""

    gpus: PositiveCount
    """Devices of all replicas."""

    cards: tuple[CardShare, ...] = ()
    """The cards of a set of unequal ones, as named; `gpu` is then the fullest."""

    nodes: PositiveCount
    """Servers they stand in."""

    replicas: PositiveCount
    """Copies of the model."""

    tensor_parallel: PositiveCount
    """Tensor-parallel degree."""

    pipeline_parallel: PositiveCount
    """Pipeline-parallel degree."""

    expert_parallel: PositiveCount
    """Ranks that share the experts whole; 1 where each expert is cut."""

    data_parallel: PositiveCount = 1
    """Copies of the attention inside one replica, whose ranks share the experts."""

    zero_stage: int | None = None
    """What a training run splits over the devices: 1 optimizer, 2 gradients too, 3 weights too."""

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

    safe_max_context_tokens: int | None = None
    """The same at the high bound of all overheads, tokens."""

    safe_max_concurrent_requests: int | None = None
    """Requests of the asked context at the high bound of all overheads, all replicas."""

    host_cache: HostCache | None = None
    """KV cache in host memory; None where it was not asked for, or the engine keeps none."""

    minimum_memory_fraction: float | None
    """Least memory fraction that holds the asked load, 0-1."""

    mig_profile: str | None
    """MIG slice, where the option is one."""

    performance: Performance | None
    """Speed at the asked load; None where nothing comparable was measured."""

    power_w: float | None
    """Maximum power of the devices, W."""

    price: Price | None
    """What it costs; None where no price is known: ask for a quote."""

    reasons: tuple[Note, ...]
    """Why this verdict and this place in the order."""
