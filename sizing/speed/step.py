"""Seconds of a step and of a prompt: a roofline whose terms add up.

Memory and arithmetic overlap less than the classic roofline assumes (Williams et al. 2009): over
measured engines the sum of both terms errs less than their maximum. Only arithmetic that works on
arrays too is used, so that fitting and answering share one formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e

from sizing.speed.pace import Pace
from sizing.speed.work import StepWork
from sizing.units import power


@dataclass(frozen=True)
class StepTimes:
    """Parts of one step, in seconds; they sum to `total`."""

    weights: float
    cache: float
    compute: float
    overhead: float
    exchange: float

    @property
    def total(self) -> float:
        """Return the seconds of the whole step."""
        return self.weights + self.cache + self.compute + self.overhead + self.exchange


def step_times(work: StepWork, pace: Pace, batch: float) -> StepTimes:
    """Return the parts of the time in which `batch` requests advance by one token.

    Experts touched by a batch: 1 - (1 - k/E)^batch. A pipeline reads its weights once for each
    stage in flight, and a batch smaller than the pipeline leaves stages idle.
    """
    stages = power(work.pipeline, pace.stages)
    bytes_per_s = pace.bandwidth_bytes_per_s * _read_share(pace) / stages
    touched = 1 - power(1 - work.expert_share, 1 + (batch - 1) * pace.routing)
    in_stages = batch + work.pipeline - 1
    flops = work.linear_s + work.attention_s * pace.attention
    return StepTimes(
        weights=(work.dense_bytes + work.expert_bytes * touched) / bytes_per_s,
        cache=(in_stages * work.cache_bytes + batch * work.state_bytes) / bytes_per_s,
        compute=in_stages * flops / _reached(work, pace) * stages,
        overhead=_overhead_s(work, pace, batch) * stages,
        exchange=_exchange_s(work, pace, batch) * stages,
    )


def prompt_s(work: StepWork, pace: Pace) -> float:
    """Return the seconds of reading one prompt in a busy engine."""
    flops = work.prefill_linear_s + work.prefill_attention_s
    wire_s = work.input_tokens * work.wire_bytes / pace.link_bytes_per_s
    launched_s = work.prompt_steps * work.layers * pace.prompt_layer_s
    computed_s = flops / (_reached(work, pace) * pace.prefill)
    return (computed_s + wire_s + launched_s) * power(work.pipeline, pace.stages)


def lone_prompt_s(work: StepWork, pace: Pace) -> float:
    """Return the seconds of reading one prompt while nothing else fills the pipeline.

    Its steps pass the stages one after the other, so that all but the first overlap.
    """
    return prompt_s(work, pace) * (1 + (work.pipeline - 1) / work.prompt_steps)


def _read_share(pace: Pace) -> float:
    """Return the share of the bandwidth.

    Cards short of power clock down while they read too, and those with much bandwidth for their
    processors do not ask for enough at once.
    """
    exponent = pace.power_read * pace.starvation - pace.fetching * pace.abundance
    return pace.bandwidth * power(e, exponent)


def _reached(work: StepWork, pace: Pace) -> float:
    """Return the share of the peak rate.

    Cards short of power clock down under matrix products, and narrow matrices fill them less.
    """
    return pace.compute * power(e, pace.power * pace.starvation + pace.grain * work.grain)


def _overhead_s(work: StepWork, pace: Pace, batch: float) -> float:
    """Return the seconds of starting and ending work.

    Between its products a layer adds, normalises and rounds as many numbers as it is wide.
    """
    launched = (
        work.layers
        + work.expert_layers * pace.expert_layer
        + work.latent_layers * pace.latent_layer
        + work.index_layers * pace.index_layer
        + work.state_layers * pace.state_layer
    )
    layer_s = pace.layer_s * power(e, pace.layer_grain * work.grain)
    return launched * layer_s + pace.step_s + batch * pace.request_s


def _exchange_s(work: StepWork, pace: Pace, batch: float) -> float:
    met_s = work.exchanging_layers * pace.exchange_s
    return met_s + batch * work.wire_bytes / pace.link_bytes_per_s
