"""How throughput and latency of a set change with the requests in flight."""

from __future__ import annotations

import pytest

from sizing.catalogue import Catalogue
from sizing.curve import curve_of
from sizing.engine import size
from sizing.performance import CurvePoint
from sizing.request import GpuChoice, SizingRequest


def curve(catalogue: Catalogue, **fields: object) -> tuple[CurvePoint, ...]:
    request = SizingRequest(**{"model_id": "llama-3.1-70b", "precision": "fp8"} | fields)
    return curve_of(request, size(request, catalogue), catalogue)


def named(gpu: str, count: int) -> tuple[GpuChoice, ...]:
    return (GpuChoice(gpu=gpu, count=count),)


def test_requests_double_up_to_all_that_fit(catalogue) -> None:
    fields = {"gpus": named("h100-sxm", 4), "input_tokens": 2000, "output_tokens": 400}
    found = [one.concurrent_requests for one in curve(catalogue, **fields)]
    request = SizingRequest(model_id="llama-3.1-70b", precision="fp8", **fields)
    most = size(request, catalogue).options[0].max_concurrent_requests
    assert found == [2**n for n in range(len(found) - 1)] + [most]
    assert found[-2] < most <= 2 * found[-2]


@pytest.mark.parametrize("users", [1, 16])
def test_a_point_is_what_an_answer_says_at_that_load(catalogue, users: int) -> None:
    fields = {"gpus": named("h100-sxm", 4), "input_tokens": 2000, "output_tokens": 400}
    point = next(one for one in curve(catalogue, **fields) if one.concurrent_requests == users)
    request = SizingRequest(
        model_id="llama-3.1-70b", precision="fp8", concurrent_requests=users, **fields
    )
    speed = size(request, catalogue).options[0].performance
    assert point.itl_ms == speed.itl_ms
    assert point.output_tokens_per_s == speed.output_tokens_per_s


@pytest.mark.parametrize("gpus", [named("h100-sxm", 4), named("l40s", 4), named("mi300x", 1)])
def test_more_requests_write_more_and_wait_longer(catalogue, gpus) -> None:
    found = curve(catalogue, gpus=gpus)
    times = [one.itl_ms.typical for one in found]
    tokens = [one.output_tokens_per_s.typical for one in found]
    assert len(found) > 2
    assert times == sorted(times)
    assert tokens == sorted(tokens)


def test_copies_count_together(catalogue) -> None:
    """Two copies on two cards: the first point has one request in each."""
    found = curve(catalogue, model_id="llama-3.1-8b", gpus=named("l40s", 2), data_parallel=2)
    assert found[0].concurrent_requests == 2


def test_a_card_known_by_its_memory_has_one_too(catalogue) -> None:
    gpus = (GpuChoice(memory_gb=24, count=1),)
    assert len(curve(catalogue, model_id="llama-3.1-8b", gpus=gpus)) > 2


@pytest.mark.parametrize(
    "fields",
    [
        {"model_id": "llama-3.1-8b", "precision": "q4-k-m", "gpus": named("rtx-4090", 1)},
        {"model_id": "flux.1-dev", "precision": None, "gpus": named("l40s", 1)},
        {"gpus": named("t4", 1)},
        {
            "model_id": "llama-3.1-8b",
            "gpus": (*named("rtx-3090", 1), *named("rtx-4090", 1)),
            "mixed_gpus": True,
        },
    ],
    ids=["one request at a time", "works in passes", "does not fit", "unequal cards"],
)
def test_nothing_is_drawn_of_what_has_no_speed(catalogue, fields) -> None:
    assert curve(catalogue, **fields) == ()
