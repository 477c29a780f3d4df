"""Seconds of a step and of a prompt, by hand."""

from __future__ import annotations

from dataclasses import replace
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.parallelism import Layout
from sizing.records import Coefficient, FormRecord
from sizing.speed.pace import COEFFICIENTS, Pace, abundance_of, starvation_of, value_of
from sizing.speed.step import lone_prompt_s, prompt_s, step_times


def test_a_terabyte_takes_a_second_at_a_terabyte_per_second(plain, perfect) -> None:
    assert step_times(plain, perfect, 8).weights == pytest.approx(1)
    assert step_times(plain, perfect, 8).total == pytest.approx(1)


def test_a_share_of_the_bandwidth_is_reached(plain, perfect) -> None:
    assert step_times(plain, replace(perfect, bandwidth=0.8), 1).total == pytest.approx(1.25)


@pytest.mark.parametrize(
    ("batch", "touched"),
    # 4 of 128 experts for each token: 1 - (31/32)^64 = 1 - e^(64 x -0.0317487) = 1 - 0.13108
    [(1, 1 / 32), (2, 1 / 32 + 31 / 1024), (64, 0.86892)],
)
def test_experts_are_read_once_a_token_of_the_batch_wants_them(
    work, perfect, batch: int, touched: float
) -> None:
    found = work("gpt-oss-120b", "h100-sxm", read=100, written=100)
    weights = found.dense_bytes + touched * found.expert_bytes
    assert step_times(found, perfect, batch).weights == pytest.approx(weights / 1e12, rel=1e-4)


def test_tokens_that_choose_the_same_experts_touch_fewer(plain, perfect) -> None:
    """A quarter for each; of two more tokens only one chooses anew: 1 - (3/4)^2 instead of ^3.
    One token alone touches its own experts whatever the others would do.
    """
    mixture = replace(plain, dense_bytes=0.0, expert_bytes=1e12, expert_share=0.25)
    pace = replace(perfect, routing=0.5)
    assert step_times(mixture, pace, 3).weights == pytest.approx(7 / 16)
    assert step_times(mixture, pace, 1).weights == pytest.approx(1 / 4)


def test_cache_grows_with_the_batch_and_states_with_it(plain, perfect) -> None:
    kept = replace(plain, cache_bytes=2e9, state_bytes=1e9)
    assert step_times(kept, perfect, 5).cache == pytest.approx(5 * 3e9 / 1e12)


def test_arithmetic_adds_to_reading_and_attention_costs_more(plain, perfect) -> None:
    """0.01 s of products and 0.02 s of attention at three times the cost, at half the peak."""
    busy = replace(plain, linear_s=0.01, attention_s=0.02)
    times = step_times(busy, replace(perfect, attention=3.0, compute=0.5), 10)
    assert times.compute == pytest.approx(10 * (0.01 + 0.06) / 0.5)
    assert times.total == pytest.approx(1 + 1.4)


def test_a_pipeline_is_empty_while_its_first_stage_begins(plain, perfect) -> None:
    """Four requests on three stages: six slots of a third of the work each."""
    staged = replace(plain, pipeline=3, linear_s=0.01, cache_bytes=1e9)
    times = step_times(staged, perfect, 4)
    assert times.compute == pytest.approx(6 * 0.01)
    assert times.cache == pytest.approx(6 * 1e9 / 1e12)
    assert times.weights == pytest.approx(1)


def test_stages_slow_everything_down_by_a_power_of_their_number(plain, perfect) -> None:
    staged = replace(plain, pipeline=4, linear_s=0.01)
    straight, slowed = (
        step_times(staged, replace(perfect, stages=exponent), 1) for exponent in (1e-18, 0.5)
    )
    assert slowed.total == pytest.approx(2 * straight.total)


