"""Lines about decisions: save, propose, approve, reject and what else can be done to them.

They are read as they were typed: a reason keeps its capitals and its signs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.decisions.states import Action
from bot.grammar.commands import (
    CompareWith,
    Decide,
    DecisionMinutes,
    ExportDecisions,
    ListActuals,
    ListDecisions,
    Measured,
    Recheck,
    SaveAnswer,
    ShowDecision,
    WhatIf,
)
from bot.grammar.compare import VERBS as COMPARE
from bot.grammar.decision_subjects import ANSWER, DECISION, subject_of, without_reviewers
from bot.grammar.errors import IncompleteRequestError
from bot.grammar.list_verb import listed_command
from bot.grammar.options import FLAGS, WORD_OPTIONS
from bot.grammar.word_values import LANGUAGES
from bot.text import ADDRESSED_TO, QUOTES, SPECIAL_MENTION, fold
from sizing.errors import InvalidRequestError, SizingError, UnknownModelError

AboutDecision = (
    CompareWith
    | Decide
    | DecisionMinutes
    | ExportDecisions
    | ListActuals
    | ListDecisions
    | Measured
    | Recheck
    | SaveAnswer
    | ShowDecision
    | WhatIf
)
"""Commands about decisions."""

ACTIONS: Final = {
    "propose": Action.PROPOSE, "proponer": Action.PROPOSE,
    "approve": Action.APPROVE, "aprobar": Action.APPROVE,
    "reject": Action.REJECT, "rechazar": Action.REJECT,
    "ask changes": Action.ASK_CHANGES, "changes": Action.ASK_CHANGES,
    "pedir cambios": Action.ASK_CHANGES, "cambios": Action.ASK_CHANGES,
    "withdraw": Action.WITHDRAW, "retirar": Action.WITHDRAW,
    "supersede": Action.SUPERSEDE, "reemplazar": Action.SUPERSEDE,
}  # fmt: skip
"""Verbs that change a decision."""

SAVE: Final = frozenset({"save", "guardar"})
STATUS: Final = frozenset({"status", "estado", "review", "revisar"})
RECHECK: Final = frozenset({"recheck", "rerun", "recalcular", "recomprobar"})
WHAT_IF: Final = frozenset({"what if", "que pasa si", "y si"})
MEASURED: Final = frozenset({"actual", "measured", "medido", "real"})
MEASURED_ALONE: Final = ("actual", "measured", "medido")
"""Those of them that begin no question without a model: `real time speech` may be one."""

ACTUALS: Final = frozenset({"actuals", "mediciones"})
SHOWN: Final = frozenset({"show", "ver", "mostrar"})
HISTORY: Final = frozenset({"history", "historial"})
MINUTES: Final = frozenset({"minutes", "acta"})

_VERBS: Final = tuple(
    sorted(
        (
            *ACTIONS,
            *SAVE,
            *STATUS,
            *RECHECK,
            *WHAT_IF,
            *MEASURED,
            *ACTUALS,
            *SHOWN,
            *HISTORY,
            *MINUTES,
        ),
        key=lambda verb: -verb.count(" "),
    )
)
_LEAD: Final = re.compile(r"^(?:[\s:,]|[-–—](?!\d))+")
_FIGURE: Final = re.compile(r"^[-–−]?\d|^[\w/-]+[=:]\d")
_HAS_FIGURE: Final = re.compile(r"\d|[=:]")
_BY: Final = frozenset({"by", "with", "por", "con"})
_SETTING: Final = re.compile(r"-*([\w-]+)=([\w-]+)")


@dataclass(frozen=True)
class _Line:
    verb: str
    rest: tuple[str, ...]
    spoken: dict[str, Any]

    @property
    def decision(self) -> int | None:
        """Return the number of the decision that the line begins with."""
        found = DECISION.fullmatch(self.rest[0].rstrip(":,")) if self.rest else None
        return int(found[1]) if found else None

    @property
    def answer(self) -> str | None:
        """Return the id of the answer that the line begins with."""
        found = ANSWER.fullmatch(self.rest[0].rstrip(":,")) if self.rest else None
        return f"A-{int(found[1])}" if found else None

    def words(self, skipped: int) -> str:
        """Return what stands behind so many words."""
        return _LEAD.sub("", " ".join(self.rest[skipped:])).rstrip(" :,-–—")


def decision_command(text: str) -> AboutDecision | None:
    """Return what a line asks about decisions; None where it asks something else.

    Raises InvalidRequestError where it names no decision and a thread could not name it either.
    """
    line = _line(text)
    if listing := None if line and line.decision else listed_command(text):
        return listing
    if line is None:
        return None
    if line.verb in ACTIONS:
        is_proposal = ACTIONS[line.verb] is Action.PROPOSE
        return _proposal(text) if is_proposal else _action(line)
    if line.verb in SAVE:
        return _save(text)
    if line.verb in WHAT_IF:
        number = line.decision
        return WhatIf(number=number, words=line.words(1 if number else 0), **line.spoken)
    if line.verb in ACTUALS:
        return ListActuals(query=line.words(0), **line.spoken)
    if line.verb in MEASURED:
        return _measured(line)
    return _looked_at(line)


def lacks_figures(text: str, error: SizingError) -> bool:
    """Return whether a line that could not be read, for want of a model, tells a measurement."""
    line = _line(text, MEASURED_ALONE)
    if line is None:
        return False
    if isinstance(error, IncompleteRequestError):
        return not error.values["understood"]
    return isinstance(error, UnknownModelError) and fold(error.word or "") == line.verb


def variants_of(text: str, *, in_thread: bool) -> CompareWith | None:
    """Return the wish to compare variants of a decision or an answer that a line names.

    Where it stands `in_thread` it need not name any; None where it asks something else.
    """
    line = _line(text, (*COMPARE,))
    if line is None:
        return None
    number = line.decision
    # `a100` is a card, `a-100` an answer.
    is_answer = not number and bool(line.answer) and "-" in line.rest[0]
    answer = line.answer if is_answer else None
    if not (number or answer or in_thread):
        return None
    words = line.words(1 if number or answer else 0)
    return CompareWith(number=number, answer=answer, words=words, **line.spoken)


def _line(text: str, verbs: tuple[str, ...] = _VERBS) -> _Line | None:
    plain = ADDRESSED_TO.sub("", SPECIAL_MENTION.sub(" ", text)).strip()
    typed = plain.split()
    keys = [fold(word.translate(QUOTES).strip(" ¿?!¡.,:")) for word in typed[:3]]
    for verb in verbs:
        length = verb.count(" ") + 1
        if " ".join(keys[:length]) == verb:
            kept = tuple(word for word in typed[length:] if not _is_setting(word))
            return _Line(verb, kept, _spoken(typed[length:]))
    return None


def _action(line: _Line) -> Decide:
    number, action = line.decision, ACTIONS[line.verb]
    skipped, other = (1 if number else 0), None
    if action is Action.SUPERSEDE:
        other, skipped = _replacement(line, skipped)
    return Decide(
        action=action, number=number, reason=line.words(skipped), other=other, **line.spoken
    )


def _replacement(line: _Line, skipped: int) -> tuple[int | None, int]:
    """Return the decision that replaces another, `by D-50`, and how many words say it."""
    rest = line.rest[skipped:]
    found = DECISION.fullmatch(rest[1].rstrip(":,")) if len(rest) > 1 else None
    if found and rest[0].lower() in _BY:
        return int(found[1]), skipped + 2
    return None, skipped


def _save(text: str) -> SaveAnswer | None:
    told, reviewers = without_reviewers(text)
    line = _line(told)
    if line is None:
        return None
    subject = subject_of(line.rest, reviewers)
    return SaveAnswer(
        reference=subject.answer,
        title=" ".join(subject.words),
        project=subject.project,
        number=subject.number,
        reviewers=subject.reviewers,
        **line.spoken,
    )


def _proposal(text: str) -> Decide | None:
    told, reviewers = without_reviewers(text)
    line = _line(told)
    if line is None:
        return None
    subject = subject_of(line.rest, reviewers)
    return Decide(
        action=Action.PROPOSE,
        number=subject.number,
        reason=" ".join(subject.words),
        reference=subject.answer,
        reviewers=subject.reviewers,
        **line.spoken,
    )


def _measured(line: _Line) -> Measured | None:
    """Return what was measured; None where the verb begins something else, `real time …`."""
    number, answer = line.decision, line.answer
    words = line.words(1 if number or answer else 0)
    is_named = number is not None or (answer is not None and "-" in line.rest[0])
    if not words or (is_named and not _HAS_FIGURE.search(words)):
        raise InvalidRequestError(reason="no_measurement", word=line.verb)
    if not is_named and not _FIGURE.search(words):
        return None
    return Measured(number=number, answer=answer, words=words, **line.spoken)


def _looked_at(line: _Line) -> ShowDecision | Recheck | DecisionMinutes | None:
    """Return the wish to see a decision; `show` and `history` are also verbs about answers."""
    number = line.decision
    if line.verb in MINUTES:
        is_bare = number is not None or not line.rest
        return DecisionMinutes(number=number, **line.spoken) if is_bare else None
    if line.verb in RECHECK:
        return Recheck(number=number, **line.spoken)
    if line.verb in STATUS:
        return None if line.answer else ShowDecision(number=number, **line.spoken)
    is_history = line.verb in HISTORY
    if number is None and (line.rest or not is_history):
        return None
    return ShowDecision(number=number, whole=is_history, **line.spoken)


def _is_setting(word: str) -> bool:
    if FLAGS.get(fold(word).lstrip("-–—")) in {"private", "json"} and word[0] in "-–—":
        return True
    found = _SETTING.fullmatch(fold(word))
    return found is not None and found[1] in WORD_OPTIONS["language"] and found[2] in LANGUAGES


def _spoken(words: Sequence[str]) -> dict[str, Any]:
    """Return language, privacy and form of answer, wherever they stand."""
    settings = [fold(word).lstrip("-–—") for word in words if _is_setting(word)]
    kinds = {FLAGS.get(word) for word in settings}
    named = [LANGUAGES.get(word.partition("=")[2]) for word in settings]
    return {
        "language": next(filter(None, named), None),
        "private": "private" in kinds,
        "as_json": "json" in kinds,
    }
