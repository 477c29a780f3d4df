"""Lines of a log that was written into a file, `gpusize-log/1`."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from bot.decisions.comments import Comment
from bot.decisions.records import Decision, Event

SCHEMA: Final = "gpusize-log/1"
"""Name and version of the form; each line says it."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class AnswerLine(_Line):
    """An answer that a decision rests on; `kind` is `answer`."""

    id: int
    """Number of its name, 12 of A-12."""

    at: str
    """Moment it was logged, ISO 8601, UTC."""

    enterprise_id: str | None
    """Slack Enterprise organisation, where there is one."""

    team_id: str | None
    """Slack workspace; None for the terminal."""

    user_id: str
    """Who asked: Slack user id, or the account name in the terminal."""

    user_name: str | None
    """Name people read."""

    channel_id: str | None
    """Slack conversation; None for the terminal."""

    transport: str
    """Way the question came in."""

    language: str
    """Language of the answer, ISO 639-1."""

    is_private: bool
    """Whether only the asker may see it."""

    question: str
    """Words as they were typed."""

    request_json: str | None
    """Question as understood: JSON as a text, whose SHA-256 is the `request_hash` of events."""

    answer_json: str | None
    """Answer: JSON as a text, whose SHA-256 is the `answer_hash` of events."""

    error_code: str | None
    """Code of the error given instead of an answer."""

    package_version: str
    """Program that answered."""

    catalogue_digest: str | None
    """Digest of the catalogue it answered from."""


class TickLine(_Line):
    """A change of an answer's checklist; `kind` is `tick`."""

    id: int
    """Number of the change; later ones are higher."""

    at: str
    """Moment of the change, ISO 8601, UTC."""

    answer_id: int
    """Number of the answer's name, 12 of A-12."""

    item_id: str
    """Item of the checklist."""

    follows: int
    """Change of that item that it follows, 0 for none."""

    user_id: str
    """Who changed it."""

    user_name: str | None
    """Name people read."""

    is_on: bool
    """Whether it was ticked, not cleared."""


class DecisionLine(_Line):
    """A decision with all that happened to it; `kind` is `decision`."""

    decision: Decision
    """Where it stands: what its events add up to."""

    events: tuple[Event, ...]
    """What happened to it, oldest first."""


class ActualLine(_Line):
    """What was measured of an answer; `kind` is `actual`."""

    id: int
    """Number of the measurement."""

    tenant: str
    """Organisation and workspace, parted by a slash."""

    at: str
    """Moment it was told, ISO 8601, UTC."""

    answer_id: str
    """Answer it is about: `A-12`."""

    decision_id: int | None
    """Number of the decision it is about, where it is about one."""

    user_id: str
    """Who measured."""

    user_name: str | None
    """Name people read."""

    measured_json: str
    """Figures: JSON as a text."""

    note: str | None
    """What they add."""

    package_version: str
    """Program that took it in."""


class CommentLine(Comment):
    """What somebody wrote in the thread of a decision; `kind` is `comment`."""


Line = AnswerLine | TickLine | DecisionLine | CommentLine | ActualLine
"""Any line."""

KINDS: Final[dict[str, type[Line]]] = {
    "answer": AnswerLine,
    "tick": TickLine,
    "decision": DecisionLine,
    "comment": CommentLine,
    "actual": ActualLine,
}
"""Records by the `kind` that a line says."""

_NAMES: Final = {record: kind for kind, record in KINDS.items()}


def line_name(line: Line) -> str:
    """Return what people call a record: `A-12`, `D-42`, `tick 7`."""
    if isinstance(line, DecisionLine):
        return line.decision.name
    if isinstance(line, AnswerLine):
        return f"A-{line.id}"
    if isinstance(line, CommentLine):
        return f"comment {line.message_ts}"
    return f"{_NAMES[type(line)]} {line.id}"


def line_json(line: Line) -> dict[str, Any]:
    """Return the object of a line."""
    return {"schema": SCHEMA, "kind": _NAMES[type(line)], **line.model_dump(mode="json")}


def written(line: Line) -> bytes:
    """Return a line as it stands in the file."""
    # ASCII: a line separator of Unicode inside a text would end the line for some readers.
    return json.dumps(line_json(line), separators=(",", ":")).encode() + b"\n"
