"""Memory of one GPU of a training run, its states split over the GPUs or not."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizing.overhead import NOTHING, BytesRange, in_bytes
from sizing.training.activations import activations
from sizing.training.buffers import buffers, rollout_bytes
from sizing.training.layout import ALONE, Stage, TrainingLayout
from sizing.training.optimizers import step_bytes
from sizing.training.plan import TrainingPlan
from sizing.training.states import states_of


@dataclass(frozen=True)
class TrainingNeed:
    """Memory of one GPU, bytes; the parts sum to the total."""

    weights: BytesRange
    gradients: BytesRange
    optimizer: BytesRange
    adapters: BytesRange
    reference: BytesRange
    """Frozen models beside the one that is trained."""
    activations: BytesRange
    """Peak of what comes and goes: activations, the optimizer's step or the cache of rollouts."""
    buffers: BytesRange
    """Gathered layers and gradients in transit."""
    runtime: BytesRange
    """CUDA context, communication and fragmentation."""
    host_bytes: int
    """What stands in host memory instead."""

    @property
    def allocated(self) -> BytesRange:
        """Return what tensors take, as the allocator counts it."""
        states = self.weights + self.gradients + self.optimizer + self.adapters
        return states + self.reference + self.activations + self.buffers

    @property
    def total(self) -> BytesRange:
        """Return the need with its range."""
        return self.allocated + self.runtime


def training_need(plan: TrainingPlan, layout: TrainingLayout = ALONE) -> TrainingNeed:
    """Return what the fullest of the GPUs needs: the first or the last where layers are spread."""
    needs = [_need_of(plan, layout, stage) for stage in layout.stages]
    return max(needs, key=lambda need: need.total.typical_bytes)


def _need_of(plan: TrainingPlan, layout: TrainingLayout, stage: Stage) -> TrainingNeed:
    states, moving = states_of(plan, layout, stage), activations(plan, layout, stage)
    peak = moving.total.at_least(step_bytes(plan, states.updated_parameters))
    need = TrainingNeed(
        weights=states.weights,
        gradients=states.gradients,
        optimizer=states.optimizer,
        adapters=states.adapters,
        reference=states.reference,
        activations=peak.at_least(rollout_bytes(plan, layout)),
        buffers=buffers(plan, states, layout),
        runtime=NOTHING,
        host_bytes=states.host_bytes + moving.host_bytes,
    )
    return _with_runtime(plan, need, layout.gpus)


def _with_runtime(plan: TrainingPlan, need: TrainingNeed, gpus: int) -> TrainingNeed:
    allocated, known = need.allocated, plan.overheads
    lost = BytesRange(
        round(allocated.low_bytes * known.unusable.low_percent / 100),
        round(allocated.typical_bytes * known.unusable.typical_percent / 100),
        round(allocated.high_bytes * known.unusable.high_percent / 100),
    )
    communication = in_bytes(known.communication) if gpus > 1 else NOTHING
    return replace(need, runtime=in_bytes(known.context) + lost + communication)
