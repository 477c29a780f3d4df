"""What a KV cache in host memory is good for on a set of GPUs, and what it costs in speed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sizing.answer import Note, Verdict, note
from sizing.host_cache import host_cache_of, keeps_for_reuse
from sizing.host_link import cache_gb_per_s, copies_gb_per_s, reads_per_s
from sizing.memory import Load, with_host_cache
from sizing.placement import Placement, Placer
from sizing.prefill import prefill_ms
from sizing.records import HostCacheRecord
from sizing.units import GB


def cache_outside(row: Placement, load: Load) -> tuple[Note, ...]:
    """Return the note for a cache in host memory, where the set fits with it and not without.

    Only engines that compute requests from it: what others keep there frees nothing on the GPU.
    """
    record = load.engine.host_cache
    is_needed = row.verdict is Verdict.DOES_NOT_FIT and row.need.host is None
    if record is None or not is_needed or not load.runs_from_host(row.gpu):
        return ()
    moved = replace(row, need=with_host_cache(row.need, load, row.layout))
    return _running(moved, load, asked=False) if moved.verdict is Verdict.FITS else ()


def host_notes(row: Placement, placer: Placer) -> tuple[Note, ...]:
    """Return what the asked cache in host memory does on `row`, or why it does nothing there."""
    load, record = placer.load, placer.load.engine.host_cache
    if not load.kv_in_host or record is None or row.unsupported or load.subject.cache is None:
        return ()
    if row.gpu.unified_memory:
        return (note("host_cache_same_memory", gpu=row.gpu.id),)
    if row.gpu.architecture in record.not_on:
        return (note("host_cache_not_on", engine=load.engine.id, gpu=row.gpu.id),)
    if row.need.host is not None:
        unnamed = (note("host_cache_unnamed"),) if row.need.host.room_bytes is None else ()
        return (*_running(row, load, asked=True), *unnamed)
    return tuple(_reused(row, placer, record)) if keeps_for_reuse(record, row.gpu) else ()


def _running(row: Placement, load: Load, *, asked: bool) -> tuple[Note, ...]:
    """Return the note for a cache that every token reads: what it takes, and the best speed.

    Requests at once share the speed, each reads its own cache.
    """
    record, host = load.engine.host_cache, row.need.host
    if record is None or host is None or not host.cache_bytes:
        return ()
    request_bytes = host.request_cache.size_bytes(load.request_tokens)
    low, high = cache_gb_per_s(row.gpu, record) or (None, None)
    by_host = record.computed_by_host
    return (
        note(
            ("host_cache_processor" if by_host else "host_cache_link")
            if asked
            else ("cache_in_host" if by_host else "cache_over_link"),
            flag=record.words,
            cache_bytes=host.cache_bytes * row.layout.replicas,
            layers=record.layers_on_gpu,
            memory_gb_per_s=_rounded(low),
            most_memory_gb_per_s=_rounded(high),
            tokens_per_s=reads_per_s(low, request_bytes) if low else None,
            most_tokens_per_s=reads_per_s(high, request_bytes) if high else None,
        ),
    )


def _rounded(gb_per_s: float | None) -> float | None:
    return None if gb_per_s is None else round(gb_per_s, 1)


def _reused(row: Placement, placer: Placer, record: HostCacheRecord) -> Iterator[Note]:
    """Yield the notes for what is kept to be copied back: never a way to make a load fit."""
    load = placer.load
    if row.verdict is Verdict.DOES_NOT_FIT:
        yield note("host_cache_no_help", engine=load.engine.id)
        return
    found = host_cache_of(row, load)
    if found is None:
        yield note("host_cache_no_memory")
        return
    yield note(
        "host_cache_reuse",
        flag=found.setting,
        size_bytes=found.size_bytes,
        requests=found.requests,
        context_tokens=load.context_tokens,
    )
    pools_bytes = row.kv_pool_bytes * row.layout.gpus
    if record.copies_early and found.size_bytes <= pools_bytes:
        yield note("host_cache_below_pool", engine=load.engine.id, pool_bytes=pools_bytes)
    yield from _copying(row, placer)


def _copying(row: Placement, placer: Placer) -> Iterator[Note]:
    """Set the time to copy the cache of one request back against that to compute it again."""
    load = placer.load
    speeds = copies_gb_per_s(row.gpu)
    computing = prefill_ms(
        load.subject, load.context_tokens, row.gpu, row.layout, precision=placer.precision
    )
    if speeds is None or computing is None:
        return
    cache_bytes = row.need.request_cache.size_bytes(load.request_tokens)
    slow, fast = (cache_bytes * 1000 / (speed * GB) for speed in speeds)
    low, high = computing
    yield note(
        "host_cache_copy",
        context_tokens=load.context_tokens,
        copy_ms=_two_digits(fast),
        most_copy_ms=_two_digits(slow),
        compute_ms=_two_digits(low),
        most_compute_ms=_two_digits(high),
    )


def _two_digits(value: float) -> float:
    return float(f"{value:.2g}")
