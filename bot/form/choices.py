"""What the menus of the form offer while somebody types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from bot.labels import Labels
from bot.search import matching_gpus, matching_models
from sizing.catalogue import Catalogue

Json = dict[str, Any]

MOST_OPTIONS: Final = 100
"""Options of one menu."""

LONGEST_TEXT: Final = 75
"""Characters of an option's text."""

LONGEST_VALUE: Final = 150
"""Characters of an option's value."""


class Choices:
    """Models and cards by what was typed of their names."""

    def __init__(self, catalogue: Catalogue, is_model: Callable[[str], bool]) -> None:
        """Take the catalogue, and what tells whether words name a model, be it by its size."""
        self._catalogue = catalogue
        self._is_model = is_model
        self._labels = Labels(catalogue)

    def offered(self, field: str, typed: str) -> list[Json]:
        """Return the options of a field for what was typed."""
        values = self._gpus(typed) if field == "gpu" else self._models(typed)
        return [self.option(field, value) for value in list(values)[:MOST_OPTIONS]]

    def option(self, field: str, value: str) -> Json:
        """Return one option: the name people read, and what the line says."""
        text = self._labels.gpu(value) if field == "gpu" else self._name(value)
        return {"text": {"type": "plain_text", "text": text[:LONGEST_TEXT]}, "value": value}

    def _models(self, typed: str) -> Iterator[str]:
        found = [model.id for model in matching_models(typed, self._catalogue)]
        yield from found
        plain = typed.strip()
        known = {name.lower() for one in found for name in (one, self._name(one))}
        is_new = plain and len(plain) <= LONGEST_VALUE and plain.lower() not in known
        if is_new and self._is_model(plain):
            yield plain

    def _gpus(self, typed: str) -> Iterator[str]:
        return (gpu.id for gpu in matching_gpus(typed, self._catalogue))

    def _name(self, value: str) -> str:
        known = self._catalogue.models.get(value)
        return known.name if known else value
