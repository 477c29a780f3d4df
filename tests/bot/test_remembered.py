"""The same request is computed once."""

from __future__ import annotations

import json

from bot.remembered import remembered
from bot.sources.config import read_config
from sizing.request import SizingRequest


class Counter:
    def __init__(self) -> None:
        self.asked: list[SizingRequest] = []

    def __call__(self, request: SizingRequest) -> int:
        self.asked.append(request)
        return len(self.asked)


def test_the_same_request_has_the_same_answer() -> None:
    count = Counter()
    answer = remembered(count, most=2)
    assert [answer(SizingRequest(parameters=13)) for _ in range(3)] == [1, 1, 1]
    assert answer(SizingRequest(parameters=14)) == 2


def test_the_last_ones_are_kept() -> None:
    count = Counter()
    answer = remembered(count, most=1)
    asked = [13, 14, 13]
    assert [answer(SizingRequest(parameters=size)) for size in asked] == [1, 2, 3]


def test_a_model_of_its_own_is_computed_each_time() -> None:
    """Its shape cannot be told apart by a name."""
    config = {
        "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100,
    }  # fmt: skip
    model = read_config(json.dumps(config).encode(), "config.json")
    count = Counter()
    answer = remembered(count, most=2)
    request = SizingRequest(given=model)
    assert [answer(request), answer(request)] == [1, 2]
