"""Time of one sizing over the whole catalogue."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.request import GpuChoice, SizingRequest

QUESTIONS = {
    "llama-13b int8": SizingRequest(model_id="llama-2-13b", precision="int8"),
    "llama-405b, 64 users of 32k": SizingRequest(
        model_id="llama-3.1-405b", context_tokens=32768, concurrent_requests=64
    ),
    "70b on 8 named cards": SizingRequest(
        model_id="llama-3.3-70b", gpus=(GpuChoice(gpu="h100-sxm", count=8),)
    ),
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize("name", QUESTIONS)
def test_size(name: str, catalogue: Catalogue, benchmark: BenchmarkFixture) -> None:
    """Aim: under 20 ms."""
    answer = benchmark(size, QUESTIONS[name], catalogue)
    assert answer.options


def test_load_catalogue(benchmark: BenchmarkFixture) -> None:
    assert benchmark(load_catalogue).models
