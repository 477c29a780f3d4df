"""Search the catalogue's lists by words."""

from __future__ import annotations

from bot.text import words_of
from sizing.catalogue import Catalogue
from sizing.records import GpuRecord, ModelRecord


def matching_models(query: str, catalogue: Catalogue) -> tuple[ModelRecord, ...]:
    """Return the models whose names hold every word of `query`."""
    words = [word.lower() for word in words_of(query)]
    return tuple(
        model
        for model in catalogue.models.values()
        if _holds((model.id, model.name, model.family, model.hf_id, *model.aliases), words)
    )


def matching_gpus(query: str, catalogue: Catalogue) -> tuple[GpuRecord, ...]:
    """Return the accelerators whose names hold every word of `query`."""
    words = [word.lower() for word in words_of(query)]
    return tuple(
        gpu
        for gpu in catalogue.gpus.values()
        if _holds((gpu.id, gpu.name, gpu.vendor, gpu.architecture, *gpu.aliases), words)
    )


def _holds(names: tuple[str, ...], words: list[str]) -> bool:
    text = " ".join(names).lower()
    return all(word in text for word in words)
