"""How long a training run takes, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.engine import size
from sizing.request import GpuChoice, Mode, SizingRequest
from sizing.tuning import Tuning

H100_TFLOPS = 989


def run(catalogue, tokens: int, *, mode: Mode = Mode.FULL, **asked):
    request = SizingRequest(mode=mode, tuning=Tuning(run_tokens=tokens), **asked)
    return size(request, catalogue).training.run


def test_a_tender_for_a_model_of_100_billion(catalogue) -> None:
    """6 x 100e9 x 12e12 = 7.2e24; / (989e12 x 0.4 x 3,600) = 5.06 million hours of an H100."""
    found = run(
        catalogue, 12 * 10**12, parameters=100 * 10**9, gpus=(GpuChoice(gpu="h100-sxm", count=64),)
    )
    assert found.run_operations == 7.2e24
    assert found.peak_tflops == pytest.approx(H100_TFLOPS, rel=0.001)
    assert found.gpu_hours.typical == pytest.approx(5.06e6, rel=0.01)
    # 7.2e24 / (989e12 x 0.47 x 3,600) and / (989e12 x 0.30 x 3,600).
    assert found.gpu_hours.low == pytest.approx(4.30e6, rel=0.01)
    assert found.gpu_hours.high == pytest.approx(6.74e6, rel=0.01)
    assert found.run_hours.typical == pytest.approx(5.06e6 / 64, rel=0.01)


def test_published_hours_of_llama_3_1_405b_are_inside(catalogue) -> None:
    """Its card: 30.84 million hours of H100 for 15 T tokens, all that was lost included."""
    found = run(
        catalogue,
        15 * 10**12,
        model_id="llama-3.1-405b",
        gpus=(GpuChoice(gpu="h100-sxm", count=256),),
    )
    assert found.gpu_hours.low < 30.84e6 < found.gpu_hours.high


def test_frozen_weights_need_no_gradients_of_their_own(catalogue) -> None:
    """Adapters: 4 x 8.03e9 x 1e9 = 3.2e19 instead of 4.8e19."""
    full = run(catalogue, 10**9, model_id="llama-3.1-8b")
    lora = run(catalogue, 10**9, mode=Mode.LORA, model_id="llama-3.1-8b")
    assert lora.run_operations / full.run_operations == pytest.approx(4 / 6)


def test_a_mixture_computes_its_active_parameters(catalogue) -> None:
    found = run(catalogue, 10**9, model_id="mixtral-8x7b")
    assert found.run_parameters == pytest.approx(12.9e9, rel=0.03)


def test_without_tokens_there_is_no_length(catalogue) -> None:
    request = SizingRequest(mode=Mode.FULL, model_id="llama-3.1-8b")
    assert size(request, catalogue).training.run is None


@given(tokens=st.integers(1, 10**14))
def test_it_grows_with_the_tokens(catalogue, tokens: int) -> None:
    one = run(catalogue, tokens, parameters=10**9)
    two = run(catalogue, 2 * tokens, parameters=10**9)
    assert two.run_operations == pytest.approx(2 * one.run_operations)
    assert two.gpu_hours.typical == pytest.approx(2 * one.gpu_hours.typical)
