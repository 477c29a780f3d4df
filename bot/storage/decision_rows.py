"""What every store writes alike of decisions: columns, rows, and what an event changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.decisions.life import after
from bot.decisions.records import Decision, Event, NewEvent, Tenant
from bot.decisions.search import search_text
from bot.decisions.states import State

EVENT_COLUMNS: Final = (
    "decision_id", "sequence", "tenant", "at", "action", "user_id", "user_name", "reason",
    "answer_id", "request_hash", "answer_hash", "catalogue_digest", "package_version", "permalink",
    "details_json",
)  # fmt: skip
"""Columns of an event."""

DECISION_COLUMNS: Final = (
    "id", "tenant", "sequence", "state", "version", "title", "project", "project_key", "answer_id",
    "requester_id", "channel_id", "message_ts", "is_open", "created_at", "updated_at", "due_on",
    "superseded_by", "search_text", "decision_json",
)  # fmt: skip
"""Columns of where a decision stands."""

Person = tuple[str, str]
"""What somebody has to do with a decision, and their name in its rules."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What one event writes."""

    event: Event
    """The event, numbered."""

    before: Decision | None
    """Where the decision stood; None for its first event."""

    decision: Decision
    """Where it stands now."""

    search_text: str
    """Words that it is found by."""

    @property
    def new_people(self) -> frozenset[Person]:
        """Return who has something to do with it now and had not before."""
        return people_of(self.decision) - people_of(self.before)

    @property
    def gone_people(self) -> frozenset[Person]:
        """Return who had something to do with it and has not any more."""
        return people_of(self.before) - people_of(self.decision)

    @property
    def has_new_models(self) -> bool:
        """Return whether it is about other models than before."""
        return self.before is None or self.before.model_names != self.decision.model_names


def change_of(before: Decision | None, words: str, event: Event) -> Change:
    """Return what an event writes; `words` are those that the decision was found by."""
    decision = after(before, event)
    return Change(
        event=event,
        before=before,
        decision=decision,
        search_text=search_text(words, decision, event),
    )


def numbered(event: NewEvent, number: int, sequence: int, at: str) -> Event:
    """Return an event with its place in the log."""
    return Event(**dict(event), decision=number, sequence=sequence, at=at)


def event_row(tenant: Tenant, event: Event) -> dict[str, Any]:
    """Return what is kept of an event, by column."""
    told = event.model_dump(mode="json", exclude={"decision", "details"})
    details = event.details.model_dump_json(exclude_defaults=True)
    return told | {
        "decision_id": event.decision,
        "tenant": tenant.key,
        "details_json": details,
    }


def read_event(row: Mapping[str, Any]) -> Event:
    """Return the event of a row."""
    told = {name: row[name] for name in EVENT_COLUMNS}
    details, decision = told.pop("details_json"), told.pop("decision_id")
    del told["tenant"]
    return Event.model_validate(told | {"decision": decision, "details": json.loads(details)})


def decision_row(tenant: Tenant, change: Change) -> dict[str, Any]:
    """Return where a decision stands, by column."""
    decision = change.decision
    told = {name: getattr(decision, name) for name in DECISION_COLUMNS if hasattr(decision, name)}
    return told | {
        "id": decision.number,
        "tenant": tenant.key,
        "state": decision.state.value,
        "project_key": project_key(decision.project),
        "search_text": change.search_text,
        "decision_json": decision.model_dump_json(),
    }


def project_key(project: str | None) -> str | None:
    """Return the text that is the same for a project in any case of letters."""
    return None if project is None else " ".join(project.casefold().split())


def people_of(decision: Decision | None) -> frozenset[Person]:
    """Return who waits for a decision, whom it does not wait for, and who takes part in it."""
    if decision is None:
        return frozenset()
    rules = decision.rules
    is_waiting = decision.state is State.PROPOSED
    done = {*decision.approvals, *(() if rules.may_approve_own else (decision.requester_id,))}
    roles = {
        "waiting": {*rules.users, *rules.groups, *rules.channels} if is_waiting else set(),
        "done": done,
        "part": {decision.requester_id, *decision.reviewers, *decision.approvals, *rules.users},
    }
    return frozenset((role, one) for role, subjects in roles.items() for one in subjects)
