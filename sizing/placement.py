"""One set of GPUs against one load: verdict, memory of the fullest GPU, capacity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sizing.answer import CardShare, Note, Option, PerGpu, Verdict
from sizing.catalogue import Catalogue
from sizing.gpu_notes import budget_bytes, gpu_notes, limit_notes
from sizing.layouts import automatic_layouts, layout_of
from sizing.link_notes import link_notes
from sizing.memory import Load, Need, least_fraction, need_per_gpu
from sizing.parallelism import Layout, starts_with
from sizing.records import EngineRecord, GpuRecord, PrecisionRecord
from sizing.reservation import bytes_of_share
from sizing.slices import GpuSlice, slice_notes, slice_would_do, split_over_slices
from sizing.split_notes import GPUS_PER_SERVER, advice_on_split, refusals_of_split
from sizing.support import refusals, storage_notes
from sizing.units import ceil_div

MAX_SERVERS = 8
"""Servers a single replica may span before the answer is to choose another accelerator."""

HIGH_MEMORY_FRACTION = 0.95
"""Fraction above which context and graphs no longer find room beside the engine's budget."""


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
        if need.high_bytes <= self._room_bytes(outside.high_bytes):
            return Verdict.FITS
        if need.typical_bytes <= self._room_bytes(outside.typical_bytes):
            return Verdict.TIGHT
        return Verdict.DOES_NOT_FIT

    def _room_bytes(self, outside_bytes: int) -> int:
        """Return the budget, less where the card does not hold what stands beside it too."""
        return min(self.budget_bytes, self.gpu.usable_bytes - outside_bytes)

    @property
    def safe_requests_room_bytes(self) -> int:
        """Return the memory left for KV cache at the high bound of all overheads, bytes."""
        need = self.need
        overhead_bytes = need.activation.high_bytes + need.runtime.high_bytes
        fixed = need.weights_bytes + need.adapter_bytes + overhead_bytes
        return max(0, self._room_bytes(need.outside.high_bytes) - fixed)

    @property
    def kv_pool_bytes(self) -> int:
        """Return the memory of one GPU that is left for KV cache, bytes."""
        return max(0, self.budget_bytes - self.need.without_kv_bytes)

    def room_bytes(self, *, safe: bool) -> int:
        """Return the memory for KV cache: typical, or `safe` with every overhead at its worst."""
        return self.safe_requests_room_bytes if safe else self.kv_pool_bytes

    def requests_held(self, request_tokens: int, *, safe: bool = False) -> int:
        """Return the requests of `request_tokens` that one replica's pool holds."""
        request_bytes = self.need.request_cache.size_bytes(request_tokens)
        return self.room_bytes(safe=safe) // request_bytes if request_bytes else 0

    def pool_tokens(self, request_tokens: int, block_tokens: int) -> int:
        """Return the tokens one replica's pool holds in requests of `request_tokens`.

        Whole blocks; windows and states are paid once a request (vLLM
        `get_max_concurrency_for_kv_cache_config` x length).
        """
        request_bytes = self.need.request_cache.size_bytes(request_tokens)
        if not request_bytes:
            return 0
        blocks = self.kv_pool_bytes * request_tokens // (request_bytes * block_tokens)
        return blocks * block_tokens


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
        self._splits: dict[tuple[Layout, bool], _Split] = {}
        self._refusals: dict[str, tuple[Note, ...]] = {}

    @cached_property
    def inside_a_server(self) -> tuple[Layout, ...]:
        """Return the splits inside one server that an engine starts with, smallest first."""
        return automatic_layouts(self.load)

    @cached_property
    def across_servers(self) -> tuple[Layout, ...]:
        """Return the splits over whole servers, fewest first."""
        servers = range(2, MAX_SERVERS + 1)
        return tuple(layout_of(self.load, count * GPUS_PER_SERVER) for count in servers)

    def place(self, gpu: GpuRecord, layout: Layout) -> Placement:
        """Return how the load stands on `gpu` at `layout`."""
        split = self._split(layout, on_large_card=self._is_large(gpu))
        refused = self._refused(gpu) + split_over_slices(gpu, layout)
        advice = () if refused else storage_notes(gpu, self.precision) + split.advice
        return Placement(
            gpu=gpu,
            layout=layout,
            need=split.need,
            budget_bytes=budget_bytes(gpu, self.load.memory_fraction),
            notes=refused + split.illegal + advice,
            unsupported=bool(refused or split.illegal),
            starts=split.starts,
        )

    def _is_large(self, gpu: GpuRecord) -> bool:
        """Return whether the engine takes on more at once there than on most cards."""
        step = self.catalogue.engines[self.load.engine.sized_as].step_on(gpu)
        return step is not None and step.from_gib > 0

    def runs_on(self, gpu: GpuRecord) -> bool:
        """Return whether engine and formats run on `gpu` at all."""
        return not self._refused(gpu)

    def _refused(self, gpu: GpuRecord) -> tuple[Note, ...]:
        load = self.load
        if gpu.id not in self._refusals:
            self._refusals[gpu.id] = refusals(
                gpu, self.precision, load.kv_precision, load.engine, catalogue=self.catalogue
            )
        return self._refusals[gpu.id]

    def _split(self, layout: Layout, *, on_large_card: bool) -> _Split:
        key = (layout, on_large_card)
        if key not in self._splits:
            self._splits[key] = _Split(
                need=need_per_gpu(self.load, layout, on_large_card=on_large_card),
                illegal=refusals_of_split(layout, self.load),
                advice=advice_on_split(layout, self.load),
                starts=starts_with(self.load.cut, layout),
            )
        return self._splits[key]


