"""The verb that asks for a whole server; what it is asked for is read by a module of its own."""

from __future__ import annotations

from typing import Final

from bot.grammar.references import PLACE
from bot.text import fold

VERBS: Final = frozenset({"spec", "especificacion", "ficha", "checklist", "lista"})
"""Words that ask for a server; two of them for its checklist alone."""

CHECKLIST: Final = frozenset({"checklist", "lista"})


def without_spec(text: str) -> tuple[str, bool] | None:
    """Return what a server is wanted for, and whether its checklist alone; None for other lines.

    `--file` puts the model before all other words.
    """
    words = text.split()
    places = [place for place, word in enumerate(words[:2]) if fold(word) in VERBS]
    if not places or (places == [1] and not words[0].startswith(PLACE)):
        return None
    verb = fold(words[places[0]])
    rest = [*words[: places[0]], *words[places[0] + 1 :]]
    return " ".join(rest), verb in CHECKLIST
