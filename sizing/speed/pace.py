"""How fast a GPU and an engine work: every coefficient of the model for one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import get_args

from sizing.records import CoefficientName, FormRecord, GpuRecord
from sizing.speed.traits import family_of

USUAL_GB_PER_TFLOP = 4.0
"""Bandwidth for 16-bit arithmetic from which cards differ: that of H100 and B200, about."""


@dataclass(frozen=True)
class Pace:
    """Coefficients of one case; the fields may be arrays of many cases."""

    bandwidth: float
    """Share of the memory bandwidth that reading weights and cache reaches."""
    power_read: float
    """How much more the reading slows down the less power a card has for each TFLOPS (exponent)."""
    fetching: float
    """How much less of its bandwidth a card reaches the more it has for each TFLOPS (exponent)."""
    routing: float
    """Further tokens of a batch that choose experts of their own: many choose the same ones."""
    compute: float
    """Share of the peak rate that matrix products reach."""
    power: float
    """How much more compute falls than the power a card has for each TFLOPS (exponent)."""
    grain: float
    """How much better matrix products get the wider feed-forward layers are (exponent)."""
    prefill: float
    """Share of `compute` that reading prompts reaches."""
    mixed: float
    """Cost of a prompt that is read between answers, over that of one in a step of its own."""
    prompt_layer_s: float
    """Seconds of launching one layer for one step of a prompt."""
    attention: float
    """Cost of attention over that of matrix products."""
    layer_s: float
    """Seconds of launching one layer."""
    layer_grain: float
    """How much longer that takes the wider the feed-forward layers are (exponent)."""
    expert_layer: float
    """What an expert layer adds, in layers."""
    latent_layer: float
    """What latent attention adds, in layers."""
    index_layer: float
    """What the index of sparse attention adds, in layers."""
    state_layer: float
    """What a recurrent layer adds, in layers."""
    step_s: float
    """Seconds of scheduling one step."""
    request_s: float
    """Seconds of sampling and scheduling, for each request in a step."""
    exchange_s: float
    """Seconds until ranks of one layer have met."""
    link_bytes_per_s: float
    """Bytes a rank sends each second."""
    stages: float
    """How much slower a pipeline is than its parts (exponent of its stages)."""
    first_s: float
    """Seconds before the first step: transport, tokenizer, scheduling."""
    first_prefill: float
    """Cost of a lone prompt over that of one in a full engine."""
    first_decode: float
    """Part of a step that the first token waits for beside its prompt."""
    queue_prefill: float
    """Weight of waiting for other prompts where requests arrive at random."""
    queue_step: float
    """Steps that a request waits for before its prompt is read."""
    burst_prefill: float
    """Part of the other prompts that a request waits for where all come at once."""
    burst_step: float
    """Steps that it waits for then."""
    burst_first: float
    """Cost of its own prompt then, over that of one in a full engine."""
    bandwidth_bytes_per_s: float = 1.0
    """Bandwidth of the data sheet."""
    abundance: float = 0.0
    """Logarithm of its bandwidth for each TFLOPS, over `USUAL_GB_PER_TFLOP`."""
    starvation: float = 0.0
    """Logarithm of the power it has for each TFLOPS, over the best supplied card's; <= 0."""


COEFFICIENTS: tuple[CoefficientName, ...] = get_args(CoefficientName)
"""Names of the fitted numbers."""


def value_of(form: FormRecord, name: CoefficientName, traits: Mapping[str, str]) -> float:
    """Return one coefficient: its base times the factor of each trait that is known."""
    coefficient = form.coefficients[name]
    value = coefficient.base
    for trait, factors in coefficient.effects.items():
        value *= factors.get(traits[trait], 1.0)
    return value


def starvation_of(power_w_per_tflops: Mapping[str, float], gpu: GpuRecord) -> float:
    """Return the power of `gpu` for each TFLOPS against the best supplied one, as a logarithm."""
    reference = power_w_per_tflops.get(family_of(gpu))
    rate = gpu.bf16_dense_tflops or gpu.fp16_dense_tflops
    if reference is None or rate is None or gpu.board_power_w is None:
        return 0.0
    return min(0.0, log(gpu.board_power_w / rate / reference))


def abundance_of(gpu: GpuRecord) -> float:
    """Return the bandwidth of `gpu` for each TFLOPS against the usual one, as a logarithm.

    Reads in flight are bounded by the processors that ask for them (Little's law), so that
    faster memory beside the same processors is used less.
    """
    rate = gpu.bf16_dense_tflops or gpu.fp16_dense_tflops
    return log(gpu.bandwidth_gb_per_s / rate / USUAL_GB_PER_TFLOP) if rate else 0.0


def pace_of(form: FormRecord, gpu: GpuRecord, traits: Mapping[str, str]) -> Pace:
    """Return the coefficients of one case."""
    values = {name: value_of(form, name, traits) for name in COEFFICIENTS}
    return Pace(
        **values,
        bandwidth_bytes_per_s=gpu.bandwidth_gb_per_s * 1e9,
        abundance=abundance_of(gpu),
        starvation=starvation_of(form.power_w_per_tflops, gpu),
    )
