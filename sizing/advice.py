"""What would move the limit of a set: one change to the question at a time, sized again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from sizing.answer import Option
from sizing.candidates import on_sale, placement_of
from sizing.errors import SizingError
from sizing.fixes import LEAST_KV_BITS, SMALLER_FILES, SMALLER_FORMATS
from sizing.parallelism import Layout
from sizing.performance import BoundBy, Limit, Performance, Way, Wish
from sizing.placement import Placement, Placer, max_requests
from sizing.records import GpuRecord, PrecisionScheme, Segment
from sizing.request import SizingRequest
from sizing.speed.estimating import performance_of
from sizing.weighing import placer_of

LEAST_GAIN = 1.05
"""Gain below which a change is not worth a word: smaller than the estimate is exact."""

SHORTEST_PROMPT_TOKENS = 512
"""Prompts up to which shorter ones are no advice."""

BY_NUMBER = frozenset({Limit.MEMORY, Limit.LATENCY, Limit.QUEUEING})
"""Limits of how many requests are served; the others limit how fast."""

BY_CARD = frozenset({Limit.MEMORY, Limit.BANDWIDTH})
"""Limits that a card with more and faster memory moves."""

LARGER = 1.5
"""Memory of a larger card over that of the present one, at least."""

MOST_FORMATS = 2
"""Smaller formats of weights that are tried."""

MOST_BITS_SHARE = 0.8
"""Bits of a smaller format over those of the present one, at most."""

LEAST_BITS = 4
"""Bits of a weight below which answers are known to suffer."""


@dataclass(frozen=True)
class _Change:
    """What is typed beside the question, or in the place of the same option, and what it means."""

    option: str
    request: SizingRequest
    gpu: GpuRecord
    gpus: int | None = None
    """Devices of another set; None keeps the set and its split."""


def with_ways(option: Option, request: SizingRequest, placer: Placer) -> Option:
    """Return the option with what would move its limit: a setting and a larger set, each tried.

    `request` is the load as it was sized, a rate turned into requests in flight.
    """
    gpu, speed = placer.catalogue.gpus.get(option.gpu), option.performance
    if gpu is None or speed is None or speed.limit in (None, Limit.ENGINE) or option.mig_profile:
        return option
    advice = _Advice(option, speed, gpu, request, placer=placer)
    ways = tuple(filter(None, (advice.first(advice.settings()), advice.first(advice.sets()))))
    return option.model_copy(update={"performance": speed.model_copy(update={"ways": ways})})


class _Advice:
    """Tries changes to one set and tells those that move its limit."""

    def __init__(
        self,
        option: Option,
        speed: Performance,
        gpu: GpuRecord,
        request: SizingRequest,
        *,
        placer: Placer,
    ) -> None:
        self._option, self._speed, self._gpu = option, speed, gpu
        self._request, self._placer = request, placer
        self._limit = speed.limit or Limit.MEMORY
        self._layout = _layout_of(option)

    def first(self, changes: Iterable[_Change]) -> Way | None:
        """Return the first change that moves the limit."""
        before = self._figure(self._speed, self._option.max_concurrent_requests or 0)
        for change in changes:
            after = self._after(change)
            if after >= max(LEAST_GAIN * before, 1.0):
                is_number = self._limit in BY_NUMBER
                return Way(
                    option=change.option,
                    concurrent_requests=round(after) if is_number else None,
                    output_tokens_per_s=None if is_number else after,
                )
        return None

    def settings(self) -> Iterator[_Change]:
        """Yield smaller caches and weights and shorter prompts, where they can help."""
        taking = self._speed.bound_by
        if Limit.MEMORY is self._limit or taking in (BoundBy.CACHE, BoundBy.MEMORY):
            yield from self._caches()
        if taking is not BoundBy.CACHE:
            yield from self._formats()
        if taking is BoundBy.PROMPTS or self._speed.limiting_wish is Wish.TTFT:
            yield from self._prompts()

    def sets(self) -> Iterator[_Change]:
        """Yield a larger card where memory is the limit, and twice as many of the same."""
        gpus = self._option.gpus
        if self._limit in BY_CARD:
            yield from (self._on(gpu, gpus) for gpu in self._larger_cards())
        yield self._on(self._gpu, 2 * gpus)

    def _on(self, gpu: GpuRecord, gpus: int) -> _Change:
        return _Change(f"gpu={gpus}x{gpu.id}", self._request, gpu, gpus)

    def _with(self, option: str, **fields: object) -> _Change:
        return _Change(option, self._request.model_copy(update=fields), self._gpu)

    def _caches(self) -> Iterator[_Change]:
        load = self._placer.load
        for kv in self._placer.catalogue.kv_precisions.values():
            is_smaller = LEAST_KV_BITS <= kv.element_bits < load.kv_precision.element_bits
            if is_smaller and load.engine.id in kv.engines:
                yield self._with(f"kv={kv.id}", kv_precision=kv.id)

    def _formats(self) -> Iterator[_Change]:
        """Yield fewer bits for the weights; a checkpoint or file that was named has its own."""
        current, precisions = self._placer.precision, self._placer.catalogue.precisions
        given = self._request.given
        if self._request.checkpoint or (given is not None and given.tensors):
            return
        is_file = current.scheme is PrecisionScheme.GGUF
        names = SMALLER_FILES if is_file else SMALLER_FORMATS
        most_bits = MOST_BITS_SHARE * current.weight_bits
        smaller = (
            name
            for name in names
            if name in precisions and LEAST_BITS <= precisions[name].weight_bits <= most_bits
        )
        for name in islice(smaller, MOST_FORMATS):
            yield self._with(name, precision=name)

    def _prompts(self) -> Iterator[_Change]:
        load = self._placer.load
        half = load.input_tokens // 2
        if half < SHORTEST_PROMPT_TOKENS or load.media.context_tokens:
            return
        written = load.output_tokens
        yield self._with(
            f"in={half} out={written}",
            input_tokens=half,
            output_tokens=written,
            context_tokens=half + written,
        )

    def _larger_cards(self) -> list[GpuRecord]:
        """Return the next card of that maker with more memory, no slower to read."""
        gpu = self._gpu
        larger = [
            other
            for other in on_sale(self._placer.catalogue)
            if other.memory_gb >= LARGER * gpu.memory_gb
            and other.bandwidth_gb_per_s >= gpu.bandwidth_gb_per_s
            and (other.vendor, other.segment) == (gpu.vendor, Segment.DATACENTER)
            and other.is_sold_as(self._option.gpus)
        ]
        return sorted(larger, key=lambda other: (other.memory_gb, other.id))[:1]

    def _after(self, change: _Change) -> float:
        """Return the figure of the limit with the change; 0 where the set does not run then."""
        try:
            placer = placer_of(change.request, self._placer.catalogue)
        except SizingError:
            return 0.0
        row = self._placed(change, placer)
        if row.unsupported or not row.starts:
            return 0.0
        speed, _ = performance_of(row, placer.load, placer.precision, placer.catalogue)
        return self._figure(speed, max_requests(row, placer.load)) if speed else 0.0

    def _placed(self, change: _Change, placer: Placer) -> Placement:
        if change.gpus is None:
            return placer.place(change.gpu, self._layout)
        return placement_of(change.gpu, change.gpus, change.request, placer)

    def _figure(self, speed: Performance, held: int) -> float:
        """Return what the limit keeps small: requests at once, or tokens each second."""
        if self._limit not in BY_NUMBER:
            rate = speed.output_tokens_per_s or speed.single_stream_tokens_per_s
            return rate.typical if rate else 0.0
        return speed.goodput.concurrent_requests.typical if speed.goodput else held


def _layout_of(option: Option) -> Layout:
    return Layout(
        tensor_parallel=option.tensor_parallel,
        pipeline_parallel=option.pipeline_parallel,
        replicas=option.replicas,
        expert_parallel=option.expert_parallel,
        data_parallel=option.data_parallel,
    )
