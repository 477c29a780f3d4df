"""Lines that list decisions: their filters, and the text that is looked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bot.decisions.states import State
from bot.grammar.commands import ExportDecisions, ListDecisions
from bot.grammar.options import WORD_OPTIONS
from bot.text import ADDRESSED_TO, fold
from sizing.errors import InvalidRequestError

VERBS: Final = frozenset({"list", "listar", "lista", "historial", "history"})

DECISIONS: Final = frozenset({"decisions", "decisiones", "decision"})
"""Words that ask for decisions alone."""

MINE: Final = frozenset({"mine", "mias", "mios"})
"""Words that ask for one's own."""

WAITING: Final = frozenset({"waiting", "pending", "pendientes", "espera"})
"""Words that ask for those that wait for the asker."""

KEYS: Final = {
    "project": "project", "proyecto": "project", "state": "state", "estado": "state",
    "model": "model", "modelo": "model", "page": "page", "pagina": "page",
}  # fmt: skip
"""Filters by each of their names."""

EXPORT: Final = frozenset({"export", "exportar"})
"""Verbs that ask for decisions as a file."""

STATES: Final = {
    "draft": State.DRAFT, "borrador": State.DRAFT,
    "proposed": State.PROPOSED, "propuesta": State.PROPOSED,
    "changes": State.CHANGES_REQUESTED, "cambios": State.CHANGES_REQUESTED,
    "changes_requested": State.CHANGES_REQUESTED, "changes-requested": State.CHANGES_REQUESTED,
    "approved": State.APPROVED, "aprobada": State.APPROVED,
    "rejected": State.REJECTED, "rechazada": State.REJECTED,
    "withdrawn": State.WITHDRAWN, "retirada": State.WITHDRAWN,
    "superseded": State.SUPERSEDED, "reemplazada": State.SUPERSEDED,
}  # fmt: skip
"""States by each word for them."""

MOST_PAGES: Final = 10_000
"""Pages that can be asked for."""


@dataclass
class _Found:
    """What the words of a line have said so far."""

    filters: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    states: set[State] = field(default_factory=set)
    text: list[str] = field(default_factory=list)

    def take(self, typed: str) -> None:
        key = fold(typed).strip(",;")
        name, _, value = typed.partition("=")
        if value and fold(name) in KEYS:
            self.filters[KEYS[fold(name)]] = value.strip("\"'“”«»,;")
        elif key in STATES:
            self.states.add(STATES[key])
        elif key in DECISIONS | MINE | WAITING:
            self.flags.add(key)
        elif value and fold(name) in WORD_OPTIONS["language"]:
            self.filters["language"] = fold(value)
        elif not typed.startswith("--"):
            self.text.append(typed)

    @property
    def is_about_decisions(self) -> bool:
        """Return whether anything says that decisions are meant."""
        return bool({*self.filters} - {"language"} or self.flags or self.states)


def listed_command(text: str) -> ListDecisions | ExportDecisions | None:
    """Return which decisions a line lists or wants as a file; None where it wants neither."""
    return list_command(text) or export_command(text)


def list_command(text: str) -> ListDecisions | None:
    """Return which decisions a line lists; None where it lists something else.

    Raises InvalidRequestError for a state or a page that there is not.
    """
    typed = ADDRESSED_TO.sub("", text).split()
    if not typed or fold(typed[0]) not in VERBS:
        return None
    found = _found(typed[1:])
    return _listed(found) if found.is_about_decisions else None


def export_command(text: str) -> ExportDecisions | None:
    """Return which decisions a line wants as a file; None where it wants something else.

    Raises InvalidRequestError for a state that there is not.
    """
    typed = ADDRESSED_TO.sub("", text).split()
    if not typed or fold(typed[0]) not in EXPORT:
        return None
    wanted = _listed(_found(typed[1:]))
    return ExportDecisions(wanted=wanted, language=wanted.language)


def _found(words: Iterable[str]) -> _Found:
    found = _Found()
    for word in words:
        found.take(word)
    return found


def _listed(found: _Found) -> ListDecisions:
    if "state" in found.filters:
        found.states |= _states(found.filters["state"])
    language = found.filters.get("language")
    return ListDecisions(
        text=" ".join((*found.text, found.filters.get("model", ""))).strip(),
        states=frozenset(found.states),
        project=found.filters.get("project"),
        mine=bool(found.flags & MINE),
        waiting=bool(found.flags & WAITING),
        page=_page(found.filters.get("page", "1")),
        language=language if language in {"en", "es"} else None,
    )


def _states(value: str) -> set[State]:
    words = [fold(word) for word in value.split(",") if word]
    unknown = [word for word in words if word not in STATES]
    if unknown or not words:
        names = tuple(state.value for state in State)
        raise InvalidRequestError(reason="bad_value", word=value, suggestions=names)
    return {STATES[word] for word in words}


def _page(value: str) -> int:
    if not (value.isdecimal() and 1 <= int(value) <= MOST_PAGES):
        raise InvalidRequestError(reason="bad_value", word=value)
    return int(value)
