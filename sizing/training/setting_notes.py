"""What the settings of a training run mean for its memory, one note for each that was told."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, note
from sizing.records import Stages, TensorGroup
from sizing.request import SizingRequest
from sizing.training.layout import TrainingLayout
from sizing.training.methods import PAIRED, REFERENCED, ROLLED_OUT
from sizing.training.need import TrainingNeed
from sizing.training.optimizers import LOW_RANK
from sizing.training.plan import ENCODERS, TrainingPlan
from sizing.training.trained import trained_layers
from sizing.tuning import AdapterTargets, Encoders, Loss, Method, Offload, Optimizer, Tuner

PAGED = frozenset({Optimizer.PAGED_ADAMW, Optimizer.PAGED_ADAMW_8BIT})
"""Optimizers whose states the driver moves to the host as memory runs short."""


def setting_notes(
    request: SizingRequest, plan: TrainingPlan, alone: TrainingNeed
) -> Iterator[Note]:
    """Yield what each setting changes, in the order of a run."""
    yield from _method(plan)
    yield from _models_beside(plan)
    yield from _trained(plan)
    yield from _encoders(plan)
    yield from _states(plan)
    yield from _offloaded(plan, alone)
    yield from _activations(plan)
    yield from _parallelism(request, plan)


def _method(plan: TrainingPlan) -> Iterator[Note]:
    """Yield what the method computes together."""
    method = plan.method
    if method is Method.REWARD:
        yield note("reward_of_pairs")
    elif method is Method.EMBEDDING:
        yield note("embedding_pairs")
    elif method is Method.CLASSIFICATION:
        yield note("labels_for_vocabulary")
    elif method in PAIRED:
        yield note("answers_in_pairs", method=method.value)
    if method in REFERENCED and plan.keeps_reference:
        yield note("reference_kept", method=method.value)
    elif method in REFERENCED:
        yield note("reference_without_adapters", method=method.value)


def _models_beside(plan: TrainingPlan) -> Iterator[Note]:
    """Yield other models of the run, and who writes its answers."""
    tuning = plan.tuning
    if plan.method is Method.PPO:
        yield note("value_and_reward_models", reward=tuning.beside)
    if plan.method is Method.GKD:
        yield note("teacher_beside", teacher=tuning.beside)
    if plan.method in ROLLED_OUT:
        yield note("rollouts", rollout_fraction=tuning.rollout_fraction)


def _trained(plan: TrainingPlan) -> Iterator[Note]:
    """Yield which part of the model is trained."""
    layers = plan.subject.architecture.layers
    if plan.is_full and plan.tuner is Tuner.LLAMAPRO:
        yield note("layers_added", trained_layers=trained_layers(plan))
    elif plan.is_full and plan.tuner:
        yield note(
            "partly_trained",
            tuner=plan.tuner.value,
            trained_layers=trained_layers(plan),
            layers=layers,
        )
    if plan.is_full:
        return
    if plan.tuner and plan.tuner is not Tuner.LORA:
        yield note("adapter_kind", tuner=plan.tuner.value)
    if plan.targets is not AdapterTargets.ALL_LINEAR:
        yield note("adapter_targets", targets=plan.targets.value)
    if plan.tuning.embeddings:
        yield note("embeddings_trained")
    if plan.subject.architecture.moe is not None:
        adapts = plan.framework.adapts_experts
        yield note("experts_with_adapters" if adapts else "experts_without_adapters")


def _encoders(plan: TrainingPlan) -> Iterator[Note]:
    if not any(one.group in ENCODERS for one in plan.subject.groups):
        return
    if plan.encoders is Encoders.FROZEN:
        yield note("encoders_frozen")
    elif TensorGroup.VISION not in plan.subject.architecture.towers:
        yield note("encoder_activations_not_counted")
    elif plan.picture_patches is None:
        yield note("encoder_activations_open")


def _states(plan: TrainingPlan) -> Iterator[Note]:
    """Yield what optimizer and precision keep."""
    if plan.is_full and plan.optimizer in LOW_RANK:
        yield note("projected_gradients", rank=plan.rank)
    if plan.optimizer in PAGED:
        yield note("paged_states")
    if plan.tuning.step_in_backward:
        yield note("step_in_backward")
    if plan.tuning.autocast:
        yield note("autocast_copies")
    if plan.framework.gradient_bits > 16 and plan.is_full:
        yield note("gradients_in_32_bits", framework=plan.framework.id)


def _offloaded(plan: TrainingPlan, alone: TrainingNeed) -> Iterator[Note]:
    tuning = plan.tuning
    if tuning.offload is Offload.ALL:
        yield note("weights_offloaded", fraction=tuning.offload_fraction)
    elif tuning.offload is Offload.OPTIMIZER:
        yield note("optimizer_offloaded", fraction=tuning.offload_fraction)
    elif tuning.offload is Offload.BESIDE:
        yield note("beside_offloaded")
    if tuning.offload_activations:
        yield note("activations_offloaded")
    if alone.host_bytes:
        yield note("host_memory_of_run", host_bytes=alone.host_bytes)


def _activations(plan: TrainingPlan) -> Iterator[Note]:
    """Yield what the software keeps of a step."""
    if plan.loss is not Loss.WHOLE:
        yield note("loss_fused" if plan.loss is Loss.FUSED else "loss_chunked")
    if plan.tuning.flash_attention is False:
        yield note("score_matrix_kept")
    if plan.tuning.compiled:
        yield note("compiled_layers")
    if plan.tuning.packed:
        yield note("packed_sequences")
    if plan.encoder_checkpointing is not plan.checkpointing and (
        plan.encoders is not Encoders.FROZEN
    ):
        yield note("encoders_kept_whole" if plan.checkpointing else "encoders_computed_again")


def _parallelism(request: SizingRequest, plan: TrainingPlan) -> Iterator[Note]:
    """Yield how a run is cut; one GPU has nothing to cut."""
    if (request.tensor_parallel or 1) > 1:
        yield note(
            "training_tensor_parallel",
            gpus=request.tensor_parallel,
            sequence=plan.framework.splits_sequence,
        )
    if (request.pipeline_parallel or 1) > 1:
        at_once = plan.framework.stages is Stages.ONE_FORWARD_ONE_BACKWARD
        yield note(
            "stages_at_once" if at_once else "stages_in_turn", stages=request.pipeline_parallel
        )
    if (request.expert_parallel or 1) > 1:
        yield note("training_expert_parallel", gpus=request.expert_parallel)
    if plan.tuning.context_parallel:
        yield note("sequences_shared_out", gpus=plan.tuning.context_parallel)
    if plan.tuning.shard_gpus:
        yield note("hybrid_sharding", gpus=plan.tuning.shard_gpus)


def default_sharding(
    request: SizingRequest, plan: TrainingPlan, layout: TrainingLayout
) -> Note | None:
    """Return how several GPUs share states out where the asker left it open."""
    if request.tuning.zero_stage is not None or layout.replicas == 1:
        return None
    if layout.zero_stage == 0:
        return note("default_copies")
    if plan.framework.shards_optimizer:
        return note("default_optimizer_sharding", framework=plan.framework.id)
    return note("default_sharding")
