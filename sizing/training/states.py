"""States of a training run on one GPU: weights, gradients, optimizer, adapters, other models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sizing.overhead import NOTHING, BytesRange
from sizing.records import TensorGroup
from sizing.training.layout import ALONE, Stage, TrainingLayout, held_share, shares
from sizing.training.optimizers import (
    GRADIENT_OF_ADAPTERS,
    OF_ADAPTERS,
    optimizer_bytes,
    per_parameter,
    times,
)
from sizing.training.plan import ENCODERS, SIXTEEN_BITS, TrainingPlan
from sizing.training.trained import (
    ENDS,
    MATRICES,
    adapter_count,
    added_bytes,
    trainable_parameters,
    trained_groups,
)
from sizing.tuning import Method, Offload, Optimizer
from sizing.units import ceil_div

WHOLE_LAYERS = 2
"""Layers that full sharding holds whole at once: the one at work and the next (prefetch)."""

LIVE_PARAMETERS = 10**9
"""Parameters that ZeRO-3 keeps whole at most (`stage3_max_live_parameters` of DeepSpeed, 1e9)."""

ADAPTER_WEIGHT_BYTES = 4
"""PEFT keeps adapters in 32 bits (`autocast_adapter_dtype`)."""


@dataclass(frozen=True)
class States:
    """What stays in the memory of one GPU through the whole run."""

    trainable_parameters: int
    """Parameters that are trained, all GPUs together."""
    updated_parameters: float
    """Parameters of the model itself that this GPU's step updates."""
    weights: BytesRange
    gradients: BytesRange
    optimizer: BytesRange
    adapters: BytesRange
    reference: BytesRange
    """Frozen models beside the one that is trained."""
    host_bytes: int
    """What stands in host memory instead, for this GPU."""


@dataclass(frozen=True)
class Holding:
    """One GPU of a run: its place in the layout."""

    plan: TrainingPlan
    layout: TrainingLayout
    stage: Stage

    def of(self, sizes: Mapping[TensorGroup, int]) -> dict[TensorGroup, float]:
        """Return what this GPU holds of each group before states are shared out."""
        return shares(sizes, self.layout, self.stage, self.plan.subject.architecture.layers)

    def divided(self, held: Mapping[TensorGroup, float], from_stage: int) -> float:
        """Return the sum of what is held, shared out from a ZeRO stage on."""
        is_shared = self.layout.zero_stage >= from_stage
        return sum(
            size / (self.layout.sharers_of(group) if is_shared else 1)
            for group, size in held.items()
        )

    @property
    def of_adapters(self) -> float:
        """Return the share of all adapters on this GPU."""
        layers = self.plan.subject.architecture.layers
        return held_share(TensorGroup.ATTENTION, self.layout, self.stage, layers)


def states_of(
    plan: TrainingPlan, layout: TrainingLayout = ALONE, stage: Stage = Stage.ONLY
) -> States:
    """Return the states that one GPU holds.

    ZeRO stage 1 splits the optimizer, 2 the gradients too, 3 the weights too (Rajbhandari et al.
    2020, figure 1); FSDP with full sharding is stage 3.
    """
    here = Holding(plan, layout, stage)
    optimizer, gradients = _optimizer(here), _gradients(here)
    adapters, adapter_states = _adapters(here)
    gradients, optimizer = gradients + adapter_states[0], optimizer + adapter_states[1]
    on_gpu = 1 - _offloaded_share(plan)
    return States(
        trainable_parameters=trainable_parameters(plan),
        updated_parameters=_updated(here) * on_gpu,
        weights=_at_work(plan, layout) if plan.offloads_all else _weights(here),
        gradients=_left(plan, gradients) if _gradients_leave(plan) else gradients,
        optimizer=times(optimizer, on_gpu),
        adapters=NOTHING if plan.offloads_all else adapters,
        reference=_reference(here),
        host_bytes=_host_bytes(here, optimizer, gradients),
    )


def _left(plan: TrainingPlan, gradients: BytesRange) -> BytesRange:
    """Return the gradients that stay although they go to the host: at most all, before the step.

    With the weights they leave layer by layer.
    """
    return NOTHING if plan.offloads_all else BytesRange(0, 0, gradients.high_bytes)


def _host_bytes(here: Holding, optimizer: BytesRange, gradients: BytesRange) -> int:
    """Return what stands in host memory for this GPU."""
    plan = here.plan
    moved = optimizer.typical_bytes * _offloaded_share(plan)
    if _gradients_leave(plan):
        moved += gradients.typical_bytes
    if plan.offloads_all:
        moved += _weights(here).typical_bytes
    return round(moved)


def _at_work(plan: TrainingPlan, layout: TrainingLayout) -> BytesRange:
    """Return the layers that come from the host for a moment: the one at work and the next."""
    whole = whole_layers_bytes(plan) / layout.tensor
    live = live_bytes(plan) / layout.tensor
    return BytesRange(round(whole / 2), round(max(whole, live)), round(2 * max(whole, live)))


def live_bytes(plan: TrainingPlan) -> float:
    """Return what DeepSpeed keeps whole of weights that are shared out or offloaded."""
    parameters = sum(one.parameters for one in plan.groups)
    return plan.weights_bytes * min(1, LIVE_PARAMETERS / parameters)


