"""What comes and goes beside activations: gathered layers, gradients in transit, rollouts."""

from __future__ import annotations

from sizing.overhead import NOTHING, BytesRange
from sizing.training.layout import TrainingLayout
from sizing.training.methods import ROLLED_OUT
from sizing.training.plan import TrainingPlan
from sizing.training.states import States, whole_layers_bytes
from sizing.training.trained import trained_groups
from sizing.tuning import Offload

BUCKET_PARAMETERS = 500_000_000
"""Gradients that DeepSpeed gathers before it sends them (`reduce_bucket_size`, 5e8)."""

KV_BYTES = 2
"""Bytes of one number of the KV cache of a rollout."""


def buffers(plan: TrainingPlan, states: States, layout: TrainingLayout) -> BytesRange:
    """Return what one GPU holds for a moment on behalf of the others, or of the host."""
    bucket = 2 * min(states.trainable_parameters, BUCKET_PARAMETERS)
    in_transit = BytesRange(0, bucket, 2 * bucket)
    if plan.offloads_all:
        return _gradients_at_work(plan, layout) + in_transit
    if layout.zero_stage == 3:
        return _gathered(plan, layout) + in_transit
    if layout.replicas == 1 and plan.tuning.offload is not Offload.OPTIMIZER:
        return NOTHING
    if layout.zero_stage or plan.tuning.offload is Offload.OPTIMIZER:
        return in_transit
    return BytesRange(0, 0, states.gradients.high_bytes)


def _gradients_at_work(plan: TrainingPlan, layout: TrainingLayout) -> BytesRange:
    """Return the gradients of layers that are on the GPU for a moment."""
    whole = whole_layers_bytes(plan) / layout.tensor if trained_groups(plan) else 0
    return BytesRange(0, round(whole), round(2 * whole))


def _gathered(plan: TrainingPlan, layout: TrainingLayout) -> BytesRange:
    """Return the layers that are whole for a moment, and their gradients where they are trained.

    Where the model writes answers it is gathered whole (`unwrap_model_for_generation` of TRL,
    `ds3_gather_for_generation`), unless an engine of its own writes them.
    """
    whole = whole_layers_bytes(plan) / layout.tensor
    typical = whole * (2 if trained_groups(plan) else 1)
    low = whole / 2
    if _writes_answers(plan):
        gathered = plan.weights_bytes / layout.tensor
        return BytesRange(round(low), round(gathered), round(gathered + typical))
    return BytesRange(round(low), round(typical), round(2 * typical))


def _writes_answers(plan: TrainingPlan) -> bool:
    return plan.method in ROLLED_OUT and plan.tuning.rollout_fraction is None


def rollout_bytes(plan: TrainingPlan, layout: TrainingLayout) -> BytesRange:
    """Return the KV cache of the answers that one GPU writes at once."""
    cache = plan.subject.cache
    if cache is None or not _writes_answers(plan):
        return NOTHING
    kept = sum(
        group.elements_per_token * group.kept_tokens(plan.sequence_tokens) for group in cache.groups
    )
    size = round(plan.micro_batch * (KV_BYTES * kept + cache.state_bytes) / layout.tensor)
    return BytesRange(size, size, size)
