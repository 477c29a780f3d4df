"""The words of a question, as typed and as compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.text import fold


@dataclass
class Words:
    """Words as typed, and the same without accents; a rule may put the rest of a word back."""

    typed: list[str]
    keys: list[str]
    references: Mapping[str, str] = field(default_factory=dict)
    """Models outside the catalogue by the word that stands for each."""

    def __len__(self) -> int:
        return len(self.keys)

    def key(self, position: int) -> str:
        """Return the word at `position` without accents; empty past either end."""
        return self.keys[position] if 0 <= position < len(self.keys) else ""

    def before(self, position: int, count: int) -> list[str]:
        """Return up to `count` words before `position`, the nearest last."""
        return self.keys[max(0, position - count) : position]

    def phrase(self, position: int, length: int) -> str:
        """Return `length` words as typed."""
        return " ".join(self.typed[position : position + length])

    def replace(self, position: int, word: str) -> None:
        """Put the rest of a word in its place."""
        self.typed[position] = self.keys[position] = word

    def split(self, position: int, pieces: Sequence[str]) -> None:
        """Put several words in the place of one."""
        self.typed[position : position + 1] = pieces
        self.keys[position : position + 1] = pieces


def words_from(typed: Sequence[str], references: Mapping[str, str] | None = None) -> Words:
    """Return words in both forms."""
    return Words(list(typed), [fold(word) for word in typed], references or {})