def whole_layers_bytes(plan: TrainingPlan) -> int:
    """Return the layers that are whole at once where they are shared out or offloaded, bytes."""
    ends = [one.weights_bytes for one in plan.groups if one.group in ENDS]
    layer = ceil_div(plan.weights_bytes - sum(ends), plan.subject.architecture.layers)
    return WHOLE_LAYERS * layer + max(ends, default=0)


def _gradients_leave(plan: TrainingPlan) -> bool:
    """Return whether gradients go to the host as they come (ZeRO-Offload, Ren et al. 2021)."""
    keeps = plan.framework.shards_optimizer
    return plan.tuning.offload in {Offload.OPTIMIZER, Offload.ALL} and not keeps


def _offloaded_share(plan: TrainingPlan) -> float:
    if plan.tuning.offload not in {Offload.OPTIMIZER, Offload.ALL}:
        return 0
    return plan.tuning.offload_fraction or 1


def _weights(here: Holding) -> BytesRange:
    """Return the weights.

    What PEFT raises to 32 bits stays in 16 where other software trains, and where weights are
    shared out: their types must agree (PEFT, FSDP and ZeRO-3 with QLoRA).
    """
    plan = here.plan
    held = here.divided(here.of(_bytes_by_group(plan)), 3)
    raised = [one for one in plan.groups if one.bits_per_weight > SIXTEEN_BITS]
    halves = {one.group: one.weights_bytes // 2 for one in raised if plan.is_quantised}
    low = round(held - here.divided(here.of(halves), 3))
    usual = low if here.layout.zero_stage == 3 else round(held)
    return BytesRange(low, usual, usual)


def _bytes_by_group(plan: TrainingPlan) -> dict[TensorGroup, int]:
    return {one.group: one.weights_bytes for one in plan.groups}


def _added(here: Holding) -> float:
    """Return trained copies of embedding and head beside the frozen ones, and added layers."""
    plan = here.plan
    cut = here.layout.sharers if here.layout.zero_stage == 3 else 1
    if plan.is_full or not plan.tuning.embeddings:
        return added_bytes(plan) / cut
    ends = {group: size for group, size in _bytes_by_group(plan).items() if group in ENDS}
    return sum(here.of(ends).values()) / cut


def _trained(here: Holding, from_stage: int) -> tuple[float, float]:
    """Return the trained parameters that this GPU keeps states of: in matrices, and the rest."""
    held = here.of(trained_groups(here.plan))
    times_trained = 2 if here.plan.method is Method.PPO and here.plan.is_full else 1
    matrices = {group: size for group, size in held.items() if group in MATRICES}
    rest = {group: size for group, size in held.items() if group not in MATRICES}
    return (
        here.divided(matrices, from_stage) * times_trained,
        here.divided(rest, from_stage) * times_trained,
    )


def _updated(here: Holding) -> float:
    return sum(_trained(here, 1))


def _optimizer(here: Holding) -> BytesRange:
    return optimizer_bytes(here.plan, *_trained(here, 1), zero_stage=here.layout.zero_stage)


def _gradients(here: Holding) -> BytesRange:
    """Return the gradients; where each layer is updated at once, those of the largest part."""
    gradient = per_parameter(here.plan, zero_stage=here.layout.zero_stage).gradient
    trained = sum(_trained(here, 2))
    if here.plan.tuning.step_in_backward:
        return times(gradient, min(trained, largest_part(here.plan)))
    return times(gradient, trained)


def largest_part(plan: TrainingPlan) -> int:
    """Return the parameters of a layer, or of embedding or head where these are larger."""
    groups = trained_groups(plan)
    ends = [size for group, size in groups.items() if group in ENDS]
    layers = sum(size for group, size in groups.items() if group not in ENDS | ENCODERS)
    return max(layers // plan.subject.architecture.layers, *ends, 0)


def _adapters(here: Holding) -> tuple[BytesRange, tuple[BytesRange, BytesRange]]:
    """Return the weights of adapters, trained copies among them; their gradients and moments."""
    plan = here.plan
    count = adapter_count(plan) * here.of_adapters * (2 if plan.method is Method.PPO else 1)
    shared = [
        count / (here.layout.sharers if here.layout.zero_stage >= n else 1) for n in (1, 2, 3)
    ]
    weights = round(ADAPTER_WEIGHT_BYTES * shared[2] + _added(here))
    states = OF_ADAPTERS.get(plan.optimizer, OF_ADAPTERS[Optimizer.ADAMW])
    return BytesRange(weights // 2, weights, weights), (
        times(GRADIENT_OF_ADAPTERS, shared[1]),
        times(states, shared[0]),
    )


def _reference(here: Holding) -> BytesRange:
    """Return the frozen models beside: a reference, a reward model, a teacher.

    A value model is trained like the policy; with adapters its base is frozen too.
    """
    plan = here.plan
    own = here.divided(here.of(_bytes_by_group(plan)), 3)
    other = own
    if plan.beside_bytes is not None:
        cut = 1 if here.layout.zero_stage < 3 else here.layout.sharers
        other = plan.beside_bytes / (cut * here.layout.tensor * here.layout.pipeline)
    size = own * plan.keeps_reference
    if plan.method is Method.PPO:
        size += other + own
    if plan.method is Method.GKD and plan.tuning.offload is not Offload.BESIDE:
        size += other
    return BytesRange(round(size), round(size), round(size))
