"""What drafts tokens for a model to verify: its weights, and what each draft reads and computes."""

from __future__ import annotations

from dataclasses import dataclass

from sizing.answer import GroupWeights
from sizing.catalogue import Catalogue
from sizing.checkpoints import mtp_weights_bytes
from sizing.records import ArchitectureRecord, PrecisionRecord, TensorGroup
from sizing.request import SizingRequest
from sizing.speculation import (
    PUBLISHED_ACCEPTANCE,
    USUAL_DRAFT_TOKENS,
    SpecMethod,
    Speculation,
)
from sizing.subject import Subject, subject_of

DRAFT_BITS = 16.0
"""Bits of a weight of draft heads and models as they are published."""

DRAFT_VOCABULARY = 32_000
"""Entries of the vocabulary of EAGLE-3 heads (their config.json, `draft_vocab_size`)."""

FUSED_STATES = 3
"""Hidden states of the model that an EAGLE-3 head joins (arXiv 2503.01840, section 3.1)."""


@dataclass(frozen=True)
class Drafter:
    """What drafts, how much of it, and how often it is right."""

    method: SpecMethod
    tokens: int
    """Tokens drafted before each step."""
    acceptance: float | None
    """Share that is accepted; None where neither the asker nor a publication says."""
    is_published: bool
    """Whether that is a published figure in place of the asker's own."""
    parameters: int
    """Parameters of what drafts; 0 where it is not known."""
    layers: int
    """Layers that each drafted token passes."""
    weights: tuple[GroupWeights, ...]
    """Its weights in memory; none where they are not known."""

    @property
    def is_layer_of_model(self) -> bool:
        """Return whether it is built like one layer of the model and its head."""
        return self.method is SpecMethod.MTP


def drafter_of(
    request: SizingRequest, subject: Subject, precision: PrecisionRecord, catalogue: Catalogue
) -> Drafter | None:
    """Return what drafts for the model; None where nothing was asked for."""
    asked = request.speculation
    if asked.spec is None:
        return None
    parameters, layers = _size(asked, subject, catalogue)
    stored_bytes = round(parameters * DRAFT_BITS / 8)
    if asked.spec is SpecMethod.MTP:
        stored_bytes = mtp_weights_bytes(subject, precision)
    published = PUBLISHED_ACCEPTANCE.get(asked.spec)
    return Drafter(
        method=asked.spec,
        tokens=asked.draft_tokens or USUAL_DRAFT_TOKENS[asked.spec],
        acceptance=asked.acceptance or published,
        is_published=asked.acceptance is None and published is not None,
        parameters=parameters,
        layers=layers,
        weights=_weights(parameters, stored_bytes) if parameters else (),
    )


def _size(asked: Speculation, subject: Subject, catalogue: Catalogue) -> tuple[int, int]:
    """Return the parameters and the layers of what drafts; no parameters where not known."""
    if asked.spec is SpecMethod.EAGLE3:
        return _eagle_parameters(subject.architecture), 1
    if asked.spec is SpecMethod.MTP:
        return subject.mtp_parameters, 1
    if asked.draft_parameters is None:
        return 0, 1
    alike = subject_of(SizingRequest(parameters=asked.draft_parameters), catalogue)
    return asked.draft_parameters, alike.architecture.layers


def _eagle_parameters(shape: ArchitectureRecord) -> int:
    """Return the parameters of an EAGLE-3 head beside the table it shares with the model.

    One layer whose attention reads the token beside the joined states, twice the width; the
    projection of three states; a head of its own vocabulary. 425 M for Llama 3.1 8B, published as
    850 MB (yuhuili/EAGLE3-LLaMA3.1-Instruct-8B).
    """
    width, query = shape.hidden_size, shape.heads * shape.head_dim
    keys = 2 * shape.kv_heads * shape.head_dim
    attention = 2 * width * (query + keys) + query * width
    joined = FUSED_STATES * width * width
    return attention + 3 * width * _inner_width(shape) + joined + DRAFT_VOCABULARY * width


def _inner_width(shape: ArchitectureRecord) -> int:
    """Return the inner width of its feed-forward part: that of the model, or of what is active."""
    if shape.ffn_size or shape.moe is None:
        return shape.ffn_size
    return shape.moe.experts_per_token * shape.moe.expert_ffn_size


def _weights(parameters: int, weights_bytes: int) -> tuple[GroupWeights, ...]:
    bits = weights_bytes * 8 / parameters
    return (
        GroupWeights(
            group=TensorGroup.DRAFT,
            parameters=parameters,
            bits_per_weight=bits,
            weights_bytes=weights_bytes,
        ),
    )
