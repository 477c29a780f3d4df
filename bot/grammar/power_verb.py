"""The verb that asks about electricity; what it is asked about is read by a module of its own."""

from __future__ import annotations

from typing import Final

from bot.text import fold
from sizing.errors import InvalidRequestError

VERBS: Final = frozenset(
    {
        "power", "energia", "energy", "electricidad", "electricity", "potencia", "corriente",
        "electric", "electrico",
    }
)  # fmt: skip
"""First words that ask about power."""


def after_verb(text: str) -> str | None:
    """Return what stands behind the verb of a cleaned line; None where it has none.

    Raises InvalidRequestError for the verb alone.
    """
    first, _, rest = text.partition(" ")
    if fold(first) not in VERBS:
        return None
    if not rest.strip():
        raise InvalidRequestError(reason="no_power")
    return rest
