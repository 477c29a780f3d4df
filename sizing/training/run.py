"""From a request to a training run, every default filled in."""

from __future__ import annotations

from sizing.catalogue import Catalogue
from sizing.defaults import context_tokens_of
from sizing.media import media_of
from sizing.records import FrameworkRecord, ModelKind, PrecisionRecord, TensorGroup
from sizing.request import Mode, SizingRequest
from sizing.subject import Subject, subject_from
from sizing.training.adapters import DEFAULT_RANKS
from sizing.training.base import base_groups, loaded_groups
from sizing.training.optimizers import PROJECTION_RANKS
from sizing.training.plan import TrainingPlan
from sizing.tuning import PARTIAL_TUNERS, Method, Optimizer, Tuner

DEFAULT_SEQUENCE_TOKENS = 2048
"""Length at which published fine-tuning recipes mostly cut (ms-swift, PEFT, torchtune)."""

DEFAULT_FRAMEWORK = "transformers"
"""Training software unless told otherwise."""

DEFAULT_RANK = DEFAULT_RANKS[Tuner.LORA]
"""Rank of adapters unless told otherwise."""

DEFAULT_METHODS = {
    ModelKind.EMBEDDING: Method.EMBEDDING,
    ModelKind.RERANKER: Method.CLASSIFICATION,
}
"""What kinds of models learn from unless told otherwise; all others from the next token."""


def plan_of(
    request: SizingRequest, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> TrainingPlan:
    """Return the training run that a request asks for."""
    framework, method = framework_of(request, catalogue), method_of(request, subject)
    held = base_groups(subject, precision, catalogue, framework=framework)
    beside = catalogue.models.get(request.tuning.beside or "")
    media = media_of(request, catalogue)
    return TrainingPlan(
        subject=subject,
        media=media,
        groups=loaded_groups(held, method),
        mode=request.mode,
        method=method,
        sequence_tokens=sequence_tokens_of(request, subject, media.context_tokens),
        micro_batch=request.concurrent_requests or 1,
        framework=framework,
        overheads=catalogue.training_overheads,
        rank=request.adapter_rank or default_rank(request),
        tuning=request.tuning,
        beside_bytes=None if beside is None else 2 * subject_from(beside).parameters,
        picture_patches=picture_patches(request, subject),
    )


def method_of(request: SizingRequest, subject: Subject) -> Method:
    """Return what the run learns from: what suits the model unless told otherwise."""
    return request.tuning.method or DEFAULT_METHODS.get(subject.kind, Method.SFT)


def framework_of(request: SizingRequest, catalogue: Catalogue) -> FrameworkRecord:
    """Return the training software, Transformers unless told otherwise."""
    return catalogue.frameworks[request.tuning.framework or DEFAULT_FRAMEWORK]


def default_rank(request: SizingRequest) -> int:
    """Return the rank of adapters or of projected gradients where none is told."""
    if request.mode is Mode.FULL:
        return PROJECTION_RANKS.get(request.tuning.optimizer or Optimizer.ADAMW, DEFAULT_RANK)
    tuner = request.tuning.tuner
    if tuner is None or tuner in PARTIAL_TUNERS:
        return DEFAULT_RANK
    return DEFAULT_RANKS.get(tuner, 1)


def picture_patches(request: SizingRequest, subject: Subject) -> int | None:
    """Return the patches that the image encoder reads of a sequence; None where not told."""
    tower = subject.architecture.towers.get(TensorGroup.VISION)
    if tower is None or request.width_pixels is None or request.height_pixels is None:
        return None
    pixels = request.width_pixels * request.height_pixels * (request.frames or 1)
    return max(
        1, pixels // (tower.patch_pixels * (tower.frames_per_patch if request.frames else 1))
    )


def sequence_tokens_of(request: SizingRequest, subject: Subject, media_tokens: int = 0) -> int:
    """Return the length of a training sequence, images and sound included."""
    if request.context_tokens or request.input_tokens or request.output_tokens:
        return context_tokens_of(request, subject, media_tokens)
    usual = min(DEFAULT_SEQUENCE_TOKENS, subject.max_context_tokens or DEFAULT_SEQUENCE_TOKENS)
    return usual + media_tokens
