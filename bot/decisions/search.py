"""Words that a decision is found by, cut the same way for every store."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from bot.decisions.records import Decision, Event

MOST_TOKENS: Final = 20
"""Different words of a query that are looked for."""

LONGEST_WORD: Final = 500
"""Letters by which a word is found; PostgreSQL refuses words beyond 2,046 bytes."""

_WORD: Final = re.compile(r"[^\W_]+")

_NAME: Final = re.compile(r"(?<![^\W_])(d)-(?=[0-9])", re.IGNORECASE)
"""What parts the name of a decision, which is one word."""


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in any case of letters, without accents and signs, each once."""
    words = _WORD.findall(_folded(_folded(_NAME.sub(r"\1", text))))
    return tuple(dict.fromkeys(word[:LONGEST_WORD] for word in words))


def _folded(text: str) -> str:
    """Return a text without the differences that no reader means."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def query_tokens(text: str) -> tuple[str, ...]:
    """Return the words of a query that are looked for."""
    return tokens_of(text)[:MOST_TOKENS]


def search_text(before: str, decision: Decision, event: Event) -> str:
    """Return the words of a decision after an event: those of before, and the new ones."""
    said: Iterable[str | None] = (
        before,
        decision.name,
        decision.title,
        decision.project,
        decision.note,
        decision.question,
        *decision.model_names,
        event.user_name,
        event.reason,
    )
    return " ".join(tokens_of(" ".join(filter(None, said))))
