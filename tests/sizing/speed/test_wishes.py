"""Requests inside limits and at a rate of arrivals: numbers that a person can follow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.request import Targets
from sizing.speed.case import Case
from sizing.speed.searching import largest
from sizing.speed.targets import limits_of
from sizing.speed.wishes import in_flight, latency_s, most_in_time


@pytest.fixture(scope="module")
def slow(catalogue, plain, perfect) -> Case:
    """A step of 1 s, prompts of 10 s, answers of 100 tokens, room for 20 requests of a copy."""
    return Case(
        form=catalogue.efficiency.batched,
        work=replace(plain, prefill_linear_s=10.0),
        pace=perfect,
        family="hopper-hbm",
        layers="dense",
        is_measured=True,
        batch=1,
        held=20,
        limit=256,
        replicas=1,
        batches=True,
    )


@pytest.mark.parametrize(
    ("batch", "time_s"),
    [
        # 10 s for the prompt, 100 steps of 1 s
        (1, 110.0),
        # Three prompts of 10 s come between 100 tokens, 1.3 s each. A request of 10 + 130 s, four
        # of them in flight: one arrives each 35 s, prompts take 2/7 of the time, and a queue of
        # 10 x (2/7) / (2 x 5/7) = 2 s stands before the own prompt.
        (4, 2.0 + 10.0 + 130.0),
    ],
)
def test_one_answer_takes_its_prompt_its_queue_and_its_tokens(slow, batch, time_s) -> None:
    assert latency_s(slow, batch) == pytest.approx(time_s)


@pytest.mark.parametrize(
    ("requests_per_s", "copies", "requests"),
    [
        # 0.009 x 110 s = 0.99; 0.0092 x 110 s = 1.01, and two in flight take longer
        (0.009, 1, 1),
        (0.0092, 1, 2),
        # 4 / 142 s = 0.02817 each second
        (0.0281, 1, 4),
        (0.0283, 1, 5),
        # twice that many with two copies of the model
        (0.0562, 2, 8),
        # an answer each 10 s of prompts and 1 s of steps at best: never 1 each second
        (1.0, 1, 20),
        (1.0, 3, 60),
    ],
)
def test_in_flight_is_rate_times_the_time_of_one(slow, requests_per_s, copies, requests) -> None:
    """Little's law, solved for the number that the time itself depends on."""
    assert in_flight(slow, copies, requests_per_s) == requests


@settings(max_examples=100, deadline=None)
@given(requests_per_s=st.floats(0.001, 0.06), copies=st.integers(1, 4))
def test_little_s_law_gives_the_least_number_that_suffices(slow, requests_per_s, copies) -> None:
    found = in_flight(slow, copies, requests_per_s)
    time_s = latency_s(slow, -(-found // copies))
    if found < 20 * copies:
        assert found >= requests_per_s * time_s
    if found > 1:
        fewer_s = latency_s(slow, -(-(found - 1) // copies))
        assert found - 1 < requests_per_s * fewer_s


@pytest.mark.parametrize(
    ("targets", "requests"),
    [
        # 1 + (n - 1)/10 s between tokens
        (Targets(itl_ms=1350.0), 4),
        (Targets(itl_ms=1300.1), 4),
        (Targets(itl_ms=1299.9), 3),
        (Targets(tokens_per_s=0.5), 11),
        # 12 s to the first token with four in flight
        (Targets(ttft_ms=12_001.0), 4),
        (Targets(ttft_ms=11_999.0), 3),
        # the stricter of two
        (Targets(ttft_ms=12_001.0, itl_ms=1150.0), 2),
        (Targets(itl_ms=999.0), 0),
        # memory holds no more
        (Targets(itl_ms=60_000.0), 20),
    ],
)
def test_the_most_inside_the_limits(slow, targets, requests) -> None:
    limits = limits_of(targets)
    assert limits is not None
    assert most_in_time(slow, limits) == requests


@pytest.mark.parametrize(("most", "until"), [(0, 5), (1, 0), (1, 1), (9, 4), (9, 9), (9, 50)])
def test_the_largest_that_holds(most, until) -> None:
    assert largest(most, lambda number: number <= until) == min(most, until)
