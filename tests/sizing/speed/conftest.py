"""What the tests of speed share: the work of a load, and numbers that a person can follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from sizing.catalogue import Catalogue
from sizing.defaults import load_of
from sizing.parallelism import Layout
from sizing.request import SizingRequest
from sizing.speed.pace import Pace
from sizing.speed.traits import arithmetic_of
from sizing.speed.work import StepWork, work_of
from sizing.subject import subject_of
from sizing.weights import loaded_part, loaded_precision

PERFECT = Pace(
    bandwidth=1.0, power_read=1.0, fetching=1.0, routing=1.0, compute=1.0, power=1.0, grain=1.0,
    prefill=1.0, mixed=1.0, prompt_layer_s=1e-18, attention=1.0, layer_s=1e-18, layer_grain=1e-18,
    expert_layer=1.0, latent_layer=1.0, index_layer=1.0, state_layer=1.0, step_s=1e-18,
    request_s=1e-18, exchange_s=1e-18, link_bytes_per_s=1e30, stages=1e-18, first_s=1e-18,
    first_prefill=1.0, first_decode=1e-18, queue_prefill=1.0, queue_step=1e-18, burst_prefill=1.0,
    burst_step=1e-18, burst_first=1.0, bandwidth_bytes_per_s=1e12,
)  # fmt: skip
"""A GPU of 1 TB/s that wastes nothing."""


@pytest.fixture(scope="session")
def work(catalogue: Catalogue) -> Callable[..., StepWork]:
    def found(
        model: str, gpu: str, layout: Layout | None = None, *, read: int, written: int, **more: str
    ) -> StepWork:
        request = SizingRequest(model_id=model, engine="vllm", **more)
        subject = subject_of(request, catalogue)
        precision = loaded_precision(subject, request, catalogue)
        load = load_of(request, loaded_part(subject, precision, "vllm"), precision, catalogue)
        arithmetic = arithmetic_of(catalogue.gpus[gpu], precision)
        assert arithmetic is not None
        return work_of(
            load, layout or Layout(), arithmetic, input_tokens=read, output_tokens=written
        )

    return found


@pytest.fixture(scope="session")
def perfect() -> Pace:
    return PERFECT


@pytest.fixture(scope="session")
def plain() -> StepWork:
    """1 TB of weights and nothing else, for prompts of 512 and answers of 100 tokens."""
    nothing = {each.name: 0.0 for each in fields(StepWork)}
    told = {"dense_bytes": 1e12, "expert_share": 1.0, "pipeline": 1, "prompt_steps": 1}
    return StepWork(**{**nothing, **told, "input_tokens": 512, "output_tokens": 100})
