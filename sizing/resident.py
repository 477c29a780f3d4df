"""KV cache of an engine that computes requests from host memory: what is there, what stays."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizing.kv_cache import CacheLayout
from sizing.parallelism import Layout
from sizing.request_cache import UNBOUNDED_TOKENS, RequestCache, request_cache


@dataclass(frozen=True)
class HostShare:
    """KV cache of one copy of the engine in the memory of the host."""

    request_cache: RequestCache
    """What one request takes of it."""
    requests: int
    """Requests of the asked load that the copy serves."""
    cache_bytes: int
    """What these take, bytes."""
    room_bytes: int | None
    """Memory that the host has for the copy; None where nobody named it."""

    @property
    def holds(self) -> bool:
        """Return whether the asked load is in the named memory."""
        return self.room_bytes is None or self.cache_bytes <= self.room_bytes

    @property
    def pool_bytes(self) -> int:
        """Return the memory that cache may fill: what was named, else what the load takes."""
        return self.cache_bytes if self.room_bytes is None else self.room_bytes

    def requests_held(self, request_tokens: int) -> int:
        """Return the requests it holds; those asked for where the memory was not named."""
        request_bytes = self.request_cache.size_bytes(request_tokens)
        if self.room_bytes is None or not request_bytes:
            return self.requests
        return self.room_bytes // request_bytes

    def longest_tokens(self, requests: int, block_tokens: int) -> int:
        """Return the longest context that `requests` at once find room for."""
        if self.room_bytes is None:
            return UNBOUNDED_TOKENS
        return self.request_cache.longest_tokens(self.room_bytes // requests, block_tokens)


def resident_cache(
    cache: CacheLayout, element_bits: float, layout: Layout, layers_on_gpu: int
) -> RequestCache:
    """Return what one request keeps on the fullest GPU while its cache lies in host memory.

    As many layers as are there at a time, each with one entry of every kind; windows and states
    are small and counted whole. Nothing where no layer is there.
    """
    if not layers_on_gpu:
        return RequestCache(0)
    whole = request_cache(cache, element_bits, layout)
    growing = [group for group in cache.groups if group.window_tokens is None]
    single = CacheLayout(tuple(replace(group, layers=1) for group in growing))
    layer = request_cache(single, element_bits, replace(layout, pipeline_parallel=1))
    there_bytes = min(whole.bytes_per_token, layers_on_gpu * layer.bytes_per_token)
    return replace(whole, bytes_per_token=there_bytes)
