"""Verbs: a first word that asks for something else than a size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from bot.grammar.commands import (
    Ask,
    AskChecklist,
    AskSpec,
    Command,
    Compare,
    ExplainAnswer,
    Help,
    ListAnswers,
    ListGpus,
    ListModels,
    NotAvailable,
    OpinionAnswer,
    Power,
    ShowAnswer,
    SpecOfAnswers,
    StartAnswer,
    StartAsked,
)
from bot.grammar.goals import spoken_goal
from bot.grammar.options import FLAGS, WORD_OPTIONS
from bot.grammar.spec_verb import CHECKLIST
from bot.grammar.tender import is_about_a_tender, tender_language
from bot.grammar.word_values import LANGUAGES
from bot.grammar.words import Words, words_from
from sizing.errors import InvalidRequestError
from sizing.request import Goal, SizingRequest

if TYPE_CHECKING:
    from sizing.spec.power_question import PowerQuestion
    from sizing.spec.request import SpecRequest

LISTS: Final[dict[str, type[ListModels | ListGpus | ListAnswers]]] = {
    "models": ListModels, "modelos": ListModels, "gpus": ListGpus,
    "list": ListAnswers, "listar": ListAnswers, "historial": ListAnswers, "history": ListAnswers,
}  # fmt: skip
"""Verbs that list something, with an optional text to look for."""

HELP: Final = frozenset({"help", "ayuda", "--help", "-h"})
ByReference = ShowAnswer | ExplainAnswer | StartAnswer | OpinionAnswer
"""Commands about one past answer."""

BY_REFERENCE: Final[dict[str, type[ByReference]]] = {
    "show": ShowAnswer, "ver": ShowAnswer, "mostrar": ShowAnswer,
    "explain": ExplainAnswer, "explicar": ExplainAnswer, "explica": ExplainAnswer,
    "start": StartAnswer, "arrancar": StartAnswer, "iniciar": StartAnswer,
    "opinion": OpinionAnswer,
}  # fmt: skip
"""Verbs about one past answer, which its id names."""

REFERENCE: Final = re.compile(r"([a-z])-?(\d{1,12})")

LATER: Final = {
    "new": "new", "nuevo": "new", "nueva": "new",
    "lang": "lang", "idioma": "lang", "doctor": "doctor", "diagnostico": "doctor",
    "price": "price", "precio": "price",
}  # fmt: skip
"""Verbs of later versions, by each word for them."""


def compare_of(words: Words, requests: tuple[SizingRequest, ...]) -> Compare:
    """Return the wish to compare `requests`, as all words of the line say it."""
    return Compare(requests=requests, **_spoken(words))


def spec_wish(words: Words, request: SpecRequest, *, checklist: bool) -> AskSpec:
    """Return the wish for the server of `request`, as all words of the line say it."""
    return AskSpec(request=request, checklist=checklist, **_spoken(words))


def spec_of_answers(
    words: Words, references: tuple[str, ...], *, says_more: bool, checklist: bool
) -> SpecOfAnswers:
    """Return the wish for a server for what past answers were asked."""
    spoken = _spoken(words)
    return SpecOfAnswers(references=references, says_more=says_more, checklist=checklist, **spoken)


def bare_checklist(words: Words) -> AskChecklist | None:
    """Return the wish for the checklist of any purchase: its verb alone."""
    is_bare = words.key(0) in CHECKLIST and all(map(_is_setting, words.keys[1:]))
    return AskChecklist(**_spoken(words)) if is_bare else None


def tender_wish(words: Words) -> AskChecklist | None:
    """Return the wish for the checklist in a line about a tender, in the language of its words.

    The line may still name a model: the caller looks for one first.
    """
    if not is_about_a_tender(words):
        return None
    spoken = _spoken(words)
    return AskChecklist(**{**spoken, "language": spoken["language"] or tender_language(words)})


def power_of(words: Words, question: PowerQuestion) -> Power:
    """Return a question about electricity, as all words of the line say it."""
    return Power(question=question, **_spoken(words))


def verb_of(words: Words) -> Command | None:
    """Return the command that the first word asks for; None where the line is a question.

    Raises InvalidRequestError for `show` and `explain` without the id of an answer.
    """
    first, rest = words.key(0), words.key(1)
    if first in HELP and (len(words) == 1 or first.startswith("-") or _is_setting(rest)):
        return Help(**_spoken(words))
    if first in {"list", "listar"} and rest in {"models", "gpus", "modelos"}:
        return LISTS[rest](query=_query(words, 2), **_spoken(words))
    if first in LISTS and not _asks_what_fits(words):
        return LISTS[first](query=_query(words, 1), **_spoken(words))
    if first in BY_REFERENCE:
        return _about_answer(BY_REFERENCE[first], words)
    if first in LATER:
        return NotAvailable(verb=LATER[first], **_spoken(words))
    return None


def _asks_what_fits(words: Words) -> bool:
    """Return whether `models that fit …` is a question about GPUs, not a search by name."""
    found = spoken_goal(words)
    return found is not None and found.goal is Goal.WHAT_FITS


def without_start(words: Words) -> Words | None:
    """Return the question behind the verb `start`; None where the line has no such verb.

    `--file` puts the model before all other words.
    """
    place = 1 if words.key(0) in words.references else 0
    if BY_REFERENCE.get(words.key(place)) is not StartAnswer or len(words) == 1:
        return None
    kept = [word for position, word in enumerate(words.typed) if position != place]
    return words_from(kept, words.references)


def started(command: Command) -> Command:
    """Return the wish to start what a question is about; a list of models starts nothing."""
    if not isinstance(command, Ask) or command.request.goal is Goal.WHAT_FITS:
        return command
    return StartAsked(
        request=command.request,
        language=command.language,
        private=command.private,
        as_json=command.as_json,
    )


def _about_answer(verb: type[ByReference], words: Words) -> Command | None:
    reference = REFERENCE.fullmatch(words.key(1))
    if reference:
        return verb(reference=f"{reference[1]}-{int(reference[2])}".upper(), **_spoken(words))
    if len(words) > 1 and not _is_setting(words.key(1)):
        return None
    raise InvalidRequestError(reason="no_reference", word=words.typed[0])


def _query(words: Words, start: int) -> str:
    return " ".join(
        words.references.get(key, typed)
        for typed, key in zip(words.typed[start:], words.keys[start:], strict=True)
        if not _is_setting(key)
    )


def _is_setting(word: str) -> bool:
    key, _, value = word.lstrip("-").partition("=")
    if key in WORD_OPTIONS["language"]:
        return bool(value)
    return word.startswith("-") and FLAGS.get(key) in {"private", "json"}


def _spoken(words: Words) -> dict[str, Any]:
    """Return language, privacy and form of answer, wherever they stand."""
    settings = [word.lstrip("-").partition("=") for word in words.keys if _is_setting(word)]
    kinds = {FLAGS.get(key) for key, _, _ in settings}
    languages = [LANGUAGES.get(value) for key, _, value in settings if value]
    return {
        "language": next(filter(None, languages), None),
        "private": "private" in kinds,
        "as_json": "json" in kinds,
    }
