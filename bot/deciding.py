"""Decisions: begun from an answer, moved on by those who may, found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.commenting import Commenting
from bot.decision_details import (
    Proposal as Proposal,
)
from bot.decision_details import (
    check_subject,
    details_of,
    fingerprints_of,
    name_of,
)
from bot.decision_details import (
    models_of as models_of,
)
from bot.decision_details import (
    sight_of as sight_of,
)
from bot.decision_details import (
    tenant_of as tenant_of,
)
from bot.decisions.permission import Actor, Attempt, check, check_attempt
from bot.decisions.records import Decision, Details, Event, NewEvent, Rules
from bot.decisions.rules import check_reachable, check_reviewers, rules_for
from bot.decisions.states import Action, State
from bot.decisions.store import Wanted
from bot.errors import CodedError
from bot.text import readable
from bot.unattended import SEES_ALL
from sizing import __version__

if TYPE_CHECKING:
    from bot.archive.store import Kept
    from bot.history import History
    from bot.reply import Asker, HistoryEntry
    from bot.storage import Log

MOST_TRIES: Final = 20
"""How often an action is tried anew because another one came first."""


MOST_PROPOSALS: Final = 100
"""Open proposals that are looked through for the groups they wait for."""


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

    @property
    def comments(self) -> Commenting:
        """Return what people wrote in the threads of decisions."""
        return Commenting(self._log)

    def save(self, reference: str, proposal: Proposal, asker: Asker) -> Decision:
        """Begin a decision about a logged answer, as a draft; raise CodedError where it cannot be.

        An answer that nobody but the asker may see is opened to those who may see the decision.
        """
        entry = self._history.entry(reference, asker)
        details = details_of(proposal, entry).model_copy(
            update={
                "team_id": asker.team_id,
                "enterprise_id": asker.enterprise_id,
                "channel_id": proposal.channel_id or asker.channel_id,
                "rules": self._rules(proposal, asker),
            }
        )
        move = Move(action=Action.SAVE, answer_id=entry.answer_id, details=details)
        return self._log.begin_decision(tenant_of(asker), self._event(move, asker))

    def check_proposal(self, proposal: Proposal, asker: Asker) -> None:
        """Raise CodedError where too few would be able to approve, before anything is kept."""
        rules = self._rules(proposal, asker)
        check_reviewers(rules, proposal.reviewers, asker.directory)
        check_reachable(rules, asker.user_id, asker.directory, proposal.reviewers)

    def propose(
        self,
        number: int,
        asker: Asker,
        *,
        version: int | None = None,
        reviewers: tuple[str, ...] = (),
    ) -> Decision:
        """Put a draft before those who may approve it; raise CodedError where too few may.

        The rules are those of this moment: who was named since it was saved counts.
        """
        decision = self.decision(number, asker)
        action = Action.PROPOSE
        actor = Actor(user_id=asker.user_id, is_bot=asker.is_bot)
        attempt = Attempt(action=action, actor=actor, version=version)
        check_attempt(decision, attempt, asker.directory)
        asked = reviewers or decision.reviewers
        rules = rules_for(self.standing, asked, decision.channel_id, decision.requester_id)
        check_reviewers(rules, asked, asker.directory)
        check_reachable(rules, decision.requester_id, asker.directory, asked)
        details = Details(reviewers=reviewers, rules=rules if rules != decision.rules else None)
        return self.act(number, Move(action=action, version=version, details=details), asker)

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
            actor=Actor(user_id=asker.user_id, is_bot=is_bot or asker.is_bot),
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

    def check_may(self, number: int, move: Move, asker: Asker) -> Decision:
        """Return a decision to which somebody may do something; raise DeniedError otherwise."""
        decision = self.decision(number, asker)
        actor = Actor(user_id=asker.user_id, is_bot=asker.is_bot)
        attempt = Attempt(action=move.action, actor=actor, version=move.version)
        check_attempt(decision, attempt, asker.directory)
        return decision

    def keep_subject(self, message_ts: str, answer_id: str, asker: Asker) -> None:
        """Keep what the thread below a message is about."""
        if asker.channel_id is not None:
            self._log.keep_thread(tenant_of(asker), asker.channel_id, message_ts, answer_id)

    def subject_here(self, asker: Asker) -> str | None:
        """Return the answer that the thread is about in which the asker writes."""
        if asker.channel_id is None or asker.thread_ts is None:
            return None
        return self._log.thread_subject(tenant_of(asker), asker.channel_id, asker.thread_ts)

    def projects(self, asker: Asker) -> tuple[str, ...]:
        """Return the projects of the decisions that the asker may see, the latest used first."""
        return self._log.projects(sight_of(asker))

    def seen_answer(self, reference: str, asker: Asker) -> HistoryEntry:
        """Return an answer that can be decided on; raise CodedError where it cannot."""
        entry = self._history.entry(reference, asker)
        check_subject(entry)
        return entry

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

    def trail(self, decision: Decision) -> tuple[Event, ...]:
        """Return what happened to a decision that may be seen, oldest first."""
        return self._log.events_of(decision.number, SEES_ALL)

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

    def kept(self, answers: Sequence[int]) -> Kept:
        """Return answers by their numbers, with what hangs on them; who may see is not asked."""
        return self._log.kept(answers)

    def entry(self, decision: Decision) -> HistoryEntry:
        """Return the answer that is decided on; who may see the decision may see it."""
        return self._history.entry_of(decision.answer_id, team_id=decision.team_id)

    def _rules(self, proposal: Proposal, asker: Asker) -> Rules:
        place = proposal.channel_id or asker.channel_id
        return rules_for(self.standing, proposal.reviewers, place, asker.user_id)

    def _event(self, move: Move, asker: Asker, reason: str | None = None) -> NewEvent:
        row = None
        if move.answer_id is not None:
            row = self._log.get_answer(
                move.answer_id, team_id=asker.team_id, enterprise_id=asker.enterprise_id
            )
        return NewEvent(
            action=move.action,
            user_id=readable(asker.user_id),
            user_name=name_of(asker),
            reason=reason,
            answer_id=move.answer_id,
            package_version=__version__,
            permalink=move.permalink,
            details=move.details,
            **(fingerprints_of(row) if row else {}),
        )
