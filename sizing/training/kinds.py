"""Which models are trained."""

from __future__ import annotations

from sizing.records import ModelKind, ModelRecord

TRAINED_KINDS = frozenset(
    {
        ModelKind.LLM,
        ModelKind.MOE,
        ModelKind.VLM,
        ModelKind.HYBRID,
        ModelKind.EMBEDDING,
        ModelKind.RERANKER,
    }
)
"""Kinds whose training is sized: transformers that read or write text."""


def is_trainable(model: ModelRecord) -> bool:
    """Return whether the training of a model of the catalogue is sized."""
    return model.architecture is not None and model.kind in TRAINED_KINDS
