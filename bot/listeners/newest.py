"""The line below an answer that leads to the newest one of its thread."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from slack_sdk import WebClient

from bot.actions import REFINE
from bot.blocks import MESSAGE_BLOCKS
from bot.limits import find_problems
from bot.listeners.cards import Card, permalink
from bot.listeners.outbox import FAILURES, Landed
from bot.messages import Messages

logger = logging.getLogger(__name__)

LATEST: Final = "gpus1.latest"
"""Name of the block with the line."""

Block = dict[str, Any]


def mark_latest(
    client: WebClient, landed: Landed | None, answer_id: str | None, messages: Messages
) -> None:
    """Say below the answer that begins a thread which answer in it is the newest.

    Left out where the thread begins otherwise, or where Slack does not let the app read or change
    that message: the newest stands in the thread all the same.
    """
    if landed is None or answer_id is None or landed.root_ts == landed.own_ts:
        return
    try:
        root = _root(client, landed)
        blocks = _marked(root, _line(client, landed, answer_id, messages)) if root else None
        if root and blocks:
            text = str(root.get("text") or answer_id)
            client.chat_update(
                channel=landed.channel_id, ts=landed.root_ts, text=text, blocks=blocks
            )
    except FAILURES as error:
        logger.info("no line about the latest answer: %s", error)


def _root(client: WebClient, landed: Landed) -> Mapping[str, Any] | None:
    """Return the first message of the thread, where it is an answer that can be asked again."""
    told = client.conversations_replies(
        channel=landed.channel_id, ts=landed.root_ts, limit=1, inclusive=True
    )
    found = next((one for one in told["messages"] if one["ts"] == landed.root_ts), None)
    names = {
        element.get("action_id")
        for block in (found or {}).get("blocks") or ()
        for element in block.get("elements") or ()
    }
    return found if REFINE in names else None


def _line(client: WebClient, landed: Landed, answer_id: str, messages: Messages) -> Block:
    link = permalink(client, Card(landed.channel_id, landed.root_ts, landed.own_ts))
    name = f"<{link}|{answer_id}>" if link else answer_id
    text = f"{messages.label('buttons', 'latest')} {name}"
    return {
        "type": "context",
        "block_id": LATEST,
        "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}],
    }


def _marked(root: Mapping[str, Any], line: Block) -> list[Block] | None:
    """Return the blocks with the line above their buttons; None where there is no room for it."""
    others = [dict(block) for block in root["blocks"] if block.get("block_id") != LATEST]
    buttons = next(place for place, block in enumerate(others) if block["type"] == "actions")
    blocks = [*others[:buttons], line, *others[buttons:]]
    message = {"text": str(root.get("text") or ""), "blocks": blocks}
    has_room = len(blocks) <= MESSAGE_BLOCKS and not find_problems("message", message)
    return blocks if has_room else None
