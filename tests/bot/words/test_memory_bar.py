"""The memory of a GPU as a bar of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.command import parse
from bot.memory_bar import CHARACTERS, SIGNS, memory_bar, shown_signs
from bot.render import Renderer
from sizing.answer import PerGpu
from sizing.catalogue import load_catalogue
from sizing.engine import size

CATALOGUE = load_catalogue()


def gpu(weights: int, kv_cache: int, activations: int, runtime: int, *, free: int, adapters=0):
    """Return a GPU whose figures are in GB."""
    parts = [weights, kv_cache, adapters, activations, runtime]
    need = sum(parts)
    budget, gb = need + free, 10**9
    return PerGpu(
        usable_bytes=max(1, budget) * gb,
        budget_bytes=max(1, budget) * gb,
        weights_bytes=weights * gb,
        kv_cache_bytes=kv_cache * gb,
        adapter_bytes=adapters * gb,
        activation_bytes=activations * gb,
        runtime_bytes=runtime * gb,
        need_bytes=need * gb,
        need_low_bytes=need * gb,
        need_high_bytes=need * gb,
        kv_pool_bytes=0,
        free_bytes=free * gb,
    )


def test_each_part_takes_its_share() -> None:
    """68 GB on 34 characters: two GB each."""
    assert memory_bar(gpu(30, 16, 4, 2, free=16)) == "█" * 15 + "▓" * 8 + "▒▒" + "░" + "·" * 8


def test_what_does_not_fit_fills_the_bar() -> None:
    """Need of 68 GB, 10 more than the budget: the bar is as long as the need."""
    assert memory_bar(gpu(60, 4, 2, 2, free=-10)) == "█" * 30 + "▓▓" + "▒" + "░"


def test_the_smallest_part_still_shows() -> None:
    bar = memory_bar(gpu(1000, 1, 1, 1, free=1000, adapters=1))
    assert [bar.count(sign) for sign in "▓╫▒░"] == [1, 1, 1, 1]


@given(st.lists(st.integers(0, 500), min_size=5, max_size=5), st.integers(-200, 500))
def test_a_bar_is_never_longer_or_shorter(parts: list[int], free: int) -> None:
    weights, cache, activations, runtime, adapters = parts
    one = gpu(weights + 1, cache, activations, runtime, free=free, adapters=adapters)
    bar = memory_bar(one)
    assert len(bar) == CHARACTERS
    order = [list(SIGNS.values()).index(sign) for sign in bar]
    assert order == sorted(order)


def test_only_signs_that_stand_there_are_explained() -> None:
    found = shown_signs([gpu(30, 0, 4, 2, free=16), gpu(30, 0, 4, 2, free=0)])
    assert [name for _, name in found] == ["weights", "activations", "runtime", "free"]


@pytest.mark.parametrize(
    ("language", "legend"),
    [
        ("en", "█ weights  ▓ KV cache  ▒ activations  ░ runtime  · free"),
        ("es", "█ pesos  ▓ caché KV  ▒ activaciones  ░ entorno de ejecución  · libre"),
    ],
)
def test_the_explanation_has_a_bar_for_each_set(language: str, legend: str) -> None:
    answer = size(parse("llama-3.1-70b fp8", CATALOGUE).request, CATALOGUE)
    page = Renderer(CATALOGUE).explain(answer, language, "A-1")
    lines = page.split("```\n")[1].splitlines()
    assert lines[-1] == legend
    assert len(lines) == len(answer.options) + 1
    assert max(map(len, lines)) <= 80
    assert lines[0].endswith(" GB")


def test_there_are_no_bars_where_no_set_runs() -> None:
    answer = size(parse("llama-3.1-8b tp=7 gpu=7xh100", CATALOGUE).request, CATALOGUE)
    bare = answer.model_copy(update={"options": answer.options[:1]})
    assert bare.options[0].per_gpu is None
    assert "█" not in Renderer(CATALOGUE).explain(bare, "en", "A-1")
