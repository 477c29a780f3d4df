"""The first message of a decision's thread, and the replies below it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from bot.blocks import MESSAGE_BLOCKS, fitting, to_message
from bot.decisions.permission import MOST_NAMED
from bot.decisions.states import Action
from bot.mrkdwn import literal
from bot.review.buttons import button_block

if TYPE_CHECKING:
    from bot.decisions.directory import Directory
    from bot.decisions.records import Decision
    from bot.messages import Messages
    from bot.reply import Reply

Message = dict[str, Any]

CALLS: Final = frozenset({Action.PROPOSE, Action.REVISE})
"""Actions after which those who may approve are called, once."""


def card_message(page: Reply, answer: Reply | None, messages: Messages) -> Message:
    """Return the message of a decision: its page, its buttons, and the answer as far as it fits."""
    decision = page.decision
    assert decision is not None  # noqa: S101 (pages of decisions carry theirs)
    card = to_message(replace(page, actions=()))
    blocks: list[Any] = [*_listed(card), button_block(decision, messages)]
    if answer is not None:
        below = to_message(answer)
        rest = [{"type": "divider"}, *_listed(below)]
        blocks = fitting([*blocks, *rest], MESSAGE_BLOCKS)
    return {"text": card["text"], "blocks": blocks}


def said_message(reply: Reply, calls: str | None = None) -> Message:
    """Return one reply in a thread; `calls` is who is called to review, as Slack's mentions."""
    message = to_message(reply)
    if calls is None:
        return message
    section = {"type": "section", "text": {"type": "mrkdwn", "text": calls, "verbatim": True}}
    return {"text": message["text"], "blocks": [*_listed(message), section]}


def calls_of(decision: Decision, directory: Directory, messages: Messages) -> str:
    """Return who is asked to review: people and groups are called, conversations only named."""
    rules = decision.rules
    people = decision.reviewers or rules.users
    asked = [one for one in people if rules.may_approve_own or one != decision.requester_id]
    called = (
        *(f"<@{one}>" for one in asked if one[:1] in "UW"),
        *(f"<!subteam^{one}>" for one in rules.groups),
        *(
            literal(messages.label("decision_form", "members_of", name=directory.name(one)))
            for one in rules.channels
        ),
    )
    needed = messages.label("decisions", "needed", count=rules.needed)
    return messages.label(
        "decision_form", "please_review", needed=needed, who=called[: 2 * MOST_NAMED]
    )


def _listed(message: Message) -> list[Any]:
    return list(message["blocks"])
