"""What people see of steps and prompts, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.speed.serving import (
    first_at_random_s,
    first_in_burst_s,
    first_s,
    itl_s,
    output_tokens_per_s,
    prefill_tokens_per_s,
)


@pytest.fixture
def slow(plain):
    """A step of 1 s, and prompts of 10 s."""
    return replace(plain, prefill_linear_s=10.0)


def test_an_answer_is_held_up_by_the_prompts_of_the_others(slow, perfect) -> None:
    """100 tokens: four prompts of 10 s come between them, 0.4 s for each token."""
    assert itl_s(slow, perfect, 1) == pytest.approx(1.0)
    assert itl_s(slow, perfect, 5) == pytest.approx(1.4)


def test_tokens_each_second(slow, perfect) -> None:
    """Five requests take 100 steps of 1 s and five prompts of 10 s: 500 tokens in 150 s."""
    assert output_tokens_per_s(slow, perfect, 5) == pytest.approx(500 / 150)
    assert output_tokens_per_s(slow, perfect, 1) == pytest.approx(100 / 110)


def test_prompts_between_answers_share_their_steps(slow, perfect) -> None:
    """At half the cost: 0.2 s instead of 0.4 for each token, and 5 x 5 s instead of 5 x 10."""
    pace = replace(perfect, mixed=0.5)
    assert itl_s(slow, pace, 5) == pytest.approx(1.2)
    assert output_tokens_per_s(slow, pace, 5) == pytest.approx(500 / 125)
    assert first_s(slow, pace) == pytest.approx(first_s(slow, perfect))


def test_prompts_alone(slow, perfect) -> None:
    assert prefill_tokens_per_s(slow, perfect) == pytest.approx(51.2)


def test_the_first_token_of_a_lone_request(plain, perfect) -> None:
    """0.5 s, a prompt of 2 s at one and a half times the cost, and half of a step of 4 s."""
    read = replace(plain, dense_bytes=4e12, prefill_linear_s=2.0)
    pace = replace(perfect, first_s=0.5, first_decode=0.5, first_prefill=1.5)
    assert first_s(read, pace) == pytest.approx(5.5)


def test_the_first_token_where_requests_arrive_at_random(slow, perfect) -> None:
    """M/D/1. Four in flight: 1.3 s between tokens, so that each stays 10 + 130 s, and one arrives
    every 35 s. Prompts take 10/35 of the time, u = 2/7; the queue waits u/(2(1-u)) = 0.2 of 10 s.
    """
    assert first_at_random_s(slow, perfect, 4) == pytest.approx(10 + 2)
    pace = replace(perfect, queue_prefill=3.0, queue_step=2.0)
    assert first_at_random_s(slow, pace, 4) == pytest.approx(10 + 6 + 2 * 1.3)


def test_a_full_queue_is_held_at_its_longest_steady_length(slow, perfect) -> None:
    """Prompts alone would take more than all of the time: 0.95/(2 x 0.05) = 9.5 of 10 s wait."""
    assert first_at_random_s(slow, perfect, 2000) == pytest.approx(10 + 95, rel=1e-3)


def test_the_first_token_where_all_begin_together(slow, perfect) -> None:
    """Of nine other prompts of 10 s, a third is waited for, then half a step of 1 s."""
    pace = replace(perfect, burst_prefill=1 / 3, burst_step=0.5, first_s=0.25)
    assert first_in_burst_s(slow, pace, 10) == pytest.approx(0.25 + 10 + 30 + 0.5)
    assert first_in_burst_s(slow, replace(pace, burst_first=0.8), 1) == pytest.approx(8.75)


@given(st.integers(1, 4000), st.floats(0.001, 100), st.floats(1e6, 1e13))
def test_more_in_flight_is_never_less_in_all_nor_faster_for_one(
    plain, perfect, batch, prompt_s, dense_bytes
) -> None:
    work = replace(plain, prefill_linear_s=prompt_s, dense_bytes=dense_bytes, cache_bytes=1e8)
    fewer, more = (output_tokens_per_s(work, perfect, each) for each in (batch, batch + 1))
    assert fewer <= more * (1 + 1e-12)
    for seconds in (itl_s, first_at_random_s, first_in_burst_s):
        fewer, more = (seconds(work, perfect, each) for each in (batch, batch + 1))
        assert fewer <= more * (1 + 1e-12)


@given(st.integers(1, 500), st.floats(1.0, 5.0))
def test_more_bandwidth_is_never_slower(plain, perfect, batch, times) -> None:
    """But a queue of prompts may grow: the faster answers are, the more often one arrives."""
    work = replace(plain, prefill_linear_s=0.1, linear_s=0.001, cache_bytes=1e8)
    faster = replace(perfect, bandwidth_bytes_per_s=times * 1e12)
    assert output_tokens_per_s(work, faster, batch) >= output_tokens_per_s(work, perfect, batch)
    assert first_s(work, faster) <= first_s(work, perfect)
    for seconds in (itl_s, first_in_burst_s):
        assert seconds(work, faster, batch) <= seconds(work, perfect, batch)
