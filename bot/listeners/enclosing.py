"""What stands below a plan in its thread: boxes of its checklist, pictures, report, workbook."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from slack_sdk import WebClient

from bot.listeners.illustrating import show
from bot.listeners.outbox import FAILURES, Landed, Message, Place, publish
from bot.messages import Messages
from bot.reply import Reply
from bot.spec_files import PICTURE

logger = logging.getLogger(__name__)

ENCLOSED = (".md", ".xlsx")
"""Files that go along: one to read, one for the buyer."""


def enclose(
    place: Place,
    landed: Landed,
    reply: Reply,
    *,
    boxes: Iterable[Message],
    messages: Messages,
) -> None:
    """Put checklist and files below a plan; the plan stands without what Slack does not take."""
    try:
        for message in boxes:
            publish(place, message, thread_ts=landed.root_ts)
        if PICTURE in reply.files:
            name = f"gpusize-{reply.answer_id}{PICTURE}"
            made = reply.files[PICTURE]
            show(place.client, landed, reply.charts, name=name, made=made)
        for ending in ENCLOSED:
            if ending in reply.files:
                title = messages.label("enclosed", ending[1:], answer=reply.answer_id)
                _upload(place.client, landed, reply, ending=ending, title=title)
    except FAILURES as error:
        logger.warning("not all of %s was taken: %s", reply.answer_id, error)


def _upload(client: WebClient, landed: Landed, reply: Reply, *, ending: str, title: str) -> None:
    name = f"gpusize-{reply.answer_id}{ending}"
    client.files_upload_v2(
        content=reply.files[ending](),
        filename=name,
        title=title,
        channel=landed.channel_id,
        thread_ts=landed.root_ts,
    )
