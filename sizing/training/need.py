"""Memory of one GPU of a training run, its states split over the GPUs or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizing.memory import ENDS
from sizing.overhead import NOTHING, BytesRange
from sizing.training.activations import activations
from sizing.training.plan import TrainingPlan
from sizing.training.states import States, states_of, step_bytes
from sizing.units import ceil_div, gib_to_bytes

BUCKET_PARAMETERS = 500_000_000
"""Gradients that DeepSpeed gathers before it sends them (`reduce_bucket_size`, 5e8)."""

GATHERED_LAYERS = 2
"""Layers that full sharding holds whole at once: the one at work and the next (prefetch)."""

CONTEXT = BytesRange(gib_to_bytes(0.5), gib_to_bytes(0.9), gib_to_bytes(1.4))
"""CUDA context and libraries of one process."""

COMMUNICATION = BytesRange(gib_to_bytes(0.2), gib_to_bytes(0.6), gib_to_bytes(1.5))
"""NCCL buffers of one process where several GPUs train."""

FRAGMENTATION_PERCENT = (0, 3, 10)
"""Share of the whole that the allocator reserves and cannot use: low, typical, high."""


@dataclass(frozen=True)
class TrainingNeed:
    """Memory of one GPU, bytes; the parts sum to the total."""

    weights: BytesRange
    gradients: BytesRange
    optimizer: BytesRange
    adapters: BytesRange
    reference: BytesRange
    """Frozen copy of the model that preferences are judged against."""
    activations: BytesRange
    """Peak of what comes and goes: activations, or the optimizer's step where it is larger."""
    buffers: BytesRange
    """Gathered layers and gradients in transit."""
    runtime: BytesRange
    """CUDA context, communication and fragmentation."""

    @property
    def allocated(self) -> BytesRange:
        """Return what tensors take, as the allocator counts it."""
        states = self.weights + self.gradients + self.optimizer + self.adapters
        return states + self.reference + self.activations + self.buffers

    @property
    def total(self) -> BytesRange:
        """Return the need with its range."""
        return self.allocated + self.runtime


def training_need(plan: TrainingPlan, *, gpus: int, zero_stage: int) -> TrainingNeed:
    """Return what each of `gpus` devices needs with states split as ZeRO `zero_stage` does.

    Stage 1 splits the optimizer, 2 the gradients too, 3 the weights too (Rajbhandari et al. 2020,
    figure 1); FSDP with full sharding is stage 3.
    """
    states, moving = states_of(plan), activations(plan)
    of_weights, of_gradients, of_optimizer = (
        gpus if zero_stage >= stage else 1 for stage in (3, 2, 1)
    )
    updated = ceil_div(states.trainable_parameters, of_optimizer)
    need = TrainingNeed(
        weights=_share(states.weights, of_weights),
        gradients=_share(states.gradients, of_gradients),
        optimizer=_share(states.optimizer, of_optimizer),
        adapters=_share(states.adapters, of_weights),
        reference=_share(states.reference, of_weights),
        activations=moving.total.at_least(step_bytes(plan, updated)),
        buffers=_buffers(plan, states, gpus=gpus, zero_stage=zero_stage),
        runtime=NOTHING,
    )
    return _with_runtime(need, gpus)


def _with_runtime(need: TrainingNeed, gpus: int) -> TrainingNeed:
    allocated = need.allocated
    sizes = (allocated.low_bytes, allocated.typical_bytes, allocated.high_bytes)
    lost = BytesRange(
        *(size * percent // 100 for size, percent in zip(sizes, FRAGMENTATION_PERCENT, strict=True))
    )
    runtime = CONTEXT + lost + (COMMUNICATION if gpus > 1 else NOTHING)
    return replace(need, runtime=runtime)


def _buffers(plan: TrainingPlan, states: States, *, gpus: int, zero_stage: int) -> BytesRange:
    if zero_stage == 3:
        return _gathered(plan)
    if gpus == 1:
        return NOTHING
    bucket = 2 * min(states.trainable_parameters, BUCKET_PARAMETERS)
    if zero_stage:
        return BytesRange(0, bucket, 2 * bucket)
    return BytesRange(0, 0, states.gradients.high_bytes)


def _gathered(plan: TrainingPlan) -> BytesRange:
    """Return the layers that are whole for a moment, and their gradients where they are trained."""
    ends = [one.weights_bytes for one in plan.groups if one.group in ENDS]
    layer = ceil_div(plan.weights_bytes - sum(ends), plan.subject.architecture.layers)
    whole = GATHERED_LAYERS * layer + max(ends, default=0)
    typical = whole * (2 if plan.is_full else 1)
    return BytesRange(layer, typical, 2 * typical)


def _share(size: BytesRange, gpus: int) -> BytesRange:
    return BytesRange(
        ceil_div(size.low_bytes, gpus),
        ceil_div(size.typical_bytes, gpus),
        ceil_div(size.high_bytes, gpus),
    )
