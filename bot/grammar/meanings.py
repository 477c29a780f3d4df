"""Tell whether a name, as typed, could have meant another model as well."""

from __future__ import annotations

from collections.abc import Iterable

from bot.grammar.atoms import PLAIN_SIZE, parts_of
from bot.grammar.models import ModelIndex
from bot.numbers import parameters


def is_one_of_several(
    model_id: str, atoms: frozenset[str], sizes: Iterable[int], models: ModelIndex
) -> bool:
    """Return whether the typed parts and sizes leave open which of several models was meant.

    They do where they lack a part of the model's id and fit one of its alternatives none the less.
    """
    told = {*sizes, *(parameters(one) for one in atoms if PLAIN_SIZE.fullmatch(one))}
    unsaid = [
        one
        for one in parts_of(model_id).named
        if one not in atoms and not (PLAIN_SIZE.fullmatch(one) and parameters(one) in told)
    ]
    if not unsaid:
        return False
    return any(
        atoms <= models.atoms(other) and all(models.agrees(other, size) for size in sizes)
        for other in models.alternatives[model_id]
    )
