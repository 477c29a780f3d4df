"""What makes a set fit that does not, or only just: single settings, tried by re-sizing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import ceil, floor

from sizing.answer import Note, NoteValue, Verdict, note
from sizing.memory import Load
from sizing.offers import option_of
from sizing.parallelism import Layout
from sizing.placement import (
    HIGH_MEMORY_FRACTION,
    Placement,
    Placer,
    longest_context,
    max_requests,
)
from sizing.records import KvPrecisionRecord, LaunchRecord, PrecisionRecord, PrecisionScheme
from sizing.reservation import memory_setting
from sizing.units import ceil_div
from sizing.weights import group_weights, scale_groups

MOST_FIXES = 3
"""Settings named below one set: the best are enough."""

LEAST_CONTEXT_TOKENS = 1024
"""Context below which a chat is no use."""

FP8 = "fp8"
"""Of formats of one size the one whose range needs no calibration."""

LEAST_KV_BITS = 8
"""Bits of the KV cache below which answers are known to suffer."""

SMALLER_FORMATS = ("fp8", "int8", "nvfp4", "awq", "int4")
"""Formats for GPU engines, most bits first."""

SMALLER_FILES = ("q8-0", "q6-k", "q5-k-m", "q4-k-m", "q3-k-m")
"""GGUF files, most bits first."""


def fixes(row: Placement, placer: Placer, max_gpus: int | None = None) -> tuple[Note, ...]:
    """Return the settings with which the load fits on `row`, least loss first, at most three.

    Each was re-sized: with it even the high bound of the need is inside the budget.
    """
    if row.verdict not in (Verdict.TIGHT, Verdict.DOES_NOT_FIT) or not row.starts:
        return ()
    return tuple(islice(_Trials(row, placer, max_gpus).found(), MOST_FIXES))


class _Trials:
    """Re-sizes one set with one setting changed."""

    def __init__(self, row: Placement, placer: Placer, max_gpus: int | None) -> None:
        self._row = row
        self._placer = placer
        self._load = placer.load
        self._launch = placer.load.engine.launch or LaunchRecord(port=1)
        self._max_gpus = max_gpus

    def found(self) -> Iterator[Note]:
        """Yield what works: first what takes nothing from the load, last what costs GPUs."""
        yield from self._share()
        yield from self._cache()
        yield from self._graphs()
        yield from self._format()
        yield from self._requests()
        yield from self._context()
        yield from self._gpus()

    def _share(self) -> Iterator[Note]:
        """A larger share of the memory, where the engine has a share."""
        flag = self._launch.memory_flag
        for load in self._larger_shares() if flag else ():
            tried = self._placed(load)
            if tried.verdict is Verdict.FITS:
                gpu = option_of(tried, load, ()).per_gpu
                setting = gpu and memory_setting(load.engine, gpu, load.memory_fraction)
                if setting:
                    yield note("fix_share", flag=f"{flag} {setting:g}")
                return

    def _larger_shares(self) -> Iterator[Load]:
        """Yield the load in each larger hundredth of the memory that might hold it."""
        row = self._row
        least = ceil(row.need.total.high_bytes * 100 / row.gpu.usable_bytes)
        first = max(least, floor(self._load.memory_fraction * 100) + 1)
        most = min(HIGH_MEMORY_FRACTION, self._load.engine.filled_share)
        for hundredths in range(first, round(most * 100) + 1):
            yield replace(self._load, memory_fraction=hundredths / 100)

    def _cache(self) -> Iterator[Note]:
        """Fewer bits for each number of the KV cache."""
        for precision in self._smaller_caches():
            if self._fits(replace(self._load, kv_precision=precision)):
                flag = _cache_words(self._launch, precision)
                yield note("fix_cache", flag=flag, kv_precision=precision.id)
                return

    def _smaller_caches(self) -> list[KvPrecisionRecord]:
        load = self._load
        offered = [
            precision
            for precision in self._placer.catalogue.kv_precisions.values()
            if load.engine.id in precision.engines
            and LEAST_KV_BITS <= precision.element_bits < load.kv_precision.element_bits
            and precision.id in self._launch.kv_words
        ]
        return sorted(
            offered, key=lambda precision: (-round(precision.element_bits), precision.id != FP8)
        )

    def _graphs(self) -> Iterator[Note]:
        """No CUDA graphs."""
        flag = self._launch.eager_flag
        if flag and not self._load.eager and self._fits(replace(self._load, eager=True)):
            yield note("fix_graphs", flag=flag)

    def _format(self) -> Iterator[Note]:
        """Another number format for the weights."""
        catalogue, current = self._placer.catalogue, self._placer.precision
        is_file = current.scheme is PrecisionScheme.GGUF
        for name in SMALLER_FILES if is_file else SMALLER_FORMATS:
            precision = catalogue.precisions.get(name)
            if precision and self._is_smaller(precision):
                load = self._in_format(precision)
                if self._placed(load, precision=precision).verdict is Verdict.FITS:
                    yield note("fix_format", precision=precision.id)
                    return

    def _is_smaller(self, precision: PrecisionRecord) -> bool:
        """Return whether it takes fewer bits, and is more than a way to store on this GPU.

        FP8 is offered all the same: every engine has kernels that widen it.
        """
        is_native = self._row.gpu.architecture in precision.native_on
        fewer = precision.weight_bits < self._placer.precision.weight_bits
        return fewer and (is_native or precision.id == FP8)

    def _in_format(self, precision: PrecisionRecord) -> Load:
        subject, catalogue = self._load.subject, self._placer.catalogue
        return replace(
            self._load,
            groups=group_weights(subject, precision, catalogue),
            scale_groups=scale_groups(subject, precision, catalogue),
        )

    def _requests(self) -> Iterator[Note]:
        """Fewer requests at once: the others wait."""
        held = max_requests(self._row, self._load, safe=True)
        if not 0 < held < self._load.concurrent_requests:
            return
        if self._fits(replace(self._load, concurrent_requests=held)):
            each = ceil_div(held, self._row.layout.replicas)
            words = self._words(self._launch.requests_flag, "users=", each)
            yield note("fix_requests", flag=words, concurrent_requests=held)

    def _context(self) -> Iterator[Note]:
        """A shorter context."""
        held = longest_context(self._row, self._load, safe=True)
        context = held // LEAST_CONTEXT_TOKENS * LEAST_CONTEXT_TOKENS
        if not 0 < context < self._load.context_tokens:
            return
        if self._fits(replace(self._load, context_tokens=context)):
            slots = self._slots() if self._launch.context_flag == "-c" else 1
            words = self._words(self._launch.context_flag, "ctx=", context * slots)
            yield note("fix_context", flag=words, context_tokens=context)

    def _slots(self) -> int:
        """Return the requests that share one cache of llama.cpp."""
        return ceil_div(self._load.concurrent_requests, self._row.layout.replicas)

    def _gpus(self) -> Iterator[Note]:
        """More of the same GPUs inside one server."""
        most = self._row.gpu.most_per_server_gpus
        limits = [limit for limit in (most, self._max_gpus) if limit]
        for layout in self._placer.inside_a_server:
            is_larger = layout.gpus > self._row.layout.gpus
            if is_larger and all(layout.gpus <= limit for limit in limits):
                tried = self._placer.place(self._row.gpu, layout)
                if tried.starts and tried.verdict is Verdict.FITS:
                    yield note("fix_gpus", flag=_split_words(layout), gpus=layout.gpus)
                    return

    def _fits(self, load: Load) -> bool:
        return self._placed(load).verdict is Verdict.FITS

    def _placed(self, load: Load, *, precision: PrecisionRecord | None = None) -> Placement:
        placer = Placer(load, precision or self._placer.precision, self._placer.catalogue)
        return placer.place(self._row.gpu, self._row.layout)

    def _words(self, flag: str | None, key: str, value: int) -> NoteValue:
        """Return the option as the engine knows it, else as it is asked here."""
        return f"{flag} {value}" if flag else f"{key}{value}"


def _cache_words(launch: LaunchRecord, precision: KvPrecisionRecord) -> str:
    word = launch.kv_words[precision.id]
    return f"-fa on -ctk {word} -ctv {word}" if launch.kv_flag == "-ctk" else _joined(launch, word)


def _joined(launch: LaunchRecord, word: str) -> str:
    """Return flag and value: a key of TensorRT-LLM's file of options takes a colon."""
    flag = launch.kv_flag or ""
    return f"{flag}: {word}" if "." in flag else f"{flag} {word}"


def _split_words(layout: Layout) -> str:
    return f"tp={layout.tensor_parallel}" if layout.tensor_parallel > 1 else f"pp={layout.gpus}"
