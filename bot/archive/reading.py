"""Read lines of a log from a file, and refuse what is not whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from bot.archive.lines import KINDS, SCHEMA, AnswerLine, DecisionLine, Line
from bot.decisions.life import replayed
from bot.decisions.records import Event
from bot.decisions.states import Action
from bot.errors import CodedError

_NAME, _, _VERSION = SCHEMA.partition("/")

LONGEST_FIELD: Final = 100
"""Characters of the name of a field that is wrong."""

DECIDED_ON: Final = frozenset({Action.SAVE, Action.REVISE})
"""Actions whose hashes are those of the answer they name."""


@dataclass(frozen=True)
class Numbered:
    """A line and where it stands."""

    number: int
    """Place in the file, from 1."""

    line: Line
    """The line."""


def read_lines(raw: Iterable[bytes]) -> tuple[Numbered, ...]:
    """Return the lines of a file; raise CodedError with the number of the first that is broken."""
    return tuple(
        Numbered(number, _read(number, text))
        for number, text in enumerate(raw, start=1)
        if text.strip()
    )


def check_hashes(number: int, event: Event, answer: AnswerLine) -> None:
    """Raise CodedError where an answer is not the one that an event was about."""
    if event.action not in DECIDED_ON:
        return
    hashes = (
        (event.request_hash, answer.request_json),
        (event.answer_hash, answer.answer_json),
    )
    for told, text in hashes:
        if told is not None and told != hashlib.sha256((text or "").encode()).hexdigest():
            name, decision = f"A-{answer.id}", f"D-{event.decision}"
            raise CodedError("import_hash", line=number, answer=name, decision=decision)


def _read(number: int, text: bytes) -> Line:
    told = _object(number, text)
    schema, kind = str(told.pop("schema", "")), str(told.pop("kind", ""))
    _check_schema(number, schema)
    if kind not in KINDS:
        raise CodedError("import_malformed", line=number, field="kind")
    try:
        line = KINDS[kind].model_validate(told)
    except ValidationError as error:
        field = _first_problem(error)[:LONGEST_FIELD]
        raise CodedError("import_malformed", line=number, field=field) from error
    if isinstance(line, DecisionLine):
        _check_replay(number, line)
    return line


def _object(number: int, text: bytes) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CodedError("import_not_json", line=number) from error
    if not isinstance(told, dict):
        raise CodedError("import_not_json", line=number)
    if rb"\u0000" in text and _has_nul(told):
        # No log has ever kept one, and not every store could.
        raise CodedError("import_nul", line=number)
    return told


def _has_nul(value: Any) -> bool:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        return any(map(_has_nul, (*value, *value.values())))
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _check_schema(number: int, schema: str) -> None:
    name, _, version = schema.partition("/")
    if name != _NAME or not version.isdecimal():
        raise CodedError("import_not_ours", line=number, schema=schema or "–", known=SCHEMA)
    if int(version) > int(_VERSION):
        raise CodedError("import_newer", line=number, schema=schema, known=SCHEMA)


def _check_replay(number: int, line: DecisionLine) -> None:
    events, name = line.events, line.decision.name
    in_order = [(line.decision.number, place) for place in range(1, len(events) + 1)]
    if not events or [(one.decision, one.sequence) for one in events] != in_order:
        raise CodedError("import_order", line=number, decision=name)
    if replayed(events) != line.decision:
        raise CodedError("import_replay", line=number, decision=name)


def _first_problem(error: ValidationError) -> str:
    """Return the place of the first field that is wrong: `decision.title`."""
    problem: Mapping[str, Any] = error.errors(include_url=False, include_input=False)[0]
    return ".".join(map(str, problem["loc"]))