def test_launching_layers(plain, perfect) -> None:
    """10 layers of 1 ms; 6 with experts worth 0.5 more, 4 latent ones 0.25, 2 with an index 1,
    3 with a state 2: 10 + 3 + 1 + 2 + 6 layers; 5 ms a step and 2 ms for each of 7 requests.
    """
    layered = replace(
        plain, layers=10, expert_layers=6, latent_layers=4, index_layers=2, state_layers=3
    )
    pace = replace(
        perfect, layer_s=1e-3, expert_layer=0.5, latent_layer=0.25, index_layer=1.0,
        state_layer=2.0, step_s=5e-3, request_s=2e-3,
    )  # fmt: skip
    assert step_times(layered, pace, 7).overhead == pytest.approx(0.022 + 0.005 + 0.014)


def test_wide_layers_take_longer_to_launch(plain, perfect) -> None:
    """10 layers of 1 ms, four times as wide as the usual one: twice as long at the root of it."""
    wide = replace(plain, layers=10, grain=log(4))
    pace = replace(perfect, layer_s=1e-3, layer_grain=0.5)
    assert step_times(wide, pace, 1).overhead == pytest.approx(0.02)


def test_ranks_meet_after_each_layer_and_send_each_token(plain, perfect) -> None:
    """30 layers of 0.1 ms, and 4 tokens of 5 MB at 10 GB/s."""
    split = replace(plain, exchanging_layers=30, wire_bytes=5e6)
    pace = replace(perfect, exchange_s=1e-4, link_bytes_per_s=1e10)
    assert step_times(split, pace, 4).exchange == pytest.approx(0.003 + 0.002)


def test_a_prompt_is_computed_sent_and_launched(plain, perfect) -> None:
    """2 s at half the peak and 80 % of that in prompts; 512 tokens of 1 MB at 1 GB/s; 3 steps of
    20 layers at 1 ms.
    """
    read = replace(
        plain, prefill_linear_s=1.5, prefill_attention_s=0.5, wire_bytes=1e6, prompt_steps=3,
        layers=20,
    )  # fmt: skip
    pace = replace(perfect, compute=0.5, prefill=0.8, link_bytes_per_s=1e9, prompt_layer_s=1e-3)
    assert prompt_s(read, pace) == pytest.approx(2 / 0.4 + 0.512 + 0.06)


def test_a_lone_prompt_fills_a_pipeline_step_by_step(plain, perfect) -> None:
    """Four steps pass two stages: five slots of a quarter of one stage's share."""
    staged = replace(plain, pipeline=2, prompt_steps=4, prefill_linear_s=2.0)
    assert lone_prompt_s(staged, perfect) == pytest.approx(2.0 * 5 / 4)
    single = replace(staged, pipeline=1)
    assert lone_prompt_s(single, perfect) == pytest.approx(2.0)


def test_parts_sum_to_the_total(work, catalogue) -> None:
    found = work("deepseek-v3", "h200-sxm", Layout(8), read=2000, written=1000)
    form = catalogue.efficiency.batched
    pace = Pace(
        **{name: form.coefficients[name].base for name in COEFFICIENTS},
        bandwidth_bytes_per_s=4.8e12,
    )
    times = step_times(found, pace, 32)
    parts = (times.weights, times.cache, times.compute, times.overhead, times.exchange)
    assert all(part > 0 for part in parts)
    assert sum(parts) == times.total


def _form(**fields: object) -> FormRecord:
    numbers = {name: Coefficient(base=1.0) for name in COEFFICIENTS}
    return FormRecord(coefficients={**numbers, **fields})


def test_a_number_is_its_base_times_the_factor_of_each_known_trait() -> None:
    """0.5 x 1.2 x 0.9; a GPU that was not measured changes nothing."""
    effects = {"family": {"ada-gddr": 1.2}, "engine": {"vllm": 0.9}, "gpu": {"l4": 3.0}}
    form = _form(compute=Coefficient(base=0.5, effects=effects))
    traits = {"family": "ada-gddr", "engine": "vllm", "gpu": "l40s"}
    assert value_of(form, "compute", traits) == pytest.approx(0.54)
    assert value_of(form, "power", traits) == 1.0


