"""What stays on a GPU of a cache that lies in host memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.kv_cache import CacheGroup, CacheLayout, StateGroup
from sizing.parallelism import Layout
from sizing.request_cache import UNBOUNDED_TOKENS, request_cache
from sizing.resident import HostShare, resident_cache

PLAIN = CacheLayout((CacheGroup(layers=32, heads=8, head_elements=256),))
WINDOWED = CacheLayout(
    (
        CacheGroup(layers=10, heads=16, head_elements=256),
        CacheGroup(layers=52, heads=16, head_elements=256, window_tokens=1_024),
    )
)
INDEXED = CacheLayout(
    (
        CacheGroup(layers=61, heads=1, head_elements=576),
        CacheGroup(layers=61, heads=1, head_elements=128),
    )
)
HYBRID = CacheLayout(
    (CacheGroup(layers=12, heads=2, head_elements=512),),
    (StateGroup(layers=36, layer_bytes=2_146_304),),
)
LAYER_BYTES = 8 * 256 * 2


@pytest.mark.parametrize(
    ("layers_on_gpu", "stages", "layers"),
    [(0, 1, 0), (3, 1, 3), (3, 4, 3), (3, 16, 2), (40, 1, 32)],
)
def test_as_many_layers_as_are_there_at_a_time(
    layers_on_gpu: int, stages: int, layers: int
) -> None:
    """Of 32 layers; a stage of two has no third."""
    kept = resident_cache(PLAIN, 16, Layout(pipeline_parallel=stages), layers_on_gpu)
    assert kept.size_bytes(1_000) == layers * LAYER_BYTES * 1_000


def test_a_layer_has_one_entry_of_every_kind() -> None:
    """A latent of 576 numbers and an index key of 128, both of 2 bytes."""
    assert resident_cache(INDEXED, 16, Layout(), 3).bytes_per_token == 3 * (576 + 128) * 2


def test_windows_and_states_are_counted_whole() -> None:
    windowed = resident_cache(WINDOWED, 16, Layout(), 3)
    assert windowed.bytes_per_token == 3 * 16 * 256 * 2
    assert windowed.fixed_bytes == 52 * 16 * 256 * 2 * 1_024
    hybrid = resident_cache(HYBRID, 16, Layout(), 3)
    assert (hybrid.bytes_per_token, hybrid.state_bytes) == (3 * 2 * 512 * 2, 36 * 2_146_304)


@given(
    st.sampled_from([PLAIN, WINDOWED, INDEXED, HYBRID]),
    st.integers(1, 8),
    st.integers(0, 80),
    st.integers(1, 300_000),
)
def test_never_more_than_without(
    cache: CacheLayout, stages: int, layers_on_gpu: int, tokens: int
) -> None:
    layout = Layout(pipeline_parallel=stages)
    kept = resident_cache(cache, 16, layout, layers_on_gpu)
    assert kept.size_bytes(tokens) <= request_cache(cache, 16, layout).size_bytes(tokens)


@pytest.mark.parametrize(
    ("room_bytes", "holds", "held", "longest"),
    [
        (None, True, 4, UNBOUNDED_TOKENS),
        (4 * 131_072_000, True, 4, 1_000),
        (4 * 131_072_000 - 1, False, 3, 999),
        (0, False, 0, 0),
    ],
)
def test_a_named_memory_is_a_bound(
    room_bytes: int | None, holds: bool, held: int, longest: int
) -> None:
    """Four requests of 1,000 tokens, 131,072 bytes each token."""
    share = HostShare(request_cache(PLAIN, 16, Layout()), 4, 4 * 131_072_000, room_bytes)
    assert (share.holds, share.requests_held(1_000)) == (holds, held)
    assert share.longest_tokens(4, 1) == longest
