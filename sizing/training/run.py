"""From a request to a training run, every default filled in."""

from __future__ import annotations

from sizing.answer import GroupWeights
from sizing.catalogue import Catalogue
from sizing.defaults import context_tokens_of
from sizing.media import media_of
from sizing.records import ModelKind, PrecisionRecord
from sizing.request import Mode, Optimizer, SizingRequest
from sizing.subject import Subject
from sizing.training.plan import DEFAULT_RANK, SIXTEEN_BITS, TrainingPlan
from sizing.weights import group_weights, loaded_precision

DEFAULT_SEQUENCE_TOKENS = 2048
"""Length at which published fine-tuning recipes mostly cut (ms-swift, PEFT, torchtune)."""

TRAINING_PRECISION = "bf16"
"""Precision of weights that are trained or carry adapters."""

QLORA_PRECISION = "bnb-nf4"
"""Precision of the frozen base of QLoRA (Dettmers et al. 2023)."""

TRAINED_KINDS = frozenset({ModelKind.LLM, ModelKind.MOE, ModelKind.VLM, ModelKind.HYBRID})
"""Kinds whose training is sized: what writes text."""

THIRTY_TWO_BITS = 32.0


def plan_of(
    request: SizingRequest, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> TrainingPlan:
    """Return the training run that a request asks for."""
    media = media_of(request, catalogue)
    return TrainingPlan(
        subject=subject,
        media=media,
        groups=base_groups(subject, precision, catalogue),
        mode=request.mode,
        sequence_tokens=sequence_tokens_of(request, subject, media.context_tokens),
        micro_batch=request.concurrent_requests or 1,
        checkpointing=request.checkpointing is not False,
        optimizer=request.optimizer or Optimizer.ADAMW,
        preference=request.preference,
        rank=request.adapter_rank or DEFAULT_RANK,
    )


def base_precision(
    request: SizingRequest, subject: Subject, catalogue: Catalogue
) -> PrecisionRecord:
    """Return the precision of the base weights.

    What is trained stands in 16 or 32 bits; QLoRA quantises the frozen base, by NF4 unless
    another format was asked.
    """
    asked = catalogue.precisions[request.precision] if request.precision else None
    if request.mode is Mode.QLORA:
        suits = asked is not None and is_quantised(asked)
        return asked if asked and suits else catalogue.precisions[QLORA_PRECISION]
    if asked and not (request.mode is Mode.FULL and is_quantised(asked)):
        return asked
    native = loaded_precision(subject, request.model_copy(update={"precision": None}), catalogue)
    return catalogue.precisions[TRAINING_PRECISION] if is_quantised(native) else native


def is_quantised(precision: PrecisionRecord) -> bool:
    """Return whether a format takes fewer than 16 bits."""
    return precision.nominal_bits < SIXTEEN_BITS


def base_groups(
    subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> tuple[GroupWeights, ...]:
    """Return the base weights as they are held during the run.

    Beside quantised tensors, those left in 16 bits are raised to 32
    (`prepare_model_for_kbit_training` of PEFT).
    """
    groups = group_weights(subject, precision, catalogue)
    return tuple(map(_raised, groups)) if is_quantised(precision) else groups


def _raised(weights: GroupWeights) -> GroupWeights:
    if weights.bits_per_weight != SIXTEEN_BITS:
        return weights
    return weights.model_copy(
        update={"bits_per_weight": THIRTY_TWO_BITS, "weights_bytes": 2 * weights.weights_bytes}
    )


def sequence_tokens_of(request: SizingRequest, subject: Subject, media_tokens: int = 0) -> int:
    """Return the length of a training sequence, images and sound included."""
    if request.context_tokens or request.input_tokens or request.output_tokens:
        return context_tokens_of(request, subject, media_tokens)
    usual = min(DEFAULT_SEQUENCE_TOKENS, subject.max_context_tokens or DEFAULT_SEQUENCE_TOKENS)
    return usual + media_tokens
