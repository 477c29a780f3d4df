"""Decisions: begun from an answer, moved on by those who may, found again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.decisions.permission import Actor, Attempt, check
from bot.decisions.records import (
    LONGEST_PROJECT,
    LONGEST_TITLE,
    Decision,
    Details,
    Event,
    NewEvent,
    Rules,
    Tenant,
)
from bot.decisions.rules import check_reachable, check_reviewers, rules_for
from bot.decisions.states import Action, State
from bot.decisions.store import Sight, Wanted
from bot.errors import CodedError
from bot.reply import Transport
from bot.text import readable
from sizing import __version__
from sizing.answer import SizingAnswer
from sizing.spec.answer import Spec

if TYPE_CHECKING:
    from bot.history import History
    from bot.reply import Asker, HistoryEntry
    from bot.storage import Log, LoggedAnswer

MOST_TRIES: Final = 20
"""How often an action is tried anew because another one came first."""


MOST_PROPOSALS: Final = 100
"""Open proposals that are looked through for the groups they wait for."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What somebody says about a decision that they save or propose."""

    title: str = ""
    """What is decided; empty to let the answer name it."""

    project: str | None = None
    """Project it belongs to."""

    note: str | None = None
    """What they add."""

    reviewers: tuple[str, ...] = ()
    """People asked to review."""

    due_on: str | None = None
    """Day by which it is wanted, ISO 8601."""

    is_open: bool = False
    """Whether everybody of the workspace may see it."""

    language: str | None = None
    """Language of its thread; None for that of the answer."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """What somebody does to a decision."""

    action: Action
    """What."""

    version: int | None = None
    """Version that the clicked message showed; None for words."""

    reason: str | None = None
    """Why, in their words."""

    answer_id: str | None = None
    """Answer that the decision is now about."""

    permalink: str | None = None
    """Address of the message it stands in."""

    details: Details = field(default_factory=Details)
    """What only this action carries."""


class Deciding:
    """Begins decisions and moves them on; who may do what is checked here, once for all doors."""

    def __init__(
        self, history: History, log: Log, *, standing: Callable[[], Rules] | None = None
    ) -> None:
        self._history = history
        self._log = log
        self._standing = standing

    @property
    def standing(self) -> Rules | None:
        """Return the rules that hold for all decisions, where there are any."""
        return self._standing() if self._standing else None

    def save(self, reference: str, proposal: Proposal, asker: Asker) -> Decision:
        """Begin a decision about a logged answer, as a draft; raise CodedError where it cannot be.

        An answer that nobody but the asker may see is opened to those who may see the decision.
        """
        entry = self._history.entry(reference, asker)
        details = _details(proposal, entry).model_copy(
            update={
                "team_id": asker.team_id,
                "enterprise_id": asker.enterprise_id,
                "channel_id": asker.channel_id,
                "rules": rules_for(self.standing, proposal.reviewers, asker.channel_id),
            }
        )
        move = Move(action=Action.SAVE, answer_id=entry.answer_id, details=details)
        return self._log.begin_decision(tenant_of(asker), self._event(move, asker))

    def propose(self, number: int, asker: Asker, *, version: int | None = None) -> Decision:
        """Put a draft before those who may approve it; raise CodedError where too few may."""
        decision = self.decision(number, asker)
        check_reviewers(decision.rules, decision.reviewers, asker.directory)
        check_reachable(decision.rules, decision.requester_id, asker.directory)
        return self.act(number, Move(action=Action.PROPOSE, version=version), asker)

    def revise(self, number: int, reference: str, asker: Asker, *, reason: str = "") -> Decision:
        """Put another answer in the place of the one decided on, as a new version."""
        entry = self._history.entry(reference, asker)
        details = Details(question=entry.question, model_names=models_of(entry))
        move = Move(
            action=Action.REVISE,
            answer_id=entry.answer_id,
            details=details,
            reason=reason or None,
        )
        return self.act(number, move, asker)

    def supersede(self, number: int, by: int, reason: str, asker: Asker) -> Decision:
        """Put an approved decision in the place of another one; raise CodedError otherwise."""
        other = self.decision(by, asker)
        if by == number or other.state is not State.APPROVED:
            raise CodedError("only_approved_supersede", name=other.name)
        move = Move(action=Action.SUPERSEDE, reason=reason, details=Details(superseded_by=by))
        return self.act(number, move, asker)

    def act(
        self,
        number: int,
        move: Move,
        asker: Asker,
        *,
        is_bot: bool = False,
    ) -> Decision:
        """Do something to a decision, and return where that leads; raise CodedError if denied.

        Of two at once one comes first; the other is judged anew by what that one has left.
        """
        reason = readable(move.reason).strip() if move.reason else None
        attempt = Attempt(
            action=move.action,
            actor=Actor(user_id=asker.user_id, is_bot=is_bot),
            version=move.version,
            reason=reason,
        )
        for _ in range(MOST_TRIES):
            decision = self.decision(number, asker)
            check(decision, attempt, asker.directory)
            event = self._event(move, asker, reason=reason)
            moved = self._log.add_event(decision.tenant, number, event, follows=decision.sequence)
            if moved is not None:
                return moved
        raise CodedError("decision_busy")

    def note(self, number: int, move: Move, asker: Asker) -> Decision:
        """Add what changes no state: a place, a reminder, a re-check, a measurement."""
        return self.act(number, move, asker)

    def decision(self, number: int, asker: Asker) -> Decision:
        """Return a decision; raise CodedError where there is none to see."""
        found = self._log.get_decision(number, sight_of(asker))
        if found is None:
            raise CodedError("unknown_decision", word=f"D-{number}")
        return found

    def here(self, asker: Asker) -> Decision | None:
        """Return the decision whose thread the asker writes in."""
        if asker.channel_id is None or asker.thread_ts is None:
            return None
        return self._log.decision_at(tenant_of(asker), asker.channel_id, asker.thread_ts)

    def events(self, number: int, asker: Asker) -> tuple[Event, ...]:
        """Return what happened to a decision, oldest first."""
        return self._log.events_of(number, sight_of(asker))

    def found(self, wanted: Wanted, asker: Asker) -> tuple[Decision, ...]:
        """Return the decisions that the asker may see, newest first."""
        return self._log.find_decisions(wanted, sight_of(asker))

    def proposed_to(self, asker: Asker, *, limit: int) -> tuple[str, ...]:
        """Return the groups and conversations that open proposals wait for, the latest first."""
        wanted = Wanted(states=frozenset({State.PROPOSED}), limit=MOST_PROPOSALS)
        found = (one.rules for one in self.found(wanted, asker))
        subjects = dict.fromkeys(
            subject for rules in found for subject in (*rules.groups, *rules.channels)
        )
        return tuple(subjects)[:limit]

    def projects(self, asker: Asker) -> tuple[str, ...]:
        """Return the names of projects in use among what the asker may see."""
        return self._log.projects(sight_of(asker))

    def entry(self, decision: Decision) -> HistoryEntry:
        """Return the answer that is decided on; who may see the decision may see it."""
        return self._history.entry_of(decision.answer_id, team_id=decision.team_id)

    def _event(self, move: Move, asker: Asker, reason: str | None = None) -> NewEvent:
        row = None
        if move.answer_id is not None:
            row = self._log.get_answer(
                move.answer_id, team_id=asker.team_id, enterprise_id=asker.enterprise_id
            )
        return NewEvent(
            action=move.action,
            user_id=readable(asker.user_id),
            user_name=asker.user_name and readable(asker.user_name),
            reason=reason,
            answer_id=move.answer_id,
            package_version=__version__,
            permalink=move.permalink,
            details=move.details,
            **(_fingerprints(row) if row else {}),
        )


def tenant_of(asker: Asker) -> Tenant:
    """Return whose log an asker writes in."""
    return Tenant(asker.team_id, asker.enterprise_id)


def sight_of(asker: Asker) -> Sight:
    """Return what an asker sees; the owner of the terminal sees all."""
    if asker.transport is Transport.TERMINAL:
        return Sight(tenant=None)
    return Sight(tenant=tenant_of(asker), viewer=asker.user_id, channel_id=asker.channel_id)


def _fingerprints(row: LoggedAnswer) -> dict[str, str | None]:
    return {
        "request_hash": _sha256(row.request_json),
        "answer_hash": _sha256(row.answer_json),
        "catalogue_digest": row.catalogue_digest,
    }


def _sha256(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()


def _details(proposal: Proposal, entry: HistoryEntry) -> Details:
    if not isinstance(entry.answer, SizingAnswer | Spec):
        raise CodedError("lists_models", word=entry.answer_id)
    title = " ".join(readable(proposal.title).split()) or entry.question
    return Details(
        title=title[:LONGEST_TITLE],
        project=_project(proposal.project),
        note=readable(proposal.note).strip() or None if proposal.note else None,
        question=readable(entry.question),
        model_names=models_of(entry),
        reviewers=proposal.reviewers,
        due_on=proposal.due_on,
        is_open=proposal.is_open,
        language=proposal.language or entry.language,
    )


def _project(text: str | None) -> str | None:
    return " ".join(readable(text).split())[:LONGEST_PROJECT] or None if text else None


def models_of(entry: HistoryEntry) -> tuple[str, ...]:
    """Return the catalogue ids and names of the models that an answer is about."""
    answer = entry.answer
    parts = answer.workloads if isinstance(answer, Spec) else (answer,)
    sized = [getattr(part, "answer", part) for part in parts]
    names = (
        name
        for one in sized
        if isinstance(one, SizingAnswer)
        for name in (one.understood.model_id, one.understood.model)
    )
    return tuple(dict.fromkeys(filter(None, names)))
