"""Records of what engines do with a KV cache in the memory of the host."""

from __future__ import annotations

from enum import StrEnum

from sizing.records.base import Count, Identifier, Record, Text


class HostCacheUse(StrEnum):
    """What the part of a KV cache that lies in host memory is for."""

    RUNNING = "running"
    """Requests under way are computed from it: the GPU needs that much less."""

    REUSE = "reuse"
    """What was computed waits there to be copied back: the GPU needs as much as without."""


class HostSizeUnit(StrEnum):
    """Unit in which an engine takes the size."""

    GIB = "gib"
    GB = "gb"
    BYTES = "bytes"


class HostCacheRecord(Record):
    """How an engine keeps KV cache in host memory."""

    use: HostCacheUse
    """What it is for."""

    words: Text
    """Words that switch it on; `{size}` stands for its size."""

    size_unit: HostSizeUnit | None = None
    """Unit of that size; None where the engine takes none."""

    sized_for_each_gpu: bool = False
    """Whether that size is one GPU's part; else all that a copy of the engine keeps."""

    copies_early: bool = False
    """Whether blocks are copied as they are computed; else when they leave the GPU."""

    in_shared_memory: bool = False
    """Whether it lies in /dev/shm, which containers limit."""

    layers_on_gpu: Count = 0
    """Layers whose cache lies on the GPU at a time all the same."""

    computed_by_host: bool = False
    """Whether the processor reads it, from its own memory; else the GPU, over its link."""

    written_back: bool = False
    """Whether every token writes the cache back as well."""

    not_on: tuple[Identifier, ...] = ()
    """Architectures on which the engine does not do so."""
