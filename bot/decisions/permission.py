"""Whether somebody may do something to a decision now, and the sentence that says why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.decisions.directory import NAMELESS, Directory
from bot.decisions.records import LONGEST_REASON, SHORTEST_REASON, Decision, Rules
from bot.decisions.states import APPROVERS, ENDED, FROM, REASONED, REQUESTERS, Action, State
from bot.errors import CodedError

WORDS: Final = {
    State.DRAFT: "decision_draft",
    State.PROPOSED: "decision_proposed",
    State.CHANGES_REQUESTED: "decision_changes_requested",
    State.APPROVED: "decision_approved",
    State.REJECTED: "decision_rejected",
    State.WITHDRAWN: "decision_withdrawn",
    State.SUPERSEDED: "decision_superseded",
}
"""Codes of the words that say a state inside a sentence."""

NEXT: Final = {
    State.DRAFT: "decision_draft_next",
    State.PROPOSED: "decision_proposed_next",
    State.CHANGES_REQUESTED: "decision_changes_requested_next",
}
"""Codes of the words that say what may follow a state."""

MOST_NAMED: Final = 5
"""People, groups and conversations that a sentence names."""


@dataclass(frozen=True, kw_only=True)
class Actor:
    """Who acts."""

    user_id: str
    """Slack user id, or the account name in the terminal."""

    is_bot: bool = False
    """Whether it is a program: those never decide."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What somebody tries to do."""

    action: Action
    """What."""

    actor: Actor
    """Who."""

    version: int | None = None
    """Version that the clicked message showed; None for words."""

    reason: str | None = None
    """Why, in their words."""


class DeniedError(CodedError):
    """Somebody may not do this now; the values say who may, or what came first."""


def check(decision: Decision, attempt: Attempt, directory: Directory = NAMELESS) -> None:
    """Raise DeniedError where the attempt is not allowed now, CodedError for a bad reason."""
    check_attempt(decision, attempt, directory)
    if attempt.action in REASONED:
        check_reason(attempt.reason, attempt.action)


def check_attempt(decision: Decision, attempt: Attempt, directory: Directory = NAMELESS) -> None:
    """Raise DeniedError where the attempt is not allowed now, whatever its reason."""
    action, actor = attempt.action, attempt.actor
    if actor.is_bot:
        raise DeniedError("bots_never_decide", name=decision.name)
    _check_state(decision, attempt, directory)
    if action is Action.REMIND and decision.reminded_at is not None:
        raise DeniedError("reminded_already", name=decision.name)
    if action in REQUESTERS and actor.user_id != decision.requester_id:
        requester = directory.name(decision.requester_id)
        raise DeniedError("only_requester", name=decision.name, requester=requester)
    if action in APPROVERS:
        _check_approver(decision, action, actor, directory)
    if action is Action.SUPERSEDE and actor.user_id != decision.requester_id:
        _check_is_approver(decision, actor, directory)


def check_reason(reason: str | None, action: Action = Action.REJECT) -> None:
    """Raise CodedError where a reason is missing, too short or too long."""
    length = len((reason or "").strip())
    if not length:
        is_replaced = action is Action.SUPERSEDE
        raise CodedError("reason_missing_supersede" if is_replaced else "reason_missing")
    if not SHORTEST_REASON <= length <= LONGEST_REASON:
        raise CodedError("reason_length", least=SHORTEST_REASON, most=LONGEST_REASON)


def approvers_of(rules: Rules, directory: Directory) -> frozenset[str]:
    """Return the ids of all who may approve under these rules."""
    grouped = (directory.members(subject) for subject in (*rules.groups, *rules.channels))
    return frozenset(rules.users).union(*grouped)


def _check_state(decision: Decision, attempt: Attempt, directory: Directory) -> None:
    allowed = FROM.get(attempt.action)
    if attempt.version is not None and attempt.version < decision.version:
        raise DeniedError("inputs_changed", name=decision.name, version=decision.version)
    if allowed is None or decision.state in allowed:
        return
    state = WORDS[decision.state]
    if decision.state in ENDED or decision.state is State.APPROVED:
        who = decision.decided_name or directory.name(decision.decided_by or "")
        raise DeniedError("already_decided", name=decision.name, state=state, who=who)
    raise DeniedError("not_in_state", name=decision.name, state=state, next=NEXT[decision.state])


def _check_approver(decision: Decision, action: Action, actor: Actor, directory: Directory) -> None:
    is_own = actor.user_id == decision.requester_id
    if is_own and not decision.rules.may_approve_own:
        who = who_may(decision, directory)
        raise DeniedError("never_your_own", name=decision.name, who=who)
    _check_is_approver(decision, actor, directory)
    if action is Action.APPROVE and actor.user_id in decision.approvals:
        raise DeniedError("approved_already", name=decision.name)


def _check_is_approver(decision: Decision, actor: Actor, directory: Directory) -> None:
    if actor.user_id not in approvers_of(decision.rules, directory):
        who = who_may(decision, directory)
        raise DeniedError("not_an_approver", name=decision.name, who=who)


def who_may(decision: Decision, directory: Directory) -> tuple[str, ...]:
    """Return the names of those who may approve, the first of them; a dash where nobody may."""
    rules = decision.rules
    is_own = rules.may_approve_own
    users = (one for one in rules.users if is_own or one != decision.requester_id)
    subjects = (*rules.groups, *rules.channels, *users)[:MOST_NAMED]
    return tuple(map(directory.name, subjects)) or ("–",)
