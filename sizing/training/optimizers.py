"""What optimizers keep of each trained parameter, and what their step copies."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.overhead import NOTHING, BytesRange
from sizing.projections import Matrices
from sizing.records import ArchitectureRecord
from sizing.training.linears import all_linears
from sizing.training.plan import SIXTEEN_BITS, TrainingPlan
from sizing.training.shape import largest_matrix
from sizing.tuning import Optimizer, Tuner


@dataclass(frozen=True)
class PerParameter:
    """Bytes that one trained parameter takes beside the weight it belongs to."""

    gradient: BytesRange
    optimizer: BytesRange
    step: BytesRange = NOTHING
    """What the step copies of those it takes at once, when no activations are held."""
    embedding: BytesRange | None = None
    """States of embedding, head and norms where they differ from those of matrices."""


def _exactly(size: int) -> BytesRange:
    return BytesRange(size, size, size)


def _up_to(size: int) -> BytesRange:
    """Return a size of which nothing need stay on the GPU."""
    return BytesRange(0, 0, size)


STEP_PARAMETERS = (0, 10**9, 2 * 10**9)
"""Parameters that a mixed-precision step takes at once (`sub_group_size` of DeepSpeed, 1e9):
low, typical, high."""

IN_16_BITS = {
    # ZeRO paper (Rajbhandari et al. 2020, section 3.1): 2 + 2 + 12 bytes; gradients in 32 bits
    # (DeepSpeed with accumulation) take 4. The step copies gradients to 32 bits (4) and holds an
    # update as large (8); gradients in 32 bits are not copied, so 2 of it are theirs at most.
    Optimizer.ADAMW: PerParameter(BytesRange(2, 2, 4), _exactly(12), BytesRange(0, 4, 6)),
    # torch.optim.AdamW on 16-bit weights: both moments in 16 bits, no 32-bit copy; its `foreach`
    # form holds a copy of one state, older ones of two, its fused form none.
    Optimizer.ADAMW_16BIT: PerParameter(_exactly(2), _exactly(4), BytesRange(0, 2, 4)),
    # bitsandbytes AdamW8bit: both moments in 8 bits, block scales under 1 %.
    Optimizer.ADAMW_8BIT: PerParameter(_exactly(2), _exactly(2), BytesRange(0, 0, 2)),
    # torchao AdamW4bit: both moments in 4 bits.
    Optimizer.ADAMW_4BIT: PerParameter(_exactly(2), _exactly(1), BytesRange(0, 0, 2)),
    # bitsandbytes, paged: the driver moves moments to the host as memory runs short.
    Optimizer.PAGED_ADAMW: PerParameter(_exactly(2), _up_to(8), BytesRange(0, 0, 2)),
    Optimizer.PAGED_ADAMW_8BIT: PerParameter(_exactly(2), _up_to(2), BytesRange(0, 0, 2)),
    # Chen et al. 2023: one momentum, in 32 bits (bitsandbytes Lion) or 8.
    Optimizer.LION: PerParameter(_exactly(2), _exactly(4), BytesRange(0, 0, 2)),
    Optimizer.LION_8BIT: PerParameter(_exactly(2), _exactly(1), BytesRange(0, 0, 2)),
    Optimizer.SGD: PerParameter(_exactly(2), NOTHING),
    Optimizer.SGD_MOMENTUM: PerParameter(_exactly(2), _exactly(2)),
    # Jordan et al. 2024: one momentum of every matrix, AdamW for the rest; in mixed precision
    # (`dist_muon` of Megatron-LM) with a copy in 32 bits of all.
    Optimizer.MUON: PerParameter(
        BytesRange(2, 2, 4), _exactly(8), BytesRange(0, 2, 6), embedding=_exactly(12)
    ),
}
"""Bytes of a parameter of the model itself, its weights in 16 bits."""

IN_32_BITS = {
    # Weights in 32 bits are their own master copy: 4 + 4 + 8 bytes.
    Optimizer.ADAMW: PerParameter(_exactly(4), _exactly(8), BytesRange(0, 0, 4)),
    Optimizer.ADAMW_16BIT: PerParameter(_exactly(4), _exactly(4), BytesRange(0, 0, 4)),
    Optimizer.ADAMW_8BIT: PerParameter(_exactly(4), _exactly(2), BytesRange(0, 0, 2)),
    Optimizer.ADAMW_4BIT: PerParameter(_exactly(4), _exactly(1), BytesRange(0, 0, 2)),
    Optimizer.PAGED_ADAMW: PerParameter(_exactly(4), _up_to(8), BytesRange(0, 0, 4)),
    Optimizer.PAGED_ADAMW_8BIT: PerParameter(_exactly(4), _up_to(2), BytesRange(0, 0, 2)),
    Optimizer.LION: PerParameter(_exactly(4), _exactly(4), BytesRange(0, 0, 4)),
    Optimizer.LION_8BIT: PerParameter(_exactly(4), _exactly(1), BytesRange(0, 0, 2)),
    Optimizer.SGD: PerParameter(_exactly(4), NOTHING),
    Optimizer.SGD_MOMENTUM: PerParameter(_exactly(4), _exactly(4)),
    Optimizer.MUON: PerParameter(
        _exactly(4), _exactly(4), BytesRange(0, 2, 4), embedding=_exactly(8)
    ),
}
"""Bytes of a parameter of a model whose weights stand in 32 bits."""

OF_ADAPTERS = {
    Optimizer.ADAMW: _exactly(8),
    Optimizer.ADAMW_16BIT: BytesRange(4, 8, 8),
    Optimizer.ADAMW_8BIT: _exactly(2),
    Optimizer.ADAMW_4BIT: _exactly(1),
    Optimizer.PAGED_ADAMW: _up_to(8),
    Optimizer.PAGED_ADAMW_8BIT: _up_to(2),
    Optimizer.LION: _exactly(4),
    Optimizer.LION_8BIT: _exactly(1),
    Optimizer.SGD: NOTHING,
    Optimizer.SGD_MOMENTUM: _exactly(4),
    Optimizer.MUON: _exactly(4),
    Optimizer.ADAFACTOR: BytesRange(0, 0, 4),
}
"""States of a parameter of an adapter, which stands in 32 bits; others keep those of AdamW."""

GRADIENT_OF_ADAPTERS = BytesRange(2, 4, 4)


@dataclass(frozen=True)
class _LowRank:
    """Bytes of one number in an optimizer that keeps moments of projected gradients."""

    moment: float
    projector: float
    rest: int
    """States of one parameter that is not projected: embedding, head, norms."""


LOW_RANK = {
    # Zhao et al. 2024: two moments of rank x longer side, a projector of rank x shorter side.
    Optimizer.GALORE: _LowRank(moment=2, projector=2, rest=4),
    Optimizer.GALORE_8BIT: _LowRank(moment=1, projector=2, rest=2),
    # Zhang et al. 2024, "Q-GaLore": moments in 8 bits, projectors in 4.
    Optimizer.Q_GALORE: _LowRank(moment=1, projector=0.5, rest=2),
    # Zhu et al. 2024: a random projector in place of the singular vectors.
    Optimizer.APOLLO: _LowRank(moment=2, projector=2, rest=4),
    Optimizer.APOLLO_MINI: _LowRank(moment=2, projector=2, rest=4),
}

PROJECTION_RANKS = {
    Optimizer.GALORE: 128,
    Optimizer.GALORE_8BIT: 128,
    Optimizer.Q_GALORE: 128,
    Optimizer.APOLLO: 256,
    Optimizer.APOLLO_MINI: 1,
}
"""Rank of projected gradients unless told otherwise (transformers `optim_args`, APOLLO README)."""

SINGULAR_VALUES_BYTES = 12
"""Bytes of an entry of the largest matrix whose singular vectors are sought: the gradient in 32
bits, and both sets of vectors (`torch.linalg.svd` in `GaLoreProjector`)."""

FACTORED_STEP_BYTES = 12
"""Bytes of an entry of the largest tensor in Adafactor's step: weight, gradient and update in 32
bits (`Adafactor.step` of transformers)."""


def per_parameter(plan: TrainingPlan, *, zero_stage: int) -> PerParameter:
    """Return the bytes of a parameter of the model itself; low-rank states are counted apart.

    Parts of the model that are trained beside adapters keep their width, and the optimizer's
    states are as wide as they (`copy.deepcopy` of modules_to_save in PEFT, `torch.optim.AdamW`),
    unless DeepSpeed or FSDP keeps a copy in 32 bits.
    """
    widest = max(group.bits_per_weight for group in plan.groups)
    table, width = (IN_32_BITS, 4) if widest > SIXTEEN_BITS else (IN_16_BITS, 2)
    optimizer = plan.optimizer
    if optimizer is Optimizer.ADAMW and width == 2 and not (plan.is_full or zero_stage):
        optimizer = Optimizer.ADAMW_16BIT
    found = table.get(optimizer, PerParameter(_exactly(width), NOTHING))
    if plan.framework.gradient_bits == 32:
        return PerParameter(_exactly(4), found.optimizer, found.step, found.embedding)
    return found


def optimizer_bytes(
    plan: TrainingPlan, matrices: float, rest: float, *, zero_stage: int
) -> BytesRange:
    """Return the states of trained parameters: those in matrices, and embedding, head, norms."""
    low_rank = LOW_RANK.get(plan.optimizer)
    if low_rank is not None:
        share = matrices / max(1, sum(one.parameters for one in all_linears(_shape(plan))))
        return _exactly(round(_projected(plan, low_rank) * share + low_rank.rest * rest))
    if plan.optimizer is Optimizer.ADAFACTOR:
        return _exactly(
            round(_factored(plan) * min(1, (matrices + rest) / plan.subject.parameters))
        )
    found = per_parameter(plan, zero_stage=zero_stage)
    return times(found.optimizer, matrices) + times(found.embedding or found.optimizer, rest)


def step_bytes(plan: TrainingPlan, parameters: float) -> BytesRange:
    """Return what the optimizer's step copies of the `parameters` one GPU updates."""
    matrix = largest_matrix(_shape(plan))
    if not plan.is_full:
        return NOTHING
    if plan.optimizer in LOW_RANK:
        needs_svd = plan.optimizer not in {Optimizer.APOLLO, Optimizer.APOLLO_MINI}
        size = SINGULAR_VALUES_BYTES * matrix if needs_svd else 4 * matrix
        return BytesRange(0, size, 2 * size)
    if plan.optimizer is Optimizer.ADAFACTOR:
        largest = max(matrix, _shape(plan).vocabulary_size * _shape(plan).hidden_size)
        size = round(min(parameters, largest) * FACTORED_STEP_BYTES)
        return BytesRange(0, size, 2 * size)
    found = per_parameter(plan, zero_stage=0).step
    if plan.optimizer is Optimizer.MUON:
        return times(found, min(parameters, matrix))
    if plan.optimizer is not Optimizer.ADAMW:
        return times(found, parameters)
    low, typical, high = (round(min(parameters, most)) for most in STEP_PARAMETERS)
    return BytesRange(found.low_bytes * low, found.typical_bytes * typical, found.high_bytes * high)


