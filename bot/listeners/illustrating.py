"""Pictures of charts, for workspaces that do not take the block: below the message, if at all."""

from __future__ import annotations

import logging

from slack_sdk import WebClient

from bot.charts import Chart
from bot.errors import CodedError
from bot.listeners.outbox import FAILURES, Landed
from bot.pictures import picture_of

logger = logging.getLogger(__name__)

FILE_NAME = "chart.png"


def illustrate(client: WebClient, landed: Landed, chart: Chart) -> None:
    """Upload the picture of a chart to the thread of its message; the words stand without it."""
    try:
        picture = picture_of(chart)
    except CodedError:
        logger.info("no picture of the chart: matplotlib is not installed")
        return
    try:
        client.files_upload_v2(
            content=picture,
            filename=FILE_NAME,
            title=chart.title,
            alt_txt=chart.alt_text,
            channel=landed.channel_id,
            thread_ts=landed.root_ts,
        )
    except FAILURES as error:
        logger.warning("picture of the chart not taken: %s", error)
