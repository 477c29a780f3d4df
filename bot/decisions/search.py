"""Words that a decision is found by, cut the same way for every store."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from bot.decisions.records import Decision, Event

MOST_TOKENS: Final = 20
"""Different words of a query that are looked for."""

_WORD: Final = re.compile(r"[^\W_]+")


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without accents and signs, each once."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return tuple(dict.fromkeys(_WORD.findall(plain)))


def query_tokens(text: str) -> tuple[str, ...]:
    """Return the words of a query that are looked for."""
    return tokens_of(text)[:MOST_TOKENS]


def search_text(before: str, decision: Decision, event: Event) -> str:
    """Return the words of a decision after an event: those of before, and the new ones."""
    said: Iterable[str | None] = (
        before,
        decision.name.replace("-", ""),
        decision.title,
        decision.project,
        decision.note,
        decision.question,
        *decision.model_names,
        event.user_name,
        event.reason,
    )
    return " ".join(tokens_of(" ".join(filter(None, said))))
