"""Settings that were told but change nothing in this run."""

from __future__ import annotations

from sizing.request import SizingRequest
from sizing.training.adapters import OF_A_LINEAR
from sizing.training.methods import ROLLED_OUT
from sizing.training.optimizers import LOW_RANK, has_rank
from sizing.training.plan import ENCODERS, TrainingPlan
from sizing.tuning import Encoders, Method, Offload


def idle_settings(request: SizingRequest, plan: TrainingPlan) -> tuple[str, ...]:
    """Return the keys of settings without an effect on the memory of the run."""
    rules = {**_of_parts(request, plan), **_of_the_step(plan)}
    return tuple(key for key, is_idle in rules.items() if is_idle)


def _of_parts(request: SizingRequest, plan: TrainingPlan) -> dict[str, bool]:
    """Return what says which parts are trained."""
    tuning = plan.tuning
    is_partial = plan.is_full and plan.tuner is not None
    has_encoders = any(one.group in ENCODERS for one in plan.subject.groups)
    return {
        "tuner": tuning.tuner not in {None, plan.tuner},
        "trained-layers": tuning.trained_layers is not None and not is_partial,
        "rank": request.adapter_rank is not None and not has_rank(plan),
        "targets": tuning.targets is not None and plan.tuner not in OF_A_LINEAR,
        "train-embeddings": tuning.embeddings and plan.is_full,
        "encoders": tuning.encoders is not None and not has_encoders,
        "encoder-checkpointing": tuning.encoder_checkpointing is not None
        and plan.encoders is Encoders.FROZEN,
    }


def _of_the_step(plan: TrainingPlan) -> dict[str, bool]:
    """Return what says how a step is computed."""
    tuning = plan.tuning
    has_models_beside = plan.method in {Method.PPO, Method.GKD}
    return {
        "optimizer": plan.optimizer in LOW_RANK and not plan.is_full,
        "teacher": tuning.beside is not None and not has_models_beside,
        "rollout": tuning.rollout_fraction is not None and plan.method not in ROLLED_OUT,
        "offload": tuning.offload is Offload.BESIDE and plan.method is not Method.GKD,
        "offload-fraction": tuning.offload_fraction is not None
        and tuning.offload not in {Offload.OPTIMIZER, Offload.ALL},
        "offload=activations": tuning.offload_activations and not plan.checkpointing,
    }
