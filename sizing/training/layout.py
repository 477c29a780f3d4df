"""How a training run is spread over its GPUs, and what share of each tensor group one GPU holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from sizing.records import Stages, TensorGroup
from sizing.request import SizingRequest
from sizing.training.plan import FROZEN, TrainingPlan
from sizing.units import ceil_div

CUT = frozenset(
    {
        TensorGroup.ATTENTION,
        TensorGroup.RECURRENT,
        TensorGroup.FFN,
        TensorGroup.SHARED_EXPERTS,
    }
)
"""Groups of every layer that tensor parallelism cuts; norms and routers are copied."""


class Stage(Enum):
    """Which part of the layers a GPU holds."""

    ONLY = "only"
    FIRST = "first"
    LAST = "last"

    @property
    def is_first(self) -> bool:
        """Return whether it reads the tokens."""
        return self is not Stage.LAST

    @property
    def is_last(self) -> bool:
        """Return whether it scores the vocabulary."""
        return self is not Stage.FIRST


@dataclass(frozen=True)
class TrainingLayout:
    """Degrees of every kind of parallelism; their product with the copies is the GPUs."""

    gpus: int = 1
    zero_stage: int = 0
    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    context: int = 1
    shard_gpus: int | None = None
    """GPUs that share states out; None for all that hold the same weights."""

    @property
    def replicas(self) -> int:
        """Return the GPUs that hold equal dense weights; parts of one sequence count apart."""
        return max(1, self.gpus // (self.tensor * self.pipeline))

    @property
    def sharers(self) -> int:
        """Return the GPUs that share dense states out."""
        return min(self.replicas, self.shard_gpus or self.replicas)

    @property
    def expert_sharers(self) -> int:
        """Return the GPUs that share the states of equal experts out."""
        if self.expert == 1:
            return self.sharers
        return max(1, self.gpus // (self.expert * self.pipeline))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Return the kinds of stage there are."""
        return (Stage.ONLY,) if self.pipeline == 1 else (Stage.FIRST, Stage.LAST)

    @property
    def smallest_gpus(self) -> int:
        """Return the fewest GPUs with these degrees."""
        return max(self.tensor * self.context, self.expert) * self.pipeline

    def sharers_of(self, group: TensorGroup) -> int:
        """Return the GPUs that share the states of one group out."""
        return self.expert_sharers if group is TensorGroup.EXPERTS else self.sharers


ALONE = TrainingLayout()
"""One GPU."""

DEFAULT_ZERO_STAGE = 3
"""Full sharding, as FSDP and ZeRO-3 do, where more than one GPU trains."""


def layout_of(request: SizingRequest, plan: TrainingPlan, gpus: int) -> TrainingLayout:
    """Return how a run is spread over so many GPUs; one GPU has nothing to share out."""
    tuning = request.tuning
    usual = 1 if plan.framework.shards_optimizer else DEFAULT_ZERO_STAGE
    in_turn = (request.pipeline_parallel or 1) > 1 and plan.framework.stages is Stages.IN_TURN
    asked = tuning.zero_stage if tuning.zero_stage is not None else 0 if in_turn else usual
    alone = gpus == 1
    return TrainingLayout(
        gpus=gpus,
        zero_stage=(tuning.zero_stage or 0) if alone else asked,
        tensor=1 if alone else request.tensor_parallel or 1,
        pipeline=1 if alone else request.pipeline_parallel or 1,
        expert=1 if alone else request.expert_parallel or 1,
        context=1 if alone else tuning.context_parallel or 1,
        shard_gpus=tuning.shard_gpus,
    )


def held_share(group: TensorGroup, layout: TrainingLayout, stage: Stage, layers: int) -> float:
    """Return the share of a group's parameters that one GPU holds before states are shared out.

    Encoders stand whole beside the first layers; embedding and head are cut by vocabulary.
    """
    if group in FROZEN:
        return float(stage.is_first)
    if group is TensorGroup.EMBEDDING:
        return stage.is_first / layout.tensor
    if group is TensorGroup.HEAD:
        return stage.is_last / layout.tensor
    of_layers = ceil_div(layers, layout.pipeline) / layers
    if group is TensorGroup.EXPERTS:
        return of_layers / (layout.expert if layout.expert > 1 else layout.tensor)
    return of_layers / (layout.tensor if group in CUT else 1)


def shares(
    sizes: Mapping[TensorGroup, int], layout: TrainingLayout, stage: Stage, layers: int
) -> dict[TensorGroup, float]:
    """Return what one GPU holds of each group, in the unit of `sizes`."""
    return {group: size * held_share(group, layout, stage, layers) for group, size in sizes.items()}