def has_rank(plan: TrainingPlan) -> bool:
    """Return whether adapters or projected gradients have a rank, or what stands for one."""
    if plan.is_full:
        return plan.optimizer in LOW_RANK
    return plan.tuner is not Tuner.IA3


def _projected(plan: TrainingPlan, numbers: _LowRank) -> float:
    """Return moments and projectors of all matrices, bytes."""
    return sum(_of_matrix(one, plan.rank, numbers) for one in all_linears(_shape(plan)))


def _of_matrix(one: Matrices, rank: int, numbers: _LowRank) -> float:
    shorter, longer = sorted((one.inputs, one.outputs))
    kept = min(rank, shorter)
    return one.count * kept * (2 * numbers.moment * longer + numbers.projector * shorter)


def _factored(plan: TrainingPlan) -> int:
    """Return a sum for each row and each column in 32 bits (Shazeer and Stern 2018), bytes."""
    shape = _shape(plan)
    linears = sum(one.count * (one.inputs + one.outputs) for one in all_linears(shape))
    return 4 * (linears + 2 * (shape.vocabulary_size + shape.hidden_size))


def _shape(plan: TrainingPlan) -> ArchitectureRecord:
    return plan.subject.architecture


def times(size: BytesRange, count: float) -> BytesRange:
    """Return a size of each of `count`."""
    return BytesRange(
        round(size.low_bytes * count),
        round(size.typical_bytes * count),
        round(size.high_bytes * count),
    )
