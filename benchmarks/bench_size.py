"""Time of one sizing over the whole catalogue."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.inverse import Finder
from sizing.request import Goal, GpuChoice, SizingRequest

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


@pytest.mark.parametrize("gpu", ["l40s", "h200-sxm"])
def test_what_fits(gpu: str, catalogue: Catalogue, benchmark: BenchmarkFixture) -> None:
    """Aim: under 300 ms over the whole catalogue, what depends on the models known."""
    finder = Finder(catalogue)
    asked = SizingRequest(goal=Goal.WHAT_FITS, gpus=(GpuChoice(gpu=gpu, count=8),))
    assert benchmark(finder.what_fits, asked).models


def test_load_catalogue(benchmark: BenchmarkFixture) -> None:
    assert benchmark(load_catalogue).models
