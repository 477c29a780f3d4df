"""Hand files to the person who asked for them: directly, or in the thread of their decision."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from slack_sdk import WebClient

from bot.blocks import to_message, to_text
from bot.listeners.outbox import FAILURES, Place, tell
from bot.messages import Messages
from bot.reply import Reply, ReplyKind

logger = logging.getLogger(__name__)

HANDED: Final = {ReplyKind.EXPORT: (".xlsx", ".jsonl"), ReplyKind.MINUTES: (".md",)}
"""Files that go along with replies that are files."""


def hand_over(place: Place, reply: Reply, messages: Messages) -> None:
    """Upload the files of a reply, and tell the asker where they are or that they were not taken.

    Minutes that were asked for in the thread of their decision go there; all else is for the asker
    alone, whom a direct message reaches.
    """
    if (code := _handed(place, reply)) is not None:
        note = messages.word("archive", code)
        tell(place, to_message(replace(reply, markdown=f"{reply.summary}\n\n{note}\n")))


def _handed(place: Place, reply: Reply) -> str | None:
    """Return the code of what to tell the asker; None where the files say it themselves."""
    try:
        if _is_there(place, reply):
            _upload(place.client, reply, str(place.channel_id), str(place.thread_ts))
            return None
        posted = place.client.chat_postMessage(
            channel=place.user_id, text=to_text(reply), unfurl_links=False, unfurl_media=False
        )
        _upload(place.client, reply, str(posted["channel"]), str(posted["ts"]))
    except FAILURES as error:
        logger.warning("files of %s were not taken: %s", reply.kind, error)
        return "handed_failed"
    return "handed"


def _is_there(place: Place, reply: Reply) -> bool:
    """Return whether the reply is about the decision whose thread it was asked for in."""
    decision = reply.decision
    if decision is None or place.thread_ts is None:
        return False
    here = (place.channel_id, place.thread_ts)
    return here == (decision.channel_id, decision.message_ts)


def _upload(client: WebClient, reply: Reply, channel: str, thread_ts: str) -> None:
    name = reply.decision.name if reply.decision else "decisions"
    for ending in HANDED[reply.kind]:
        client.files_upload_v2(
            content=reply.files[ending](),
            filename=f"gpusize-{name}{ending}",
            title=f"gpusize-{name}{ending}",
            channel=channel,
            thread_ts=thread_ts,
        )
