"""The message of a decision as Slack keeps it: found, put in the place of another, linked to."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.actions import SAVE
from bot.limits import assert_valid
from bot.listeners.outbox import BAD_BLOCKS, FAILURES, Message
from bot.listeners.retries import error_code

logger = logging.getLogger(__name__)

NO_CARD: Final = frozenset(
    {"cant_update_message", "edit_window_closed", "message_not_found", "msg_too_long"}
)
"""Errors of a message that cannot be the card: another one is posted."""


@dataclass(frozen=True)
class Card:
    """Where the message of a decision stands."""

    channel_id: str
    """Conversation."""

    root_ts: str
    """First message of the thread."""

    card_ts: str
    """The message itself: mostly the first one."""


def edited(client: WebClient, channel: str, ts: str, card: Message) -> str | None:
    """Put the card in the place of a message; None where that one cannot be it."""
    for blocks in (card["blocks"], without_answer(card["blocks"])):
        message = {"text": card["text"], "blocks": blocks}
        assert_valid("message", message)
        try:
            client.chat_update(channel=channel, ts=ts, **message)
        except SlackApiError as error:
            if error_code(error) in NO_CARD:
                return None
            if error_code(error) not in BAD_BLOCKS:
                raise
            logger.exception("Slack refused the blocks of a card")
        else:
            return ts
    return None


def answer_in(message: Mapping[str, Any]) -> str | None:
    """Return the answer whose button to save it stands below a message."""
    elements = (one for block in message.get("blocks") or () for one in _elements(block))
    values = (str(one.get("value") or "") for one in elements if one.get("action_id") == SAVE)
    return next((value.partition(" ")[0] for value in values), None)


def _elements(block: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(block.get("elements") or ()) if block.get("type") == "actions" else []


def without_answer(blocks: list[Any]) -> list[Any]:
    """Return the blocks of the decision alone, which end before the first line across."""
    kinds = [block["type"] for block in blocks]
    return blocks[: kinds.index("divider")] if "divider" in kinds else blocks


def permalink(client: WebClient, card: Card) -> str | None:
    """Return the address of a card; None where Slack does not say it."""
    try:
        found = client.chat_getPermalink(channel=card.channel_id, message_ts=card.card_ts)
    except FAILURES as error:
        logger.info("no address of a card: %s", error)
        return None
    return str(found["permalink"])
