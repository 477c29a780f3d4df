"""Memory of one GPU at a given split: weights, KV cache, activations, runtime overhead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from sizing.adapters import Adapters
from sizing.answer import GroupWeights
from sizing.drafter import Drafter
from sizing.kv_cache import CacheLayout
from sizing.media import TEXT_ALONE, Media
from sizing.overhead import (
    NOTHING,
    BytesRange,
    Step,
    activations,
    outside_budget,
    reserved_by_driver,
    runtime,
)
from sizing.parallelism import Cut, Layout, layers_on_one_gpu
from sizing.records import (
    EngineRecord,
    GpuRecord,
    HostCacheUse,
    KvPrecisionRecord,
    OverheadRecord,
    TensorGroup,
)
from sizing.request import Targets
from sizing.request_cache import RequestCache, request_cache
from sizing.resident import HostShare, resident_cache
from sizing.sharding import attention_share
from sizing.subject import Subject
from sizing.units import ceil_div

REPLICATED = frozenset({TensorGroup.NORM, TensorGroup.ROUTER})
"""Groups that every tensor-parallel rank holds whole."""

NO_TARGETS = Targets()

ENDS = frozenset({TensorGroup.EMBEDDING, TensorGroup.HEAD})
"""Groups that stand before the first and behind the last layer."""


@dataclass(frozen=True)
class Load:
    """The asked load and the settings that change its memory."""

    subject: Subject
    groups: tuple[GroupWeights, ...]
    kv_precision: KvPrecisionRecord
    engine: EngineRecord
    overhead: OverheadRecord
    context_tokens: int
    concurrent_requests: int
    memory_fraction: float
    eager: bool
    adapters: Adapters
    batched_tokens: int | None = None
    """Most tokens of one engine step; None leaves it to the engine."""
    media: Media = TEXT_ALONE
    """Images and sound of a request, part of its context."""
    input_tokens: int = 1
    """Prompt tokens of a request."""
    output_tokens: int = 1
    """Tokens of its answer."""
    targets: Targets = NO_TARGETS
    """Wishes about speed."""
    requests_per_s: float | None = None
    """Arrivals that a set has to answer, head-room included; None where they are not told."""
    is_asked: bool = False
    """Whether the asker named how many requests are in flight."""
    drafter: Drafter | None = None
    """What drafts tokens for speculative decoding; None where the model writes alone."""
    prefix_caching: bool = False
    """Whether beginnings that prompts share are not read again."""
    disaggregated: bool = False
    """Whether prompts are read on other GPUs than answers are written on."""
    scale_groups: tuple[tuple[TensorGroup, int], ...] = ()
    """Weights along a row that share a scale, by tensor group."""
    kv_in_host: bool = False
    """Whether KV cache shall lie in host memory."""
    host_cache_bytes: int | None = None
    """Host memory named for it, all copies together, bytes; None leaves it to the engine."""
    host_room_bytes: int | None = None
    """Host memory for the cache of all copies, bytes; None where nobody named it."""

    def runs_from_host(self, gpu: GpuRecord) -> bool:
        """Return whether the engine computes requests from a cache in the memory of that host."""
        record = self.engine.host_cache
        if record is None or record.use is not HostCacheUse.RUNNING or gpu.unified_memory:
            return False
        return gpu.architecture not in record.not_on

    @property
    def fills_unnamed_memory(self) -> bool:
        """Return whether requests lie in host memory of a size that nobody named."""
        record = self.engine.host_cache
        is_running = record is not None and record.use is HostCacheUse.RUNNING
        return self.kv_in_host and is_running and self.host_room_bytes is None

    @cached_property
    def cut(self) -> Cut:
        """Return what decides which splits an engine starts with."""
        return Cut(self.subject.architecture, self.scale_groups)

    @cached_property
    def cache(self) -> CacheLayout:
        """Return what one request keeps in this engine; nothing where that is not known."""
        cache = (self.subject.cache or CacheLayout(())).with_images(self.media.source_tokens)
        return cache if self.engine.honours_windows else cache.in_full()

    @cached_property
    def request_tokens(self) -> int:
        """Return the tokens one request reserves: its context in whole blocks."""
        block = self.engine.kv_block_tokens
        return ceil_div(self.context_tokens, block) * block


@dataclass(frozen=True)
class Need:
    """Memory the load takes of the fullest GPU, bytes."""

    weights_bytes: int
    kv_cache_bytes: int
    request_cache: RequestCache
    adapter_bytes: int
    activation: BytesRange
    runtime: BytesRange
    outside: BytesRange = NOTHING
    """What stands beside the budget, in the memory that it leaves."""
    host: HostShare | None = None
    """Cache that requests are computed from in host memory; None where it is on the GPUs."""

    @cached_property
    def without_kv_bytes(self) -> int:
        """Return the typical need before any token is cached."""
        overhead_bytes = self.activation.typical_bytes + self.runtime.typical_bytes
        return self.weights_bytes + self.adapter_bytes + overhead_bytes

    @cached_property
    def without_kv_high_bytes(self) -> int:
        """Return the same with every overhead at its high bound."""
        overhead_bytes = self.activation.high_bytes + self.runtime.high_bytes
        return self.weights_bytes + self.adapter_bytes + overhead_bytes

    @cached_property
    def total(self) -> BytesRange:
        """Return the need with its range."""
        fixed = self.weights_bytes + self.adapter_bytes + self.kv_cache_bytes
        return BytesRange(fixed, fixed, fixed) + self.activation + self.runtime


def kv_range_bytes(load: Load) -> tuple[int, int] | None:
    """Return the least and the most KV cache of the load; None where the shape tells it."""
    if load.subject.cache_bounds is None:
        return None
    bits = load.kv_precision.element_bits
    low, high = (request_cache(cache, bits, Layout()) for cache in load.subject.cache_bounds)
    return (
        load.concurrent_requests * low.size_bytes(load.request_tokens),
        load.concurrent_requests * high.size_bytes(load.request_tokens),
    )


def need_per_gpu(load: Load, layout: Layout, *, on_large_card: bool = False) -> Need:
    """Return what the fullest GPU of `layout` needs; replicas share the requests evenly."""
    gpus = layout.gpus_per_replica
    cache = request_cache(load.cache, load.kv_precision.element_bits, layout)
    requests = _requests_of_copy(load, layout)
    return Need(
        weights_bytes=_weights_bytes(load, layout),
        kv_cache_bytes=requests * cache.size_bytes(load.request_tokens),
        request_cache=cache,
        adapter_bytes=load.adapters.on_one_gpu(layout),
        activation=activations(
            load.subject, load.overhead, layout, Step(load.batched_tokens, on_large_card)
        ),
        runtime=runtime(
            load.overhead,
            parallel_gpus=gpus,
            eager=load.eager,
            memory_fraction=load.memory_fraction,
        ),
        outside=outside_budget(load.overhead, parallel_gpus=gpus, eager=load.eager),
    )


def with_copies(need: Need, load: Load, layout: Layout) -> Need:
    """Return the need of one of the copies of `layout`: they share the requests, nothing else."""
    if need.host is not None:
        return with_host_cache(need, load, layout)
    size_bytes = need.request_cache.size_bytes(load.request_tokens)
    return replace(need, kv_cache_bytes=_requests_of_copy(load, layout) * size_bytes)


def with_host_cache(need: Need, load: Load, layout: Layout) -> Need:
    """Return the need where requests are computed from a cache in host memory.

    The GPUs keep the layers that the engine has there at a time; the copies share what the host
    has.
    """
    record, bits = load.engine.host_cache, load.kv_precision.element_bits
    kept = resident_cache(load.cache, bits, layout, record.layers_on_gpu if record else 0)
    whole = request_cache(load.cache, bits, Layout())
    requests = _requests_of_copy(load, layout)
    room_bytes = load.host_room_bytes
    return replace(
        need,
        kv_cache_bytes=requests * kept.size_bytes(load.request_tokens),
        request_cache=kept,
        host=HostShare(
            request_cache=whole,
            requests=requests,
            cache_bytes=requests * whole.size_bytes(load.request_tokens),
            room_bytes=None if room_bytes is None else room_bytes // layout.replicas,
        ),
    )


def _requests_of_copy(load: Load, layout: Layout) -> int:
    """Return the requests that one copy of the attention serves."""
    return ceil_div(load.concurrent_requests, layout.replicas * layout.data_parallel)


def least_fraction(load: Load, need: Need, gpu: GpuRecord) -> float | None:
    """Return the least memory fraction that holds the typical need, rounded up to a thousandth.

    Of a share the driver keeps its part. None where the card does not hold what stands beside the
    budget too.
    """
    kept_bytes = reserved_by_driver(load.overhead, 1.0).typical_bytes
    asked_bytes = reserved_by_driver(load.overhead, load.memory_fraction).typical_bytes
    share = (need.total.typical_bytes - asked_bytes) / (gpu.usable_bytes - kept_bytes)
    rounded = ceil(share * 1000) / 1000
    taken_bytes = rounded * gpu.usable_bytes + need.outside.typical_bytes
    return rounded if taken_bytes <= gpu.usable_bytes else None


def _weights_bytes(load: Load, layout: Layout) -> int:
    return sum(_share(load, weights, layout) for weights in load.groups)


def _share(load: Load, weights: GroupWeights, layout: Layout) -> int:
    """Return the part of one tensor group that the fullest GPU holds, bytes."""
    size = weights.weights_bytes
    if weights.group is TensorGroup.EXPERTS:
        size = ceil_div(size, layout.expert_ranks)
    elif weights.group is TensorGroup.ATTENTION:
        share = attention_share(load.subject.architecture, layout.tensor_parallel)
        size = ceil_div(size * share.numerator, share.denominator)
    elif weights.group not in REPLICATED:
        size = ceil_div(size, layout.tensor_parallel)
    if weights.group in ENDS:
        return size if _holds(weights.group, load, layout) else 0
    layers = load.subject.architecture.layers
    return ceil_div(size * layers_on_one_gpu(layers, layout.pipeline_parallel), layers)


def _holds(group: TensorGroup, load: Load, layout: Layout) -> bool:
    """Return whether the fullest pipeline stage carries this end of the model.

    The last stage carries the head (the embedding table once more where both are tied).
    """
    if layout.pipeline_parallel == 1:
        return True
    tied = load.subject.architecture.tied_embeddings
    return group is (TensorGroup.EMBEDDING if tied else TensorGroup.HEAD)