def test_cards_short_of_power_clock_down(plain, perfect, catalogue) -> None:
    """L4: 72 W for 121 TFLOPS, against 300 W for 150: 0.595 of 2 W for each; at an exponent of
    1/2 its rate falls to the root of 0.2975.
    """
    gpu = catalogue.gpus["l4"]
    starvation = starvation_of({"ada-gddr": 2.0}, gpu)
    busy = replace(plain, linear_s=0.01)
    pace = replace(perfect, power=0.5, power_read=0.25, starvation=starvation)
    assert step_times(busy, pace, 1).compute == pytest.approx(0.01 / (72 / 121 / 2) ** 0.5)
    assert step_times(busy, pace, 1).weights == pytest.approx(1 / (72 / 121 / 2) ** 0.25)


def test_much_bandwidth_for_few_processors_is_used_less(plain, perfect, catalogue) -> None:
    """H200: 4,800 GB/s for 989 TFLOPS, 1.21 of the usual 4 for each; its root is lost."""
    abundance = abundance_of(catalogue.gpus["h200-sxm"])
    assert abundance == pytest.approx(log(4800 / 989 / 4), rel=1e-3)
    pace = replace(perfect, fetching=0.5, abundance=abundance)
    assert step_times(plain, pace, 1).weights == pytest.approx((4800 / 989 / 4) ** 0.5, rel=1e-3)
    assert step_times(plain, replace(pace, abundance=0.0), 1).weights == pytest.approx(1)


def test_a_card_of_unknown_rate_is_taken_as_usual(catalogue) -> None:
    unknown = {"bf16_dense_tflops": None, "fp16_dense_tflops": None}
    assert abundance_of(catalogue.gpus["l4"].model_copy(update=unknown)) == 0.0


def test_wide_matrices_fill_a_card_better(plain, perfect) -> None:
    """Four times the usual width at an exponent of 1/2: twice the rate, in prompts as well."""
    wide = replace(plain, grain=log(4), linear_s=0.01, prefill_linear_s=2.0)
    pace = replace(perfect, grain=0.5)
    assert step_times(wide, pace, 3).compute == pytest.approx(3 * 0.01 / 2)
    assert prompt_s(wide, pace) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("power", "gpu"),
    [({"ada-gddr": 0.1}, "l4"), ({}, "l4"), ({"apple-lpddr": 9.0}, "m3-ultra")],
    ids=["better supplied than any", "family not measured", "power not published"],
)
def test_other_cards_are_not_slowed_down(catalogue, power: dict[str, float], gpu: str) -> None:
    card = catalogue.gpus[gpu].model_copy(update={} if gpu == "l4" else {"board_power_w": None})
    assert starvation_of(power, card) == 0.0


@given(
    st.floats(1e8, 1e12), st.floats(0, 1e12), st.floats(0.001, 1), st.floats(0, 1e9),
    st.floats(0, 1e-3), st.integers(1, 8), st.integers(1, 4000),
)  # fmt: skip
def test_a_step_never_gets_shorter_nor_its_rate_lower_with_more_requests(
    plain, perfect, dense, experts, share, cache, flops, stages, batch
) -> None:
    """Its time is a constant and what grows with the batch, at most in proportion."""
    work = replace(
        plain, dense_bytes=dense, expert_bytes=experts, expert_share=share, cache_bytes=cache,
        linear_s=flops, pipeline=stages, layers=32, wire_bytes=1e6,
    )  # fmt: skip
    pace = replace(perfect, layer_s=1e-5, step_s=1e-3, request_s=1e-5, link_bytes_per_s=1e10)
    fewer, more = (step_times(work, pace, size).total for size in (batch, batch + 1))
    assert fewer <= more * (1 + 1e-12)
    assert more / (batch + 1) <= fewer / batch * (1 + 1e-12)
