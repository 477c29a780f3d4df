"""Wishes about speed are kept, broken, or too near to tell."""

from __future__ import annotations

import pytest

from sizing.performance import Estimate
from sizing.request import Targets
from sizing.speed.targets import target_notes

BETWEEN = Estimate(low=20.0, typical=25.0, high=40.0)
FIRST = Estimate(low=100.0, typical=200.0, high=400.0)


def said(itl: Estimate | None = BETWEEN, **wishes: float) -> list[tuple[str, dict[str, object]]]:
    notes = target_notes(Targets(**wishes), {"itl_ms": itl, "ttft_ms": FIRST})
    return [(each.code, dict(each.values)) for each in notes]


@pytest.mark.parametrize(
    ("limit_ms", "code"),
    [
        (41.0, "time_kept"),
        (40.0, "time_kept"),
        (39.9, "time_near"),
        (20.0, "time_near"),
        (19.9, "time_broken"),
    ],
)
def test_a_limit_is_held_against_the_whole_range(limit_ms: float, code: str) -> None:
    """20 to 40 ms: kept from 40 on, broken below 20."""
    bounds = {"low_ms": 20.0, "typical_ms": 25.0, "high_ms": 40.0}
    assert said(itl_ms=limit_ms) == [(code, {"target": "itl", "limit_ms": limit_ms, **bounds})]


@pytest.mark.parametrize(
    ("tokens_per_s", "code"),
    [
        (24.9, "rate_kept"),
        (25.0, "rate_kept"),
        (25.1, "rate_near"),
        (50.0, "rate_near"),
        (50.1, "rate_broken"),
    ],
)
def test_a_rate_is_the_inverse_of_the_time_between_tokens(tokens_per_s: float, code: str) -> None:
    """40 ms between tokens are 25 a second, 20 ms are 50, 25 ms are 40."""
    rates = {"low_tokens_per_s": 25.0, "typical_tokens_per_s": 40.0, "high_tokens_per_s": 50.0}
    limit = {"limit_tokens_per_s": tokens_per_s}
    assert said(tokens_per_s=tokens_per_s) == [(code, limit | rates)]


def test_each_wish_is_answered_and_nothing_else() -> None:
    assert said() == []
    codes = [code for code, _ in said(ttft_ms=99.0, itl_ms=50.0, tokens_per_s=30.0)]
    assert codes == ["time_broken", "time_kept", "rate_near"]


def test_a_figure_that_is_not_named_is_held_against_nothing() -> None:
    assert said(itl=None, itl_ms=50.0, tokens_per_s=30.0) == []
