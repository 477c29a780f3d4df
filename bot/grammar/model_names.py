"""All names of a catalogue's models, each cut up once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.grammar.atoms import NameParts, parts_of
from sizing.records import ModelRecord


@dataclass(frozen=True)
class ModelName:
    """One spelling of one model."""

    text: str
    """The name in lower case."""

    model_id: str
    """Id of its model."""

    parts: NameParts
    """The name, cut up."""


def stated_names(models: Iterable[ModelRecord]) -> tuple[ModelName, ...]:
    """Return the ids of all models, then their aliases."""
    known = tuple(models)
    ids = ((model.id, model) for model in known)
    aliases = ((alias, model) for model in known for alias in model.aliases)
    return (*_cut(ids), *_cut(aliases))


def derived_names(models: Iterable[ModelRecord]) -> tuple[ModelName, ...]:
    """Return what a model is called on the Hub and in print."""
    return tuple(
        _cut(
            (name, model)
            for model in models
            for name in (model.hf_id.rpartition("/")[2], model.name)
        )
    )


def _cut(names: Iterable[tuple[str, ModelRecord]]) -> Iterator[ModelName]:
    for name, model in names:
        text = name.lower()
        parts = parts_of(text)
        if parts.atoms:
            yield ModelName(text, model.id, parts)
