"""The answer to a question about training: the order of the steps, nothing else."""

from __future__ import annotations

from sizing.answer import Memory, SizingAnswer, Training, TrainingRun, Understood
from sizing.catalogue import Catalogue
from sizing.checkpoints import mtp_weights_bytes
from sizing.errors import NotCoveredError
from sizing.limit_notes import limit_warnings
from sizing.records import PrecisionRecord
from sizing.request import Goal, SizingRequest
from sizing.rules import rule_bytes
from sizing.subject import subject_of
from sizing.training.activations import activations
from sizing.training.adapters import OF_A_LINEAR
from sizing.training.base import base_precision
from sizing.training.buffers import rollout_bytes
from sizing.training.compute import run_of
from sizing.training.kinds import TRAINED_KINDS
from sizing.training.layout import ALONE
from sizing.training.methods import PAIRED
from sizing.training.need import TrainingNeed, training_need
from sizing.training.optimizers import has_rank, step_bytes
from sizing.training.placement import Software, TrainingPlacer
from sizing.training.plan import TrainingPlan
from sizing.training.remarks import training_assumptions, training_warnings
from sizing.training.run import plan_of
from sizing.training.states import states_of
from sizing.training.trained import trained_layers

ENGINE = "transformers"
"""Software whose support decides which GPUs train: Transformers with PEFT, DeepSpeed or FSDP."""

KV_PRECISION = "fp16"
"""Training keeps no KV cache: the field says what such a model would serve with."""

AS_ASKED = (
    "input_tokens", "output_tokens", "requests_per_s", "tensor_parallel", "pipeline_parallel",
    "expert_parallel", "data_parallel", "targets", "tuning", "budget_usd", "network_gbps",
    "power_limit_w", "read_as", "model_id", "mode", "goal",
)  # fmt: skip
"""Fields of the question that the answer repeats."""


def size_training(request: SizingRequest, catalogue: Catalogue) -> SizingAnswer:
    """Size the training run of `request`; raise SizingError where it cannot be read."""
    subject = subject_of(request, catalogue)
    if request.goal is not Goal.SIZE or subject.kind not in TRAINED_KINDS:
        raise NotCoveredError(what=request.mode.value)
    precision = base_precision(request, subject, catalogue)
    plan = plan_of(request, subject, precision, catalogue)
    software = Software(
        engine=catalogue.engines[ENGINE],
        precision=precision,
        kv_precision=catalogue.kv_precisions[KV_PRECISION],
    )
    alone = training_need(plan)
    options = TrainingPlacer(request, plan, software, catalogue).options()
    return SizingAnswer(
        understood=_understood(request, plan, precision),
        memory=_memory(plan, alone, precision),
        options=options,
        warnings=(
            *training_warnings(request, plan, alone, catalogue),
            *limit_warnings(request, options),
        ),
        assumptions=training_assumptions(
            request, plan, precision, options, alone=alone, catalogue=catalogue
        ),
        catalogue=catalogue.stamp,
        training=_training(plan, alone, run_of(plan, options, catalogue.gpus)),
    )


def _training(plan: TrainingPlan, alone: TrainingNeed, run: TrainingRun | None) -> Training:
    states, moving = states_of(plan), activations(plan)
    return Training(
        trainable_parameters=states.trainable_parameters,
        weights_bytes=plan.weights_bytes,
        reference_bytes=alone.reference.typical_bytes,
        gradient_bytes=alone.gradients.typical_bytes,
        optimizer_bytes=alone.optimizer.typical_bytes,
        adapter_bytes=alone.adapters.typical_bytes,
        activation_bytes=alone.activations.typical_bytes,
        kept_bytes=moving.kept.typical_bytes,
        layer_bytes=moving.layer.typical_bytes,
        logits_bytes=moving.logits.typical_bytes,
        unpacked_bytes=moving.unpacked_bytes,
        encoder_bytes=moving.encoders.typical_bytes,
        step_bytes=step_bytes(plan, states.updated_parameters).typical_bytes,
        rollout_bytes=rollout_bytes(plan, ALONE).typical_bytes,
        host_bytes=alone.host_bytes,
        sequence_tokens=plan.sequence_tokens,
        micro_batch=plan.micro_batch,
        framework=plan.framework.id,
        method=plan.method,
        tuner=plan.tuner,
        targets=plan.targets if plan.tuner in OF_A_LINEAR else None,
        trained_layers=trained_layers(plan) if plan.is_full and plan.tuner else None,
        loss=plan.loss,
        preference=plan.method in PAIRED,
        checkpointing=plan.checkpointing,
        optimizer=plan.optimizer,
        adapter_rank=plan.rank if has_rank(plan) else None,
        run=run,
    )


def _memory(plan: TrainingPlan, alone: TrainingNeed, precision: PrecisionRecord) -> Memory:
    """Return the need on a single GPU."""
    total, moving, runtime = alone.total, alone.activations, alone.runtime + alone.buffers
    return Memory(
        groups=plan.groups,
        weights_bytes=alone.weights.typical_bytes,
        mtp_weights_bytes=mtp_weights_bytes(plan.subject, precision),
        kv_bytes_per_token=None,
        kv_bytes_fixed_per_request=None,
        kv_cache_bytes=0,
        adapter_bytes=alone.adapters.typical_bytes,
        activation_bytes=moving.typical_bytes,
        activation_low_bytes=moving.low_bytes,
        activation_high_bytes=moving.high_bytes,
        runtime_bytes=runtime.typical_bytes,
        runtime_low_bytes=runtime.low_bytes,
        runtime_high_bytes=runtime.high_bytes,
        reference_bytes=alone.reference.typical_bytes,
        gradient_bytes=alone.gradients.typical_bytes,
        optimizer_bytes=alone.optimizer.typical_bytes,
        total_bytes=total.typical_bytes,
        total_low_bytes=total.low_bytes,
        total_high_bytes=total.high_bytes,
        rule_20_percent_bytes=rule_bytes(plan.subject, precision, 20),
        rule_25_percent_bytes=rule_bytes(plan.subject, precision, 25),
    )


def _understood(
    request: SizingRequest, plan: TrainingPlan, precision: PrecisionRecord
) -> Understood:
    subject = plan.subject
    return Understood(
        **{name: getattr(request, name) for name in AS_ASKED},
        model=subject.name,
        kind=subject.kind,
        parameters=subject.parameters,
        active_parameters=subject.active_parameters,
        precision=precision.id,
        bits_per_weight=plan.weights_bytes * 8 / subject.parameters,
        kv_precision=KV_PRECISION,
        engine=ENGINE,
        context_tokens=plan.sequence_tokens,
        images=plan.media.images,
        image_tokens=plan.media.image_tokens or None,
        media_tokens=plan.media.context_tokens,
        width_pixels=plan.media.picture.width_pixels if plan.media.images else None,
        height_pixels=plan.media.picture.height_pixels if plan.media.images else None,
        seconds=plan.media.seconds or None,
        model_max_context_tokens=subject.max_context_tokens,
        concurrent_requests=plan.micro_batch,
        memory_fraction=request.memory_fraction or 1,
        gpus=request.gpus or None,
    )
