"""Lines that ask what a purchase has to settle, with no model named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.text import fold

if TYPE_CHECKING:
    from bot.grammar.words import Words

TENDERS: Final = {
    "licitacion": "es", "licitaciones": "es", "pliego": "es", "pliegos": "es",
    "bases tecnicas": "es", "bases administrativas": "es", "terminos de referencia": "es",
    "lista de compra": "es", "orden de compra": "es", "cotizacion": "es", "concurso publico": "es",
    "tender": "en", "tenders": "en", "rfp": None, "rfq": None, "procurement": "en",
    "purchase order": "en", "request for proposal": "en", "request for quotation": "en",
    "procurement checklist": "en",
}  # fmt: skip
"""Words about a purchase as a procedure, and the language they are of where it is one."""

MOST_WORDS: Final = max(len(phrase.split()) for phrase in TENDERS)


def is_about_a_tender(words: Words) -> bool:
    """Return whether a line speaks of a purchase as a procedure."""
    return bool(_found(words))


def tender_language(words: Words) -> str | None:
    """Return the language of the words for the procedure; None where they are international."""
    return next(filter(None, (TENDERS[phrase] for phrase in _found(words))), None)


def _found(words: Words) -> list[str]:
    typed = [fold(word).strip(":;,.?¿!¡()") for word in words.typed]
    phrases = (
        " ".join(typed[start : start + length])
        for start in range(len(typed))
        for length in range(1, MOST_WORDS + 1)
    )
    return [phrase for phrase in phrases if phrase in TENDERS]
