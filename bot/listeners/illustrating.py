"""Pictures of charts, for workspaces that do not take the block: below the message, if at all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from slack_sdk import WebClient

from bot.charts import Chart
from bot.errors import CodedError
from bot.listeners.outbox import FAILURES, Landed
from bot.pictures import picture_of
from bot.plots import Plot

logger = logging.getLogger(__name__)

FILE_NAME = "chart.png"

MOST_ALT_CHARACTERS = 1000
"""Characters of the words that stand for a picture."""


def illustrate(client: WebClient, landed: Landed, charts: Sequence[Chart | Plot]) -> None:
    """Upload the picture of charts to the thread of their message; the words stand without it."""
    try:
        show(client, landed, charts, name=FILE_NAME, made=lambda: picture_of(charts))
    except FAILURES as error:
        logger.warning("picture of the chart not taken: %s", error)


def show(
    client: WebClient,
    landed: Landed,
    charts: Sequence[Chart | Plot],
    *,
    name: str,
    made: Callable[[], bytes],
) -> None:
    """Upload a picture of charts with what it shows in words, where it can be drawn."""
    try:
        picture = made()
    except CodedError:
        logger.info("no picture of the charts: matplotlib is not installed")
        return
    client.files_upload_v2(
        content=picture,
        filename=name,
        title=" · ".join(chart.title for chart in charts),
        alt_txt=" ".join(chart.alt_text for chart in charts)[:MOST_ALT_CHARACTERS],
        channel=landed.channel_id,
        thread_ts=landed.root_ts,
    )
