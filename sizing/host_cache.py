"""KV cache of a placement in host memory: its size, its setting, and what it holds."""

from __future__ import annotations

from sizing.answer import HostCache, Verdict
from sizing.memory import Load
from sizing.placement import Placement
from sizing.records import GpuRecord, HostCacheRecord, HostCacheUse, HostSizeUnit
from sizing.units import GB, GIB

POOLS = {False: 1, True: 2}
"""Host memory where nobody names any, for each byte of the pools: as much again as they hold.

Twice their size where blocks are copied early, since the host then holds those of the pools too
(SGLang --hicache-ratio 2).
"""

WHOLE = {HostSizeUnit.GIB: GIB, HostSizeUnit.GB: GB, HostSizeUnit.BYTES: GIB}
"""Steps of a size that nobody named, bytes."""

LEAST = {HostSizeUnit.GIB: GIB // 4, HostSizeUnit.GB: GB, HostSizeUnit.BYTES: 1}
"""Steps of a named size, bytes: the option of SGLang takes whole GB."""


def keeps_for_reuse(record: HostCacheRecord, gpu: GpuRecord) -> bool:
    """Return whether the engine keeps there what may be asked again, in a memory of its own."""
    is_apart = not gpu.unified_memory and gpu.architecture not in record.not_on
    return record.use is HostCacheUse.REUSE and is_apart


def host_cache_of(row: Placement, load: Load) -> HostCache | None:
    """Return the cache in host memory that was asked for; None where the engine keeps none."""
    record = load.engine.host_cache
    if not load.kv_in_host or record is None or row.unsupported or load.subject.cache is None:
        return None
    if row.need.host is not None:
        return _running(row, load, record)
    runs = row.starts and row.verdict in (Verdict.FITS, Verdict.TIGHT)
    return _reused(row, load, record) if runs and keeps_for_reuse(record, row.gpu) else None


def _running(row: Placement, load: Load, record: HostCacheRecord) -> HostCache | None:
    """Return the cache that requests are computed from: all of the asked load."""
    copies, host = row.layout.replicas, row.need.host
    if host is None or not host.cache_bytes:
        return None
    return HostCache(
        use=record.use,
        size_bytes=host.cache_bytes * copies,
        setting=record.words,
        requests=row.requests_held(load.request_tokens) * copies,
    )


def _reused(row: Placement, load: Load, record: HostCacheRecord) -> HostCache | None:
    """Return the cache of what requests leave behind, in the steps that the engine takes."""
    each_bytes = _bytes_of_setting(row, load, record)
    request_bytes = row.need.request_cache.size_bytes(load.request_tokens)
    if not each_bytes or not request_bytes:
        return None
    layout = row.layout
    size_bytes = each_bytes * settings_of(row, record)
    copies = layout.replicas * layout.data_parallel
    return HostCache(
        use=record.use,
        size_bytes=size_bytes,
        setting=record.words.format(size=_size(each_bytes, record)),
        requests=size_bytes // layout.gpus // request_bytes * copies,
    )


def settings_of(row: Placement, record: HostCacheRecord) -> int:
    """Return how many times the setting counts: once a GPU, or once a copy of the attention."""
    layout = row.layout
    return layout.gpus if record.sized_for_each_gpu else layout.replicas * layout.data_parallel


def _bytes_of_setting(row: Placement, load: Load, record: HostCacheRecord) -> int:
    """Return the size to set, bytes; 0 where the host has no memory for it.

    A named one is rounded down, never below the least that the option takes.
    """
    unit, named = record.size_unit or HostSizeUnit.GIB, load.host_cache_bytes
    step = WHOLE[unit] if named is None else LEAST[unit]
    pools_bytes = POOLS[record.copies_early] * row.kv_pool_bytes * row.layout.gpus
    wanted_bytes = pools_bytes if named is None else named
    if load.host_room_bytes is not None:
        wanted_bytes = min(wanted_bytes, load.host_room_bytes)
    if not wanted_bytes:
        return 0
    return max(1, wanted_bytes // settings_of(row, record) // step) * step


def _size(size_bytes: int, record: HostCacheRecord) -> str:
    """Return a size in the unit of the option."""
    match record.size_unit:
        case HostSizeUnit.GIB:
            return f"{size_bytes / GIB:.2f}".rstrip("0").rstrip(".")
        case HostSizeUnit.GB:
            return str(size_bytes // GB)
        case _:
            return str(size_bytes)
