"""What one request takes of one GPU's KV cache, by its length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sizing.kv_cache import CacheGroup, CacheLayout
from sizing.parallelism import Layout, kv_heads_on_one_gpu, layers_on_one_gpu
from sizing.units import ceil_div

UNBOUNDED_TOKENS = 2**40
"""Stands for no limit: longer than any context."""


@dataclass(frozen=True)
class Kept:
    """Layers that keep at most a number of tokens."""

    bytes_per_token: int
    group: CacheGroup

    def size_bytes(self, tokens: int) -> int:
        """Return what they keep of a request of `tokens`, bytes."""
        return self.bytes_per_token * self.group.kept_tokens(tokens)


@dataclass(frozen=True)
class RequestCache:
    """KV cache of one request on one GPU."""

    bytes_per_token: int
    """Layers that keep the whole context, bytes for each token."""
    bounded: tuple[Kept, ...] = ()
    """Layers that keep a bounded number of tokens."""
    state_bytes: int = 0
    """States of fixed size, bytes."""

    def size_bytes(self, tokens: int) -> int:
        """Return the memory of a request of `tokens`, bytes."""
        grown_bytes = tokens * self.bytes_per_token + self.state_bytes
        if not self.bounded:
            return grown_bytes
        return grown_bytes + sum(each.size_bytes(tokens) for each in self.bounded)

    @cached_property
    def fixed_bytes(self) -> int:
        """Return what no longer grows once every window is full, bytes."""
        return sum(each.size_bytes(UNBOUNDED_TOKENS) for each in self.bounded) + self.state_bytes

    def longest_tokens(self, room_bytes: int, block_tokens: int) -> int:
        """Return the longest request that `room_bytes` hold, in whole blocks."""
        if self.size_bytes(UNBOUNDED_TOKENS) <= room_bytes:
            return UNBOUNDED_TOKENS
        full = self._beyond_windows(room_bytes)
        if full is not None:
            return full // block_tokens * block_tokens
        low, high = 0, self._longest_window // block_tokens + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.size_bytes(middle * block_tokens) <= room_bytes:
                low = middle
            else:
                high = middle
        return low * block_tokens

    @cached_property
    def _longest_window(self) -> int:
        """Return the tokens after which every window is full."""
        return max((each.group.window_tokens or 0 for each in self.bounded), default=0)

    def _beyond_windows(self, room_bytes: int) -> int | None:
        """Return the longest request where it fills every window; None where it does not."""
        if not self.bytes_per_token:
            return None
        tokens = max(0, room_bytes - self.fixed_bytes) // self.bytes_per_token
        return tokens if tokens >= self._longest_window else None


def request_cache(cache: CacheLayout, element_bits: float, layout: Layout) -> RequestCache:
    """Return what one request takes of the fullest GPU of `layout`.

    Tensor parallelism divides KV heads, copies them where they are fewer than its ranks, and
    copies latents whole; pipeline stages share the layers.
    """
    growing = [group for group in cache.groups if group.window_tokens is None]
    elements = sum(_elements(group, layout) for group in growing)
    return RequestCache(
        bytes_per_token=_bytes(elements, element_bits),
        bounded=tuple(
            Kept(_bytes(_elements(group, layout), element_bits), group)
            for group in cache.groups
            if group.window_tokens is not None
        ),
        state_bytes=sum(
            layers_on_one_gpu(state.layers, layout.pipeline_parallel)
            * ceil_div(state.layer_bytes, layout.tensor_parallel)
            for state in cache.states
        ),
    )


def _elements(group: CacheGroup, layout: Layout) -> float:
    heads = kv_heads_on_one_gpu(group.heads, layout.tensor_parallel)
    layers = layers_on_one_gpu(group.layers, layout.pipeline_parallel)
    return heads * layers * group.head_elements


def _bytes(elements: float, element_bits: float) -> int:
    return ceil_div(round(elements * element_bits), 8)
