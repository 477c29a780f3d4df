"""States of a training run before any split: weights, gradients, optimizer, adapters."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.overhead import NOTHING, BytesRange
from sizing.request import Optimizer
from sizing.training.plan import SIXTEEN_BITS, TrainingPlan
from sizing.training.shape import adapter_parameters


@dataclass(frozen=True)
class _PerParameter:
    """Bytes that one trained parameter takes beside the weight it belongs to."""

    gradient: BytesRange
    optimizer: BytesRange
    step: BytesRange
    """What the optimizer's step needs of those it takes at once, when no activations are held."""


STEP_PARAMETERS = (0, 10**9, 2 * 10**9)
"""Parameters that a mixed-precision step takes at once (`sub_group_size` of DeepSpeed, 1e9):
low, typical, high."""


def _exactly(size: int) -> BytesRange:
    return BytesRange(size, size, size)


FULL = {
    # ZeRO paper (Rajbhandari et al. 2020, section 3.1): 2 + 2 + 12 bytes; gradients in 32 bits
    # (Megatron-LM, DeepSpeed with accumulation) take 4. The step copies gradients to 32 bits.
    Optimizer.ADAMW: _PerParameter(BytesRange(2, 2, 4), _exactly(12), BytesRange(0, 4, 8)),
    # torch.optim.AdamW on 16-bit weights: both moments in 16 bits, no 32-bit copy; its `foreach`
    # form holds a copy of one state.
    Optimizer.ADAMW_16BIT: _PerParameter(_exactly(2), _exactly(4), BytesRange(0, 2, 4)),
    # bitsandbytes AdamW8bit: both moments in 8 bits, block scales under 1 %.
    Optimizer.ADAMW_8BIT: _PerParameter(_exactly(2), _exactly(2), BytesRange(0, 0, 2)),
}
"""Bytes of a parameter of the model itself."""

FULL_32_BITS = {
    # Weights in 32 bits are their own master copy: 4 + 4 + 8 bytes.
    Optimizer.ADAMW: _PerParameter(_exactly(4), _exactly(8), BytesRange(0, 0, 4)),
    Optimizer.ADAMW_16BIT: _PerParameter(_exactly(4), _exactly(4), BytesRange(0, 0, 4)),
    Optimizer.ADAMW_8BIT: _PerParameter(_exactly(4), _exactly(2), BytesRange(0, 0, 2)),
}
"""Bytes of a parameter of a model whose weights stand in 32 bits."""

ADAPTER_WEIGHT_BYTES = 4
"""PEFT keeps adapters in 32 bits (`autocast_adapter_dtype`)."""

ADAPTER = {
    Optimizer.ADAMW: _PerParameter(BytesRange(2, 4, 4), _exactly(8), NOTHING),
    Optimizer.ADAMW_16BIT: _PerParameter(BytesRange(2, 4, 4), BytesRange(4, 8, 8), NOTHING),
    Optimizer.ADAMW_8BIT: _PerParameter(BytesRange(2, 4, 4), _exactly(2), NOTHING),
}
"""Bytes of a parameter of an adapter."""


@dataclass(frozen=True)
class States:
    """What stays in memory through the whole run, all GPUs together and unsplit."""

    trainable_parameters: int
    weights: BytesRange
    gradients: BytesRange
    optimizer: BytesRange
    adapters: BytesRange
    reference: BytesRange
    """Frozen copy of the model beside the one that is trained."""


def states_of(plan: TrainingPlan) -> States:
    """Return the states of a run, unsplit."""
    trainable = trainable_parameters(plan)
    sizes = _per_parameter(plan)[plan.optimizer]
    adapter_bytes = 0 if plan.is_full else ADAPTER_WEIGHT_BYTES * trainable
    return States(
        trainable_parameters=trainable,
        weights=_weights(plan),
        gradients=_times(sizes.gradient, trainable),
        optimizer=_times(sizes.optimizer, trainable),
        adapters=BytesRange(adapter_bytes // 2, adapter_bytes, adapter_bytes),
        reference=_exactly(plan.weights_bytes if plan.keeps_reference else 0),
    )


def step_bytes(plan: TrainingPlan, parameters: int) -> BytesRange:
    """Return what the optimizer's step copies of the `parameters` one GPU updates."""
    size = _per_parameter(plan)[plan.optimizer].step
    if plan.optimizer is not Optimizer.ADAMW:
        return _times(size, parameters)
    low, typical, high = (min(parameters, most) for most in STEP_PARAMETERS)
    return BytesRange(size.low_bytes * low, size.typical_bytes * typical, size.high_bytes * high)


def _per_parameter(plan: TrainingPlan) -> dict[Optimizer, _PerParameter]:
    if not plan.is_full:
        return ADAPTER
    widest = max(group.bits_per_weight for group in plan.groups)
    return FULL_32_BITS if widest > SIXTEEN_BITS else FULL


def trainable_parameters(plan: TrainingPlan) -> int:
    """Return the parameters that are trained: the model's own, or those of its adapters."""
    if plan.is_full:
        return sum(one.parameters for one in plan.subject.groups if one.group not in plan.frozen)
    return adapter_parameters(plan.subject.architecture, rank=plan.rank, targets=plan.targets)


def _weights(plan: TrainingPlan) -> BytesRange:
    """Return the base weights; torchtune, litgpt and Unsloth raise nothing to 32 bits."""
    held = plan.weights_bytes
    raised = [one.weights_bytes for one in plan.groups if one.bits_per_weight > SIXTEEN_BITS]
    saved = sum(raised) // 2 if plan.is_quantised else 0
    return BytesRange(held - saved, held, held)


def _times(size: BytesRange, count: int) -> BytesRange:
    return BytesRange(size.low_bytes * count, size.typical_bytes * count, size.high_bytes * count)
