"""What one request keeps on one GPU, by its length and the split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.kv_cache import CacheGroup, CacheLayout, StateGroup
from sizing.parallelism import Layout
from sizing.request_cache import UNBOUNDED_TOKENS, Kept, RequestCache, request_cache

PLAIN = CacheLayout((CacheGroup(layers=32, heads=8, head_elements=256),))
WINDOWED = CacheLayout(
    (
        CacheGroup(layers=10, heads=16, head_elements=256),
        CacheGroup(layers=52, heads=16, head_elements=256, window_tokens=1_024),
    )
)
LATENT = CacheLayout((CacheGroup(layers=61, heads=1, head_elements=576),))
HYBRID = CacheLayout(
    (CacheGroup(layers=12, heads=2, head_elements=512),),
    (StateGroup(layers=36, layer_bytes=2_146_304),),
)
SPOKEN = CacheLayout(
    (
        CacheGroup(layers=32, heads=20, head_elements=128),
        CacheGroup(layers=32, heads=20, head_elements=128, window_tokens=1_500, is_source=True),
    )
)


def test_every_layer_grows() -> None:
    """32 layers x 8 heads x 256 numbers x 2 bytes = 131,072 bytes a token."""
    cache = request_cache(PLAIN, 16, Layout())
    assert (cache.bytes_per_token, cache.fixed_bytes) == (131_072, 0)
    assert cache.size_bytes(1_000) == 131_072_000


@pytest.mark.parametrize(
    ("tokens", "kept"), [(1, 1), (1_023, 1_023), (1_024, 1_024), (1_025, 1_024), (32_768, 1_024)]
)
def test_a_window_stops_growing_when_full(tokens: int, kept: int) -> None:
    """81,920 bytes a token for ever, 425,984 for the last 1,024."""
    cache = request_cache(WINDOWED, 16, Layout())
    assert cache.size_bytes(tokens) == tokens * 81_920 + kept * 425_984
    assert cache.fixed_bytes == 1_024 * 425_984


def test_an_engine_without_windows_keeps_everything() -> None:
    cache = request_cache(WINDOWED.in_full(), 16, Layout())
    assert (cache.bytes_per_token, cache.fixed_bytes) == (81_920 + 425_984, 0)


@pytest.mark.parametrize("ranks", [1, 2, 8])
def test_latents_are_copied_to_every_rank(ranks: int) -> None:
    cache = request_cache(LATENT, 16, Layout(tensor_parallel=ranks))
    assert cache.bytes_per_token == 61 * 576 * 2


def test_pipeline_stages_share_the_layers() -> None:
    """The fuller of two stages has 31 of 61 layers."""
    cache = request_cache(LATENT, 16, Layout(pipeline_parallel=2))
    assert cache.bytes_per_token == 31 * 576 * 2


@pytest.mark.parametrize(("ranks", "heads"), [(1, 2), (2, 1), (4, 1), (8, 1)])
def test_states_are_divided_and_heads_copied_when_they_run_out(ranks: int, heads: int) -> None:
    cache = request_cache(HYBRID, 16, Layout(tensor_parallel=ranks))
    assert cache.bytes_per_token == 12 * heads * 512 * 2
    assert cache.state_bytes == 36 * 2_146_304 // ranks
    assert cache.size_bytes(1) == cache.bytes_per_token + cache.state_bytes


def test_sound_is_kept_whole_however_short_the_text() -> None:
    """30 s of sound are 1,500 positions: 32 x 20 x 128 x 2 bytes each."""
    cache = request_cache(SPOKEN, 16, Layout())
    assert cache.size_bytes(10) == 10 * 163_840 + 1_500 * 163_840
    assert request_cache(SPOKEN.in_full(), 16, Layout()) == cache
    assert not SPOKEN.has_windows


def test_four_bits_halve_eight() -> None:
    assert request_cache(PLAIN, 4, Layout()).bytes_per_token == 32_768
    assert request_cache(PLAIN, 4.5, Layout()).bytes_per_token == 36_864


def test_no_limit_where_every_layer_is_bounded() -> None:
    windows = CacheLayout((CacheGroup(32, 8, 256, window_tokens=4_096),))
    cache = request_cache(windows, 16, Layout())
    assert cache.longest_tokens(4_096 * 131_072, 16) == UNBOUNDED_TOKENS
    assert cache.longest_tokens(4_096 * 131_072 - 1, 16) == 4_080


@given(
    st.sampled_from([PLAIN, WINDOWED, LATENT, HYBRID, SPOKEN]),
    st.integers(min_value=0, max_value=10**12),
    st.sampled_from([1, 16, 256]),
)
def test_the_longest_request_fits_and_one_block_more_does_not(
    layout: CacheLayout, room_bytes: int, block: int
) -> None:
    cache = request_cache(layout, 16, Layout())
    longest = cache.longest_tokens(room_bytes, block)
    assert longest == 0 or cache.size_bytes(longest) <= room_bytes
    assert cache.size_bytes(longest + block) > room_bytes


@given(
    st.sampled_from([PLAIN, WINDOWED, LATENT, HYBRID]),
    st.integers(min_value=1, max_value=10**6),
    st.integers(min_value=1, max_value=10**6),
)
def test_honouring_windows_never_takes_more(layout: CacheLayout, one: int, other: int) -> None:
    short, long = sorted((one, other))
    cache = request_cache(layout, 16, Layout())
    assert cache.size_bytes(short) <= cache.size_bytes(long)
    assert cache.size_bytes(long) <= request_cache(layout.in_full(), 16, Layout()).size_bytes(long)


kept = st.builds(
    Kept,
    st.integers(1, 5000),
    st.builds(
        CacheGroup,
        layers=st.just(1),
        heads=st.just(1),
        head_elements=st.just(1.0),
        window_tokens=st.integers(1, 5000),
        is_source=st.booleans(),
    ),
)
caches = st.builds(
    RequestCache,
    bytes_per_token=st.integers(0, 5000),
    bounded=st.lists(kept, max_size=3).map(tuple),
    state_bytes=st.integers(0, 10**6),
)


@given(caches, st.integers(0, 10**9), st.sampled_from([1, 16, 64, 256]))
def test_so_it_is_with_windows_and_states_of_any_kind(cache, room_bytes, block_tokens):
    longest = cache.longest_tokens(room_bytes, block_tokens)
    assert longest % block_tokens == 0
    if longest:
        assert cache.size_bytes(longest) <= room_bytes
    if longest < UNBOUNDED_TOKENS:
        assert cache.size_bytes(longest + block_tokens) > room_bytes
