"""Turn a word that names a model outside the catalogue into that model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from bot.errors import CodedError
from sizing.records import GivenModel

Reader = Callable[[str], GivenModel]
"""Reads what stands behind the colon of a reference."""


def reference_to(path: str) -> str:
    """Return the word that names a file in a question: what blanks would split is quoted."""
    return "file:" + quote(path, safe="/.-_~")


@dataclass(frozen=True)
class Sources:
    """The readers that one door has; without one, a reference is refused in words."""

    file: Reader | None = None
    """Reads a file of this machine; for the terminal alone."""

    hub: Reader | None = None
    """Reads a repository of the Hugging Face Hub."""

    def model(self, reference: str) -> GivenModel:
        """Return the model that `reference` names; raise CodedError where it leads nowhere."""
        kind, _, name = reference.partition(":")
        if kind == "file":
            return self._read_file(name)
        if self.hub is None:
            raise CodedError("no_hub", word=reference)
        return self.hub(name)

    def _read_file(self, name: str) -> GivenModel:
        if self.file is None:
            raise CodedError("no_files")
        return self.file(name)
