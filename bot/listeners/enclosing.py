"""What stands below a plan in its thread: the boxes of its checklist, the report, the workbook."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from slack_sdk import WebClient

from bot.listeners.outbox import FAILURES, Landed, Message, Place, publish
from bot.reply import Reply

logger = logging.getLogger(__name__)

ENCLOSED = (".md", ".xlsx")
"""Files that go along: one to read, one for the buyer."""


def enclose(place: Place, landed: Landed, reply: Reply, boxes: Iterable[Message]) -> None:
    """Put checklist and files below a plan; the plan stands without what Slack does not take."""
    try:
        for message in boxes:
            publish(place, message, thread_ts=landed.root_ts)
        for ending in ENCLOSED:
            if ending in reply.files:
                _upload(place.client, landed, reply, ending)
    except FAILURES as error:
        logger.warning("not all of %s was taken: %s", reply.answer_id, error)


def _upload(client: WebClient, landed: Landed, reply: Reply, ending: str) -> None:
    name = f"gpusize-{reply.answer_id}{ending}"
    client.files_upload_v2(
        content=reply.files[ending](),
        filename=name,
        title=name,
        channel=landed.channel_id,
        thread_ts=landed.root_ts,
    )
