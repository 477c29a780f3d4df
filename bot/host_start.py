"""KV cache in host memory as a start command says it, and what it has to find there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.answer import Note, note
from sizing.units import GIB, ceil_div

if TYPE_CHECKING:
    from sizing.answer import Option
    from sizing.records import EngineRecord


@dataclass(frozen=True)
class HostStart:
    """KV cache of one copy of an engine in host memory."""

    words: str
    """Words that start the engine with it."""
    size_bytes: int
    """Host memory that one copy takes in each of its servers, bytes."""
    in_shared_memory: bool
    """Whether it lies in /dev/shm."""

    @property
    def value(self) -> str:
        """Return the value of the setting alone."""
        return self.words.rpartition(" ")[2]

    @property
    def shared_gib(self) -> int:
        """Return what it takes in /dev/shm, GiB."""
        return ceil_div(self.size_bytes, GIB) if self.in_shared_memory else 0

    def notes(self, engine: str) -> Iterator[Note]:
        """Yield what has to be prepared for it."""
        if engine == "llamacpp":
            yield note("start_without_ollama")
        if self.in_shared_memory:
            yield note("start_shared_memory", size_bytes=self.shared_gib * GIB)


def host_start_of(option: Option, engine: EngineRecord, servers: int) -> HostStart | None:
    """Return how one copy of `option` starts with the cache; None where none was asked for."""
    cache, record = option.host_cache, engine.host_cache
    if cache is None or record is None:
        return None
    size_bytes = ceil_div(cache.size_bytes, option.replicas * servers)
    return HostStart(cache.setting, size_bytes, record.in_shared_memory)
