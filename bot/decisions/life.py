"""The life of a decision: its events, added up one by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from bot.decisions.records import Decision, Event, Rules
from bot.decisions.states import Action, State

STATE_AFTER: Final = {
    Action.PROPOSE: State.PROPOSED,
    Action.REJECT: State.REJECTED,
    Action.ASK_CHANGES: State.CHANGES_REQUESTED,
    Action.WITHDRAW: State.WITHDRAWN,
    Action.SUPERSEDE: State.SUPERSEDED,
}
"""State that an action leads to, whatever was before."""


def replayed(events: Iterable[Event]) -> Decision:
    """Return where the decision of these events stands; raise ValueError without any."""
    decision: Decision | None = None
    for event in events:
        decision = after(decision, event)
    if decision is None:
        raise ValueError("a decision without an event")
    return decision


def after(decision: Decision | None, event: Event) -> Decision:
    """Return where a decision stands after one more event; its first one begins it."""
    if decision is None:
        return _begun(event)
    changed: dict[str, Any] = {"sequence": event.sequence, "updated_at": event.at}
    changed |= _told(event)
    match event.action:
        case Action.APPROVE:
            changed |= _approved(decision, event)
        case Action.REVISE:
            changed |= _revised(decision, event)
        case Action.REMIND:
            changed |= {"reminded_at": event.at}
        case Action.SUPERSEDE:
            changed |= _decided(event) | {"superseded_by": event.details.superseded_by}
        case action if action in STATE_AFTER:
            changed |= _decided(event)
    return decision.model_copy(update=changed)


def _begun(event: Event) -> Decision:
    details = event.details
    return Decision(
        number=event.decision,
        team_id=details.team_id,
        enterprise_id=details.enterprise_id,
        sequence=event.sequence,
        state=State.DRAFT,
        version=1,
        title=details.title or "",
        project=details.project,
        note=details.note,
        question=details.question or "",
        model_names=details.model_names,
        answer_id=event.answer_id or "",
        request_hash=event.request_hash or "",
        answer_hash=event.answer_hash or "",
        catalogue_digest=event.catalogue_digest,
        requester_id=event.user_id,
        requester_name=event.user_name,
        rules=details.rules or Rules(),
        reviewers=details.reviewers,
        approvals=(),
        decided_by=event.user_id,
        decided_name=event.user_name,
        reason=None,
        due_on=details.due_on,
        superseded_by=None,
        channel_id=details.channel_id,
        message_ts=details.message_ts,
        permalink=event.permalink if details.message_ts else None,
        is_open=bool(details.is_open),
        language=details.language or "en",
        reminded_at=None,
        created_at=event.at,
        updated_at=event.at,
    )


_PLACED = ("channel_id", "message_ts", "is_open", "language")
_WORDED = ("title", "project", "note", "due_on", "rules")


def _told(event: Event) -> dict[str, Any]:
    """Return what an event says anew of the place, and with a proposal of its words."""
    names: tuple[str, ...] = ()
    if event.action in {Action.PLACE, Action.PROPOSE, Action.REVISE}:
        names = _PLACED
    if event.action in {Action.PROPOSE, Action.REVISE}:
        names = (*names, *_WORDED)
    told = {name: getattr(event.details, name) for name in names}
    kept = {name: value for name, value in told.items() if value is not None}
    if event.permalink and event.details.message_ts:
        kept["permalink"] = event.permalink
    if event.details.reviewers and event.action in {Action.PROPOSE, Action.REVISE}:
        kept["reviewers"] = event.details.reviewers
    return kept


def _decided(event: Event) -> dict[str, Any]:
    return {
        "state": STATE_AFTER[event.action],
        "decided_by": event.user_id,
        "decided_name": event.user_name,
        "reason": event.reason,
    }


def _approved(decision: Decision, event: Event) -> dict[str, Any]:
    approvals = (*decision.approvals, event.user_id)
    changed: dict[str, Any] = {"approvals": approvals}
    if len(approvals) < decision.rules.needed:
        return changed
    return changed | {
        "state": State.APPROVED,
        "decided_by": event.user_id,
        "decided_name": event.user_name,
        "reason": event.reason,
    }


def _revised(decision: Decision, event: Event) -> dict[str, Any]:
    """Return a new version: what was approved of the one before does not count for it."""
    is_draft = decision.state is State.DRAFT
    return {
        "version": decision.version if is_draft else decision.version + 1,
        "state": State.DRAFT if is_draft else State.PROPOSED,
        "approvals": (),
        "answer_id": event.answer_id or decision.answer_id,
        "request_hash": event.request_hash or decision.request_hash,
        "answer_hash": event.answer_hash or decision.answer_hash,
        "catalogue_digest": event.catalogue_digest or decision.catalogue_digest,
        "question": event.details.question or decision.question,
        "model_names": event.details.model_names or decision.model_names,
        "decided_by": event.user_id,
        "decided_name": event.user_name,
        "reason": event.reason,
        "reminded_at": None,
    }
