"""What a line that saves or proposes is about: the answer, the decision, who reviews it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sizing.errors import InvalidRequestError

DECISION: Final = re.compile(r"d-?([1-9]\d{0,11})", re.IGNORECASE | re.ASCII)
ANSWER: Final = re.compile(r"a-?([1-9]\d{0,11})", re.IGNORECASE | re.ASCII)

_FOR: Final = frozenset({"for", "as", "in", "with", "para", "como", "en", "con"})
_MENTION: Final = r"<@[^<>]*>"
_KEY: Final = r"-*(?:reviewers?|revisor(?:es|as?)?)="
_REVIEWERS: Final = re.compile(
    rf"(?<!\S){_KEY}((?:{_MENTION}|@?[\w.-]+)(?:\s*,\s*(?:{_MENTION}|@?[\w.-]+)|\s*{_MENTION})*)",
    re.IGNORECASE,
)
_ONE: Final = re.compile(r"<@([^<>|]*)[^<>]*>|@?([\w.-]+)")
_PROJECT: Final = re.compile(r"-*(?:project|proyecto)=(\S+)", re.IGNORECASE)
_UNSAID: Final = re.compile(rf"(?:-*(?:project|proyecto)=|{_KEY})", re.IGNORECASE)


@dataclass(frozen=True)
class Subject:
    """What a line is about, and the words that are left."""

    words: tuple[str, ...]
    """Words that say none of the rest: a title."""

    answer: str | None
    """Id of the answer."""

    number: int | None
    """Number of the decision."""

    project: str | None
    """Project."""

    reviewers: tuple[str, ...]
    """People asked to review."""


def without_reviewers(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a line without `reviewers=…`, and who is named there."""
    named = [
        mentioned or typed
        for found in _REVIEWERS.findall(text)
        for mentioned, typed in _ONE.findall(found)
    ]
    return _REVIEWERS.sub(" ", text), tuple(dict.fromkeys(named))


def subject_of(rest: Sequence[str], reviewers: tuple[str, ...]) -> Subject:
    """Read `A-42 for D-4 Title project=Atlas`; raise InvalidRequestError for an empty option."""
    for word in filter(_UNSAID.fullmatch, rest):
        raise InvalidRequestError(reason="option_unsaid", word=word)
    projects = [found[1] for word in rest if (found := _PROJECT.fullmatch(word))]
    words = [word for word in rest if not _PROJECT.fullmatch(word)]
    answer = number = None
    while words:
        skipped = 1 if words[0].lower() in _FOR and (answer or number) and len(words) > 1 else 0
        named = words[skipped].rstrip(":,")
        if answer is None and (found := ANSWER.fullmatch(named)):
            answer = f"A-{int(found[1])}"
        elif number is None and (found := DECISION.fullmatch(named)):
            number = int(found[1])
        else:
            break
        words = words[skipped + 1 :]
    return Subject(tuple(words), answer, number, projects[-1] if projects else None, reviewers)
