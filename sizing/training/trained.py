"""Which parameters a run trains."""

from __future__ import annotations

from sizing.records import TensorGroup
from sizing.training.adapters import adapter_parameters
from sizing.training.plan import ENCODERS, FROZEN, TrainingPlan
from sizing.tuning import Encoders, Tuner

ENDS = frozenset({TensorGroup.EMBEDDING, TensorGroup.HEAD})
"""Groups that scale with the vocabulary."""

MATRICES = frozenset(
    {
        TensorGroup.ATTENTION,
        TensorGroup.RECURRENT,
        TensorGroup.FFN,
        TensorGroup.EXPERTS,
        TensorGroup.SHARED_EXPERTS,
        TensorGroup.ROUTER,
        TensorGroup.VISION,
        TensorGroup.AUDIO,
        TensorGroup.TEXT_ENCODER,
    }
)
"""Groups made of matrices of layers: what optimizers of matrices treat apart."""

DEFAULT_TRAINED_LAYERS = {Tuner.FREEZE: 2, Tuner.LISA: 2, Tuner.BADAM: 1, Tuner.LLAMAPRO: 4}
"""Layers trained at once unless told otherwise (LLaMA-Factory `freeze_trainable_layers`; Pan et al.
2024, "LISA"; Luo et al. 2024, "BAdam"; ms-swift `llamapro_num_new_blocks`)."""

TRAINS_ENDS = frozenset({Tuner.LISA})
"""Partial trainings that always train embedding and head (Pan et al. 2024, algorithm 1)."""


def trained_layers(plan: TrainingPlan) -> int:
    """Return the layers that a partial training trains at once, or adds; all in a whole one."""
    layers = plan.subject.architecture.layers
    usual = DEFAULT_TRAINED_LAYERS.get(plan.tuner, layers) if plan.tuner else layers
    return min(layers, plan.tuning.trained_layers or usual)


def trained_groups(plan: TrainingPlan) -> dict[TensorGroup, int]:
    """Return the trained parameters of each group of the model itself."""
    groups = {one.group: one.parameters for one in plan.groups}
    if not plan.is_full:
        kept = (ENDS if plan.tuning.embeddings else frozenset()) | _trained_encoders(plan)
        return {group: size for group, size in groups.items() if group in kept}
    trained = {
        group: size
        for group, size in groups.items()
        if group not in FROZEN or group in _trained_encoders(plan)
    }
    if plan.tuner is None:
        return trained
    of_layers = trained_layers(plan) / plan.subject.architecture.layers
    return {
        group: size if group in ENDS else round(size * of_layers)
        for group, size in trained.items()
        if group not in ENDS or plan.tuner in TRAINS_ENDS
    }


def _trained_encoders(plan: TrainingPlan) -> frozenset[TensorGroup]:
    return ENCODERS if plan.encoders is Encoders.TRAINED else frozenset()


def added_bytes(plan: TrainingPlan) -> int:
    """Return the weights of layers that are added to the model (Wu et al. 2024, "LLaMA Pro")."""
    if plan.tuner is not Tuner.LLAMAPRO:
        return 0
    of_layers = [one.weights_bytes for one in plan.groups if one.group not in ENDS | ENCODERS]
    return sum(of_layers) * trained_layers(plan) // plan.subject.architecture.layers


def adapter_count(plan: TrainingPlan) -> int:
    """Return the parameters of the adapters; none where the model itself is trained."""
    if plan.is_full or plan.tuner is None:
        return 0
    return adapter_parameters(
        plan.subject.architecture,
        rank=plan.rank,
        targets=plan.targets,
        tuner=plan.tuner,
        experts=plan.framework.adapts_experts,
    )


def trainable_parameters(plan: TrainingPlan) -> int:
    """Return the parameters that are trained: of the model itself, and of its adapters."""
    return sum(trained_groups(plan).values()) + adapter_count(plan)
