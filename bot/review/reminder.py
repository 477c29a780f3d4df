"""The reply in a thread that reminds of a proposal, and whom it calls."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from bot.decision_view import DecisionView
from bot.errors import CodedError
from bot.mrkdwn import literal
from bot.reply import Reply, ReplyKind
from bot.review.card import said_message

if TYPE_CHECKING:
    from bot.decisions.directory import Directory
    from bot.decisions.records import Decision
    from bot.messages import Messages

Message = dict[str, Any]

MOST_CALLED: Final = 20
"""People, groups and conversations that a reminder names, and members of a group it calls."""


def reminder_message(
    decision: Decision, since: date, directory: Directory, messages: Messages
) -> Message:
    """Return the reminder of a proposal that waits `since` a day; it calls who may still approve.

    Never called are those who have approved this version, and the person who asks unless they may
    approve too.
    """
    code = "waits_wanted" if decision.due_on else "waits"
    sentence = messages.word(
        "reminders",
        code,
        name=decision.name,
        title=decision.title,
        since=since.isoformat(),
        wanted=decision.due_on or "",
    )
    reply = Reply(
        kind=ReplyKind.DECISION,
        markdown=f"{sentence}\n",
        language=decision.language,
        summary=sentence,
    )
    who = tuple(dict.fromkeys(_awaited(decision, directory, messages)))[:MOST_CALLED]
    missing = DecisionView(decision, directory).missing
    calls = messages.label("reminders", "review", missing=missing, who=who) if who else None
    return said_message(reply, calls)


def _awaited(decision: Decision, directory: Directory, messages: Messages) -> Iterator[str]:
    """Yield who may still approve: mentions of people and groups, names of conversations."""
    rules = decision.rules
    done = frozenset(decision.approvals)
    if not rules.may_approve_own:
        done |= {decision.requester_id}
    asked = [one for one in decision.reviewers if one not in done]
    for person in asked or rules.users:
        if person not in done and person[:1] in "UW":
            yield f"<@{person}>"
    for group in rules.groups:
        yield from _called(group, done, directory)
    for place in rules.channels:
        named = directory.name(place)
        yield literal(messages.label("decision_form", "members_of", name=named))


def _called(group: str, done: frozenset[str], directory: Directory) -> Iterator[str]:
    """Yield the mention of a group; of one that holds somebody who is done, of its other members.

    Where these are many, or not known, the group is named and nobody called.
    """
    try:
        members = directory.members(group)
    except CodedError:
        yield literal(directory.name(group))
        return
    left = sorted(members - done)
    if left and len(left) == len(members):
        yield f"<!subteam^{group}>"
    elif len(left) > MOST_CALLED:
        yield literal(directory.name(group))
    else:
        yield from (f"<@{one}>" for one in left)
