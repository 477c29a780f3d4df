"""Time of one sizing over the whole catalogue."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.inverse import Finder
from sizing.request import Goal, GpuChoice, SizingRequest, Targets

QUESTIONS = {
    "llama-13b int8": SizingRequest(model_id="llama-2-13b", precision="int8"),
    "llama-405b, 64 users of 32k": SizingRequest(
        model_id="llama-3.1-405b", context_tokens=32768, concurrent_requests=64
    ),
    "llama-70b, 200 users, first token within a second": SizingRequest(
        model_id="llama-3.3-70b",
        precision="fp8",
        input_tokens=2000,
        output_tokens=400,
        concurrent_requests=200,
        targets=Targets(ttft_ms=1000.0),
    ),
    "llama-8b, 30 requests per second": SizingRequest(
        model_id="llama-3.1-8b", input_tokens=2000, output_tokens=400, requests_per_s=30.0
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
    """Aim: under 20 ms, under 40 ms with wishes about speed."""
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
