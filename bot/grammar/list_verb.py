"""Lines that list decisions: their filters, and the text that is looked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bot.decisions.states import State
from bot.grammar.commands import ExportDecisions, ListDecisions
from bot.grammar.options import WORD_OPTIONS
from bot.names import nearest
from bot.text import ADDRESSED_TO, fold
from sizing.errors import InvalidRequestError

VERBS: Final = frozenset({"list", "listar", "lista", "historial", "history"})

NAMED: Final = frozenset({"decisions", "decisiones"})
"""Words that list decisions without a verb before them."""

DECISIONS: Final = NAMED | {"decision"}
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


def _spanish(stem: str) -> tuple[str, ...]:
    """Return a participle in both genders and numbers: `aprobada`, `aprobados` …"""
    return tuple(f"{stem}{end}" for end in ("a", "as", "o", "os"))


STATES: Final = {
    **dict.fromkeys(("draft", "drafts", "borrador", "borradores"), State.DRAFT),
    **dict.fromkeys(("proposed", "proposals", *_spanish("propuest")), State.PROPOSED),
    **dict.fromkeys(
        ("changes", "changes_requested", "changes-requested", "cambios"), State.CHANGES_REQUESTED
    ),
    **dict.fromkeys(("approved", *_spanish("aprobad")), State.APPROVED),
    **dict.fromkeys(("rejected", *_spanish("rechazad")), State.REJECTED),
    **dict.fromkeys(("withdrawn", *_spanish("retirad")), State.WITHDRAWN),
    **dict.fromkeys(("superseded", *_spanish("reemplazad")), State.SUPERSEDED),
}
"""States by each word for them."""

SPANISH_STATES: Final = (
    "borrador", "propuesta", "cambios", "aprobada", "rechazada", "retirada", "reemplazada",
)  # fmt: skip
"""States as they are offered to those who write Spanish."""

SPANISH: Final = frozenset({"listar", "lista", "historial", "decisiones", "exportar", "estado"})
"""Words that tell that a line is written in Spanish."""

LIKE: Final = 75
"""Likeness from which a word is taken for a misspelt state, 0-100."""

MOST_PAGES: Final = 10_000
"""Pages that can be asked for."""


@dataclass
class _Found:
    """What the words of a line have said so far."""

    filters: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    states: set[State] = field(default_factory=set)
    text: list[str] = field(default_factory=list)
    is_spanish: bool = False

    def take(self, typed: str) -> None:
        key = fold(typed).strip(",;")
        name, _, value = typed.partition("=")
        if "=" in typed and fold(name) in KEYS:
            self.filters[KEYS[fold(name)]] = _value(typed)
            self.is_spanish |= fold(name) in SPANISH
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

    Raises InvalidRequestError for a state or a page that there is not, or a key without a value.
    """
    typed = ADDRESSED_TO.sub("", text).split()
    verb = fold(typed[0]).rstrip(":,") if typed else ""
    if verb not in VERBS | NAMED:
        return None
    found = _found(typed if verb in NAMED else typed[1:], verb)
    return _listed(found) if found.is_about_decisions else None


def export_command(text: str) -> ExportDecisions | None:
    """Return which decisions a line wants as a file; None where it wants something else.

    Raises InvalidRequestError for a state that there is not, or a key without a value.
    """
    typed = ADDRESSED_TO.sub("", text).split()
    if not typed or fold(typed[0]) not in EXPORT:
        return None
    wanted = _listed(_found(typed[1:], fold(typed[0])))
    return ExportDecisions(wanted=wanted, language=wanted.language)


def near_states(text: str) -> tuple[str, ...]:
    """Return the states that the words of a text may be misspelt for, as they are typed."""
    near = (nearest(fold(word), STATES, limit=1, at_least=LIKE) for word in text.split())
    return tuple(dict.fromkeys(word for words in near for word in words))


def _found(words: Iterable[str], verb: str) -> _Found:
    found = _Found(is_spanish=verb in SPANISH)
    for word in words:
        found.take(word)
    return found


def _listed(found: _Found) -> ListDecisions:
    if "state" in found.filters:
        found.states |= _states(found.filters["state"], is_spanish=found.is_spanish)
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


def _value(typed: str) -> str:
    """Return what stands behind the key of a filter; raise InvalidRequestError for nothing."""
    value = typed.partition("=")[2].strip("\"'“”«»,;")
    if not value:
        raise InvalidRequestError(reason="value_missing", word=typed)
    return value


def _states(value: str, *, is_spanish: bool) -> set[State]:
    words = [fold(word) for word in value.split(",") if word]
    unknown = [word for word in words if word not in STATES]
    if unknown:
        names = SPANISH_STATES if is_spanish else tuple(state.value for state in State)
        near = nearest(unknown[0], STATES, limit=1, at_least=LIKE)
        raise InvalidRequestError(reason="bad_value", word=unknown[0], suggestions=near or names)
    return {STATES[word] for word in words}


def _page(value: str) -> int:
    if not (value.isdecimal() and 1 <= int(value) <= MOST_PAGES):
        raise InvalidRequestError(reason="page_number", word=value, most=MOST_PAGES)
    return int(value)