def option_of(placement: Placement, load: Load, reasons: tuple[Note, ...]) -> Option:
    """Return the full record of one candidate, `reasons` before its own notes."""
    layout = placement.layout
    tokens = placement.pool_tokens(load.request_tokens, load.engine.kv_block_tokens)
    runs = not placement.unsupported and load.subject.cache is not None
    is_alone = placement.unsupported or bool(placement.shares)
    return Option(
        gpu=placement.gpu.id,
        gpus=layout.gpus,
        cards=tuple(
            CardShare(gpu=share.gpu.id, gpus=share.gpus, layers=share.layers)
            for share in placement.shares
        ),
        nodes=ceil_div(placement.cards, placement.gpu.most_per_server_gpus or GPUS_PER_SERVER),
        replicas=layout.replicas,
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        expert_parallel=layout.expert_parallel,
        data_parallel=layout.data_parallel,
        verdict=placement.verdict,
        per_gpu=_per_gpu(placement, load.engine) if runs else None,
        kv_pool_tokens=tokens if runs else None,
        max_context_tokens=longest_context(placement, load) if runs else None,
        max_concurrent_requests=max_requests(placement, load) if runs else None,
        safe_max_context_tokens=longest_context(placement, load, safe=True) if runs else None,
        safe_max_concurrent_requests=max_requests(placement, load, safe=True) if runs else None,
        minimum_memory_fraction=least_fraction(load, placement.need, placement.gpu)
        if runs
        else None,
        mig_profile=placement.mig_profile,
        performance=None,
        power_w=_power_w(placement),
        price=None,
        reasons=(
            *reasons,
            *placement.notes,
            *(() if is_alone else link_notes(placement.gpu, layout)),
            *slice_notes(placement.gpu, layout.gpus),
            *_slice_would_do(placement, load),
            *limit_notes(
                placement.gpu,
                placement.need.total.high_bytes,
                placement.budget_bytes,
                load.memory_fraction,
            ),
            *gpu_notes(placement.gpu, layout.gpus),
        ),
    )


def max_requests(placement: Placement, load: Load, *, safe: bool = False) -> int:
    """Return how many requests of the asked context fit at once, all replicas together."""
    held = placement.requests_held(load.request_tokens, safe=safe)
    return held * placement.layout.replicas * placement.layout.data_parallel


def _per_gpu(placement: Placement, engine: EngineRecord) -> PerGpu:
    need, total = placement.need, placement.need.total
    inside = bytes_of_share(engine, placement.budget_bytes, total.typical_bytes)
    return PerGpu(
        usable_bytes=placement.gpu.usable_bytes,
        budget_bytes=placement.budget_bytes,
        weights_bytes=need.weights_bytes,
        kv_cache_bytes=need.kv_cache_bytes,
        adapter_bytes=need.adapter_bytes,
        activation_bytes=need.activation.typical_bytes,
        runtime_bytes=need.runtime.typical_bytes,
        outside_bytes=need.outside.typical_bytes,
        need_bytes=total.typical_bytes,
        need_low_bytes=total.low_bytes,
        need_high_bytes=total.high_bytes,
        kv_pool_bytes=placement.kv_pool_bytes,
        reserved_bytes=min(placement.gpu.usable_bytes, inside + need.outside.typical_bytes),
        free_bytes=placement.budget_bytes - total.typical_bytes,
    )


def longest_context(placement: Placement, load: Load, *, safe: bool = False) -> int:
    """Return the longest context at the asked concurrency, never beyond the model's own."""
    layout = placement.layout
    requests = ceil_div(load.concurrent_requests, layout.replicas * layout.data_parallel)
    room_bytes = placement.room_bytes(safe=safe) // requests
    held = placement.need.request_cache.longest_tokens(room_bytes, load.engine.kv_block_tokens)
    longest = load.subject.max_context_tokens
    return held if longest is None else min(held, longest)


def _power_w(placement: Placement) -> float | None:
    named = placement.shares or (Share(placement.gpu, placement.cards, None),)
    powers = [share.gpu.board_power_w for share in named]
    if None in powers:
        return None
    return sum((share.gpu.board_power_w or 0) * share.gpus for share in named)


def _slice_would_do(placement: Placement, load: Load) -> tuple[Note, ...]:
    """Name a MIG slice in place of a GPU that holds a whole copy and is mostly empty."""
    if placement.unsupported or placement.layout.gpus_per_replica > 1:
        return ()
    high_bytes = placement.need.total.high_bytes
    return slice_would_do(placement.gpu, high_bytes, load.memory_fraction)
