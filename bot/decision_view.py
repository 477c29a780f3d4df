"""What a page about a decision shows: names instead of ids, and what may be done next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.decisions.comments import Comment
from bot.decisions.directory import Directory
from bot.decisions.life import after
from bot.decisions.permission import MOST_NAMED, approvers_of
from bot.decisions.records import Decision, Event
from bot.decisions.states import ENDED, Action, State

MARKS = {
    State.DRAFT: "✏️",
    State.PROPOSED: "🕓",
    State.CHANGES_REQUESTED: "🔁",
    State.APPROVED: "✅",
    State.REJECTED: "❌",
    State.WITHDRAWN: "↩️",
    State.SUPERSEDED: "➡️",
}
"""Sign before the word of a state, which says the same."""

NEXT = {
    State.DRAFT: (Action.PROPOSE, Action.WITHDRAW),
    State.PROPOSED: (Action.APPROVE, Action.REJECT, Action.ASK_CHANGES, Action.WITHDRAW),
    State.CHANGES_REQUESTED: (Action.REJECT, Action.WITHDRAW),
    State.APPROVED: (Action.SUPERSEDE,),
}
"""What may be done in each state, in the order of its buttons."""

MOST_COMMENTS = 20
"""Comments that the page of a decision lists; its minutes list all."""


@dataclass(frozen=True)
class EventView:
    """One event as a page lists it."""

    event: Event
    """What happened."""

    who: str
    """Name of who did it."""

    @property
    def code(self) -> str:
        """Return the code of its sentence."""
        return self.event.action.value

    @property
    def at(self) -> datetime:
        """Return its moment, with the time zone."""
        return datetime.fromisoformat(self.event.at)

    @property
    def reason(self) -> str:
        """Return the reason given, empty without one."""
        return self.event.reason or ""


@dataclass(frozen=True)
class CommentView:
    """One comment as a page lists it."""

    comment: Comment
    """The comment."""

    who: str
    """Name of who wrote it."""

    @property
    def at(self) -> datetime:
        """Return its moment, with the time zone."""
        return datetime.fromisoformat(self.comment.at)


@dataclass(frozen=True)
class DecisionView:
    """One decision as a page shows it."""

    decision: Decision
    """Where it stands."""

    directory: Directory
    """Knows the names."""

    events: Sequence[Event] = ()
    """What happened to it, oldest first; none where the page does not list that."""

    trail: Sequence[Event] = ()
    """The same of a page that does not list them, to say since when it stands so."""

    comments: Sequence[Comment] = ()
    """What people wrote in its thread, oldest first."""

    @property
    def mark(self) -> str:
        """Return the sign of its state."""
        return MARKS[self.decision.state]

    @property
    def requester(self) -> str:
        """Return the name of who asks."""
        return self.decision.requester_name or self.directory.name(self.decision.requester_id)

    @property
    def decided_by(self) -> str:
        """Return the name of who took the last action that changed the state."""
        named = self.decision.decided_name
        return named or self.directory.name(self.decision.decided_by or "")

    @property
    def approvers(self) -> tuple[str, ...]:
        """Return the names of those who may approve, the first of them."""
        rules = self.decision.rules
        subjects = (*rules.groups, *rules.channels, *rules.users)[:MOST_NAMED]
        return tuple(map(self.directory.name, subjects))

    @property
    def is_approvable(self) -> bool:
        """Return whether the rules name anybody who may approve, beside who asks."""
        rules, requester = self.decision.rules, self.decision.requester_id
        others = {*rules.users} - (set() if rules.may_approve_own else {requester})
        return bool(rules.groups or rules.channels or others)

    @property
    def more_approvers(self) -> int:
        """Return how many may approve beside those who are named."""
        rules = self.decision.rules
        return max(0, len((*rules.groups, *rules.channels, *rules.users)) - MOST_NAMED)

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Return the names of those who are asked to review."""
        return tuple(map(self.directory.name, self.decision.reviewers))

    @property
    def approved_by(self) -> tuple[str, ...]:
        """Return the names of those who have approved this version."""
        return tuple(map(self.directory.name, self.decision.approvals))

    @property
    def missing(self) -> int:
        """Return how many approvals this version still lacks."""
        return max(0, self.decision.rules.needed - len(self.decision.approvals))

    @property
    def is_ended(self) -> bool:
        """Return whether nothing leads out of its state."""
        return self.decision.state in ENDED

    @property
    def created_at(self) -> datetime:
        """Return the moment of its first event, with the time zone."""
        return datetime.fromisoformat(self.decision.created_at)

    @property
    def stands_since(self) -> datetime:
        """Return the moment of the event that led to its state and version, with the time zone.

        Without its events it is that of the last one.
        """
        stood: Decision | None = None
        since = self.decision.updated_at
        for event in self.trail or self.events:
            now = after(stood, event)
            if stood is None or (now.state, now.version) != (stood.state, stood.version):
                since = event.at
            stood = now
        return datetime.fromisoformat(since)

    @property
    def fingerprint(self) -> str:
        """Return the start of the hash of the answer: what is approved can be told by it."""
        return self.decision.answer_hash[:12]

    @property
    def next_actions(self) -> tuple[Action, ...]:
        """Return what may be done now, whoever may do it."""
        return NEXT.get(self.decision.state, ())

    @property
    def rows(self) -> tuple[EventView, ...]:
        """Return what happened, oldest first."""
        return tuple(
            EventView(event, event.user_name or self.directory.name(event.user_id))
            for event in self.events
        )

    @property
    def said(self) -> tuple[CommentView, ...]:
        """Return the comments, oldest first."""
        return tuple(
            CommentView(one, one.user_name or self.directory.name(one.user_id))
            for one in self.comments
        )

    @property
    def last_said(self) -> tuple[CommentView, ...]:
        """Return the latest comments, oldest first."""
        return self.said[-MOST_COMMENTS:]

    @property
    def earlier_comments(self) -> int:
        """Return how many came before the latest ones."""
        return max(0, len(self.comments) - MOST_COMMENTS)


def waiting_people(decision: Decision, directory: Directory) -> frozenset[str]:
    """Return the ids of the people that a proposal waits for."""
    if decision.state is not State.PROPOSED:
        return frozenset()
    done = {*decision.approvals}
    if not decision.rules.may_approve_own:
        done.add(decision.requester_id)
    return approvers_of(decision.rules, directory) - done
