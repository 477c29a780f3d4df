"""One set of GPUs against one load: verdict, memory of the fullest GPU, capacity."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, cast

from sizing.answer import Note, Verdict
from sizing.catalogue import Catalogue
from sizing.gpu_notes import budget_bytes
from sizing.layouts import automatic_layouts, copied_attention, layout_of
from sizing.memory import Load, Need, need_per_gpu, with_copies, with_host_cache
from sizing.parallelism import Layout, starts_with
from sizing.records import GpuRecord, PrecisionRecord
from sizing.slices import GpuSlice, split_over_slices
from sizing.split_notes import GPUS_PER_SERVER, advice_on_split, refusals_of_split
from sizing.support import refusals, storage_notes
from sizing.units import ceil_div

MAX_SERVERS = 8
"""Servers a single replica may span before the answer is to choose another accelerator."""

HIGH_MEMORY_FRACTION = 0.95
"""Fraction above which context and graphs no longer find room beside the engine's budget."""


ValueT = TypeVar("ValueT")


@dataclass(frozen=True)
class Share:
    """Equal cards of a set of unequal ones, and the layers on each."""

    gpu: GpuRecord
    gpus: int
    layers: int | None


@dataclass(frozen=True)
class Placement:
    """One candidate: cheap to build, so that all can be weighed before the best are shown."""

    gpu: GpuRecord
    layout: Layout
    need: Need
    budget_bytes: int
    notes: tuple[Note, ...]
    """Reasons that do not depend on the order of candidates."""
    unsupported: bool
    starts: bool
    """Whether engines start with the split: FFN widths divide as well as heads."""
    shares: tuple[Share, ...] = ()
    """The cards of a set of unequal ones; `gpu` is then the fullest of them."""

    @property
    def key(self) -> tuple[str, str | None, Layout, tuple[Share, ...]]:
        """Return what tells two candidates apart."""
        return (self.gpu.id, self.mig_profile, self.layout, self.shares)

    @property
    def mig_profile(self) -> str | None:
        """Return the MIG slice that each device is, where it is one."""
        return self.gpu.profile.name if isinstance(self.gpu, GpuSlice) else None

    @property
    def cards(self) -> int:
        """Return the uncut devices of all replicas."""
        gpus = self.layout.gpus
        return self.gpu.cards(gpus) if isinstance(self.gpu, GpuSlice) else gpus

    @property
    def verdict(self) -> Verdict:
        """Return the verdict: `fits` holds for the high bound of the need as well."""
        need, outside = self.need.total, self.need.outside
        if self.unsupported:
            return Verdict.UNSUPPORTED
        if self.need.host and not self.need.host.holds:
            return Verdict.DOES_NOT_FIT
        if need.high_bytes <= self._room_bytes(outside.high_bytes):
            return Verdict.FITS
        if need.typical_bytes <= self._room_bytes(outside.typical_bytes):
            return Verdict.TIGHT
        return Verdict.DOES_NOT_FIT

    def _room_bytes(self, outside_bytes: int) -> int:
        """Return the budget, less where the card does not hold what stands beside it too."""
        return min(self.budget_bytes, self.gpu.usable_bytes - outside_bytes)

    @property
    def kv_pool_bytes(self) -> int:
        """Return the memory of one GPU that is left for KV cache, bytes."""
        return max(0, self._left_bytes(safe=False))

    def _left_bytes(self, *, safe: bool) -> int:
        """Return what is left before any token is cached; negative where not even that fits."""
        if safe:
            room_bytes = self._room_bytes(self.need.outside.high_bytes)
            return room_bytes - self.need.without_kv_high_bytes
        return self.budget_bytes - self.need.without_kv_bytes

    def requests_held(self, request_tokens: int, *, safe: bool = False) -> int:
        """Return the requests of `request_tokens` that one replica's pool holds."""
        host, left_bytes = self.need.host, self._left_bytes(safe=safe)
        request_bytes = self.need.request_cache.size_bytes(request_tokens)
        if host is not None and left_bytes >= 0:
            in_host = host.requests_held(request_tokens)
            return min(in_host, left_bytes // request_bytes) if request_bytes else in_host
        return max(0, left_bytes) // request_bytes if request_bytes else 0

    def longest_tokens(self, requests: int, block_tokens: int, *, safe: bool = False) -> int:
        """Return the longest context that `requests` of one replica find room for at once."""
        host, left_bytes = self.need.host, self._left_bytes(safe=safe)
        room_bytes = max(0, left_bytes) // requests
        held = self.need.request_cache.longest_tokens(room_bytes, block_tokens)
        if host is None:
            return held
        return min(held, host.longest_tokens(requests, block_tokens)) if left_bytes >= 0 else 0

    def pool_tokens(self, request_tokens: int, block_tokens: int) -> int:
        """Return the tokens one replica's pool holds in requests of `request_tokens`.

        Whole blocks; windows and states are paid once a request (vLLM
        `get_max_concurrency_for_kv_cache_config` x length).
        """
        host = self.need.host
        if host is not None and self._left_bytes(safe=False) < 0:
            return 0
        pools = [(self.need.request_cache, self.kv_pool_bytes)]
        pools += [(host.request_cache, host.pool_bytes)] if host else []
        sized = [(cache.size_bytes(request_tokens), pool_bytes) for cache, pool_bytes in pools]
        blocks = (
            pool_bytes * request_tokens // (request_bytes * block_tokens)
            for request_bytes, pool_bytes in sized
            if request_bytes
        )
        return min(blocks, default=0) * block_tokens


@dataclass(frozen=True)
class _Split:
    """What depends on the split and the class of card alone, whatever the GPU."""

    need: Need
    illegal: tuple[Note, ...]
    advice: tuple[Note, ...]
    starts: bool


class Placer:
    """Weighs one load on any GPU; what depends on the split or the generation is computed once."""

    def __init__(self, load: Load, precision: PrecisionRecord, catalogue: Catalogue) -> None:
        self.load = load
        self.catalogue = catalogue
        self.precision = precision
        self._splits: dict[tuple[Layout, bool, bool], _Split] = {}
        self._formats: dict[str, tuple[tuple[Note, ...], tuple[Note, ...]]] = {}
        self._large: dict[tuple[str, int], bool] = {}
        self._spreads: dict[int, Layout] = {}
        self._placed: dict[tuple[str, int, Layout], Placement] = {}
        self._remembered: dict[Hashable, object] = {}

    @cached_property
    def inside_a_server(self) -> tuple[Layout, ...]:
        """Return the splits inside one server that an engine starts with, smallest first."""
        return automatic_layouts(self.load)

    @cached_property
    def across_servers(self) -> tuple[Layout, ...]:
        """Return the splits over whole servers, fewest first."""
        counts = [count * GPUS_PER_SERVER for count in range(2, MAX_SERVERS + 1)]
        spread = (layout_of(self.load, count) for count in counts)
        return (*spread, *copied_attention(self.load, counts))

    def spread(self, gpus: int) -> Layout:
        """Return how one replica spreads over exactly `gpus` devices."""
        if gpus not in self._spreads:
            self._spreads[gpus] = layout_of(self.load, gpus)
        return self._spreads[gpus]

    def place(self, gpu: GpuRecord, layout: Layout) -> Placement:
        """Return how the load stands on `gpu` at `layout`."""
        key = (gpu.id, gpu.usable_mib, layout)
        if key not in self._placed:
            self._placed[key] = self._weighed(gpu, layout)
        return self._placed[key]

    def for_requests(self, requests: int) -> Placer:
        """Return the same with so many requests in flight, as if they had been asked for."""
        load = replace(self.load, concurrent_requests=requests, is_asked=True)
        placer = Placer(load, self.precision, self.catalogue)
        placer._formats, placer._large = self._formats, self._large
        placer._spreads, placer._remembered = self._spreads, self._remembered
        return placer

    def remember(self, key: Hashable, compute: Callable[[], ValueT]) -> ValueT:
        """Return what `compute` gives for `key`: computed once, however many are in flight."""
        if key not in self._remembered:
            self._remembered[key] = compute()
        return cast("ValueT", self._remembered[key])

    def _weighed(self, gpu: GpuRecord, layout: Layout) -> Placement:
        from_host = self.load.kv_in_host and self.load.runs_from_host(gpu)
        split = self._split(layout, on_large_card=self._is_large(gpu), from_host=from_host)
        refused, stored = self._formats_on(gpu)
        refused += split_over_slices(gpu, layout)
        return Placement(
            gpu=gpu,
            layout=layout,
            need=split.need,
            budget_bytes=budget_bytes(gpu, self.load.memory_fraction),
            notes=refused
            + split.illegal
            + (() if refused or split.illegal else stored + split.advice),
            unsupported=bool(refused or split.illegal),
            starts=split.starts,
        )

    def _is_large(self, gpu: GpuRecord) -> bool:
        """Return whether the engine takes on more at once there than on most cards."""
        key = (gpu.id, gpu.usable_mib)
        if key not in self._large:
            self._large[key] = self._takes_larger_steps(gpu)
        return self._large[key]

    def _takes_larger_steps(self, gpu: GpuRecord) -> bool:
        step = self.catalogue.engines[self.load.engine.sized_as].step_on(gpu)
        return step is not None and step.from_gib > 0

    def runs_on(self, gpu: GpuRecord) -> bool:
        """Return whether engine and formats run on `gpu` at all."""
        return not self._formats_on(gpu)[0]

    def _formats_on(self, gpu: GpuRecord) -> tuple[tuple[Note, ...], tuple[Note, ...]]:
        """Return why engine and formats do not run on `gpu`, and what is only stored there."""
        if gpu.id not in self._formats:
            load, precision = self.load, self.precision
            refused = refusals(
                gpu,
                precision,
                load.kv_precision,
                load.engine,
                catalogue=self.catalogue,
                kind=load.subject.kind,
            )
            self._formats[gpu.id] = (refused, storage_notes(gpu, precision))
        return self._formats[gpu.id]

    def _split(self, layout: Layout, *, on_large_card: bool, from_host: bool) -> _Split:
        key = (layout, on_large_card, from_host)
        if key not in self._splits and layout.replicas > 1:
            alone = replace(layout, replicas=1)
            one = self._split(alone, on_large_card=on_large_card, from_host=from_host)
            self._splits[key] = replace(one, need=with_copies(one.need, self.load, layout))
        elif key not in self._splits:
            need = need_per_gpu(self.load, layout, on_large_card=on_large_card)
            self._splits[key] = _Split(
                need=with_host_cache(need, self.load, layout) if from_host else need,
                illegal=refusals_of_split(layout, self.load),
                advice=advice_on_split(layout, self.load),
                starts=starts_with(self.load.cut, layout),
            )
        return self._splits[key]


def max_requests(placement: Placement, load: Load, *, safe: bool = False) -> int:
    """Return how many requests of the asked context fit at once, all replicas together."""
    held = placement.requests_held(load.request_tokens, safe=safe)
    return held * placement.layout.replicas * placement.layout.data_parallel


def longest_context(placement: Placement, load: Load, *, safe: bool = False) -> int:
    """Return the longest context at the asked concurrency, never beyond the model's own."""
    layout = placement.layout
    requests = ceil_div(load.concurrent_requests, layout.replicas * layout.data_parallel)
    held = placement.longest_tokens(requests, load.engine.kv_block_tokens, safe=safe)
    longest = load.subject.max_context_tokens
    return held if longest is None else min(held, longest)
