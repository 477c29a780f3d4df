"""Seconds of an item: rates of a GPU in the numbers of a precision, and the smooth maximum."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.catalogue import Catalogue
from sizing.records import ThroughputFactors
from sizing.throughput.pace import Pace, Rates, Seconds, pace_of, rates_of, seconds_of
from sizing.throughput.work import ItemWork

TERA = 1e12


@pytest.mark.parametrize(
    ("precision", "engine", "numbers", "peak_tflops"),
    [
        ("bf16", "diffusers", "16-bit", 989),
        ("fp8", "tensorrt", "fp8", 1_979),
        ("fp8", "diffusers-compiled", "fp8", 1_979),
        ("fp8", "diffusers", "weights", 989),
        ("bnb-nf4", "diffusers", "weights", 989),
        ("fp32", "transformers", "32-bit", 989),
    ],
)
def test_numbers_of_an_h100(
    catalogue: Catalogue, precision: str, engine: str, numbers: str, peak_tflops: float
) -> None:
    """Engines that only store weights in fewer bits multiply in 16; NVIDIA H100 data sheet."""
    rates = rates_of(catalogue.gpus["h100-sxm"], catalogue.precisions[precision], engine)
    assert rates is not None
    assert (rates.numbers, rates.peak_flops) == (numbers, peak_tflops * TERA)
    assert rates.power_w_per_tflops == pytest.approx(700 / 989)


def test_a_gpu_without_a_rate_has_no_speed(catalogue: Catalogue) -> None:
    gpu = catalogue.gpus["h100-sxm"].model_copy(
        update={"bf16_dense_tflops": None, "fp16_dense_tflops": None}
    )
    assert rates_of(gpu, catalogue.precisions["bf16"], "diffusers") is None


def test_power_that_is_not_published_changes_nothing(catalogue: Catalogue) -> None:
    gpu = catalogue.gpus["h100-sxm"].model_copy(update={"board_power_w": None})
    rates = rates_of(gpu, catalogue.precisions["bf16"], "diffusers")
    assert rates is not None
    assert rates.power_w_per_tflops == 1.0


def test_parts_by_hand() -> None:
    """Two of 16-bit and one of 8-bit work, a batch of four.

    compute  (8e12 / 200e12 + 2e12 / 100e12) / 0.5           = 0.12 s
    memory   (1e9 + 4e9 / 4) / 1e11 / 0.25                   = 0.08 s
    launch   1,000 x 1e-3 / 4                                = 0.25 s
    total    (0.2^4 + 0.25^4)^(1/4)                          = 0.2725 s
    """
    work = ItemWork("unet", 8e12, 2e12, kernels=1_000, item_bytes=1e9, batch_bytes=4e9)
    rates = Rates("fp8", 200e12, 100e12, 1e11, 1.0)
    found = seconds_of(work, rates, Pace(compute=0.5, memory=0.25, launch_s=1e-3), 4)
    assert found == Seconds(
        compute=pytest.approx(0.12), memory=pytest.approx(0.08), launch=pytest.approx(0.25)
    )
    assert found.total == pytest.approx(0.2725, abs=1e-4)


@given(
    busy=st.floats(1e-6, 1e3),
    launch=st.floats(0.0, 1e3),
)
def test_the_total_lies_between_the_longer_part_and_the_sum(busy: float, launch: float) -> None:
    total = Seconds(compute=busy, memory=0.0, launch=launch).total
    assert max(busy, launch) * 0.999999 <= total <= (busy + launch) * 1.000001


def test_a_number_is_its_base_times_what_is_known(catalogue: Catalogue) -> None:
    """0.2 x 1.5 (unet) x 1.0 (engine not known) x 4 W for each TFLOPS to the 0.5 = 0.6."""
    record = catalogue.throughput.model_copy(
        update={
            "compute": ThroughputFactors(
                base=0.2, effects={"work": {"unet": 1.5}, "engine": {"image/other": 9.0}}
            ),
            "memory": ThroughputFactors(base=0.5),
            "launch": ThroughputFactors(base=1e-5),
            "power": 0.5,
        }
    )
    traits = {"work": "unet", "engine": "image/none", "family": "", "gpu": "", "numbers": ""}
    pace = pace_of(record, traits, Rates("16-bit", 1.0, 1.0, 1.0, power_w_per_tflops=4.0))
    assert pace == Pace(compute=pytest.approx(0.6), memory=0.5, launch_s=1e-5)
