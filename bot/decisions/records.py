"""Records of a decision: who may approve it, what happened to it, where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bot.decisions.states import Action, State

SHORTEST_REASON, LONGEST_REASON = 10, 1000
"""Characters of a reason."""

LONGEST_TITLE = 120
"""Characters of a title."""

LONGEST_PROJECT = 60
"""Characters of a project's name."""


@dataclass(frozen=True)
class Tenant:
    """Whose log it is: no row of one is ever read or changed for another."""

    team_id: str | None = None
    """Slack workspace; None for the terminal."""

    enterprise_id: str | None = None
    """Slack Enterprise organisation, where there is one."""

    @property
    def key(self) -> str:
        """Return the text that stands for it in every key of the log."""
        return f"{self.enterprise_id or ''}/{self.team_id or ''}"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Rules(_Record):
    """Who may approve, and how many have to."""

    users: tuple[str, ...] = ()
    """People by their ids."""

    groups: tuple[str, ...] = ()
    """Slack user groups whose members may."""

    channels: tuple[str, ...] = ()
    """Slack conversations whose members may."""

    needed: int = Field(default=1, ge=1)
    """Approvals that a proposal needs."""

    may_approve_own: bool = False
    """Whether the person who asks may approve too."""


class Details(_Record):
    """What only some actions carry."""

    team_id: str | None = None
    """Slack workspace it begins in; None for the terminal."""

    enterprise_id: str | None = None
    """Slack Enterprise organisation it begins in, where there is one."""

    title: str | None = None
    """What is decided, in a few words."""

    project: str | None = None
    """Project it belongs to."""

    note: str | None = None
    """What the requester adds."""

    question: str | None = None
    """Words of the question behind it."""

    model_names: tuple[str, ...] = ()
    """Catalogue ids and names of the models it is about."""

    reviewers: tuple[str, ...] = ()
    """People asked to review."""

    due_on: str | None = None
    """Day by which it is wanted, ISO 8601."""

    rules: Rules | None = None
    """Who may approve."""

    channel_id: str | None = None
    """Slack conversation of its thread."""

    message_ts: str | None = None
    """Message that begins its thread."""

    is_open: bool | None = None
    """Whether everybody of the workspace may see it."""

    language: str | None = None
    """Language of its thread, ISO 639-1."""

    superseded_by: int | None = None
    """Number of the decision that replaces it."""

    data: dict[str, Any] | None = None
    """Figures that a re-check or a measurement leaves, as JSON."""


class NewEvent(_Record):
    """What somebody does to a decision, before the log has numbered it."""

    action: Action
    """What is done."""

    user_id: str
    """Who does it: Slack user id, or the account name in the terminal."""

    user_name: str | None = None
    """Name people read."""

    reason: str | None = None
    """Why, in their words."""

    answer_id: str | None = None
    """Answer that is decided on: `A-12`."""

    request_hash: str | None = None
    """SHA-256 of the question as understood, hexadecimal."""

    answer_hash: str | None = None
    """SHA-256 of the answer, hexadecimal."""

    catalogue_digest: str | None = None
    """Digest of the catalogue of the answer, or of the re-check."""

    package_version: str
    """Program that wrote it."""

    permalink: str | None = None
    """Address of the message it stands in."""

    details: Details = Details()
    """What only this action carries."""


class Event(NewEvent):
    """What happened to a decision, as the log keeps it."""

    decision: int
    """Number of the decision."""

    sequence: int
    """Place among the events of that decision, from 1."""

    at: str
    """Moment, ISO 8601, UTC."""


class Decision(_Record):
    """Where a decision stands: its events, added up."""

    number: int
    """Number of its name: 42 of D-42."""

    team_id: str | None
    """Slack workspace; None for the terminal."""

    enterprise_id: str | None
    """Slack Enterprise organisation, where there is one."""

    sequence: int
    """Events so far; a change names the one it follows."""

    state: State
    """Where it stands."""

    version: int
    """Version of what is decided on, from 1."""

    title: str
    """What is decided, in a few words."""

    project: str | None
    """Project it belongs to."""

    note: str | None
    """What the requester added."""

    question: str
    """Words of the question behind it."""

    model_names: tuple[str, ...]
    """Catalogue ids and names of the models it is about."""

    answer_id: str
    """Answer that is decided on: `A-12`."""

    request_hash: str
    """SHA-256 of the question as understood, hexadecimal."""

    answer_hash: str
    """SHA-256 of the answer, hexadecimal."""

    catalogue_digest: str | None
    """Digest of the catalogue of the answer."""

    requester_id: str
    """Who asks for the decision."""

    requester_name: str | None
    """Name people read."""

    rules: Rules
    """Who may approve."""

    reviewers: tuple[str, ...]
    """People asked to review."""

    approvals: tuple[str, ...]
    """Who has approved this version."""

    decided_by: str | None
    """Who took the last action that changed the state."""

    decided_name: str | None
    """Name people read."""

    reason: str | None
    """Reason given with that action."""

    due_on: str | None
    """Day by which it is wanted, ISO 8601."""

    superseded_by: int | None
    """Number of the decision that replaces it."""

    channel_id: str | None
    """Slack conversation of its thread."""

    message_ts: str | None
    """Message that begins its thread."""

    permalink: str | None
    """Address of its thread, where Slack has told it."""

    is_open: bool
    """Whether everybody of the workspace may see it."""

    language: str
    """Language of its thread, ISO 639-1."""

    reminded_at: str | None
    """Moment of the reminder, ISO 8601, UTC."""

    created_at: str
    """Moment of its first event, ISO 8601, UTC."""

    updated_at: str
    """Moment of its last event, ISO 8601, UTC."""

    @property
    def name(self) -> str:
        """Return the name people read: D-42."""
        return decision_name(self.number)

    @property
    def tenant(self) -> Tenant:
        """Return whose log it stands in."""
        return Tenant(self.team_id, self.enterprise_id)


def decision_name(number: int) -> str:
    """Return the name people read: D-42."""
    return f"D-{number}"
