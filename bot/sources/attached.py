"""A `config.json` that came with a question."""

from __future__ import annotations

from dataclasses import dataclass

from bot.sources.references import reference_to
from sizing.records import GivenModel


@dataclass(frozen=True)
class AttachedFile:
    """A file, already fetched."""

    name: str
    content: bytes

    @property
    def reference(self) -> str:
        """Return the word that names the file in the question."""
        return reference_to(self.name)

    def model(self, _name: str) -> GivenModel:
        """Return the model that the file describes; raise CodedError where it does not."""
        from bot.sources.config import read_config

        return read_config(self.content, self.name)
