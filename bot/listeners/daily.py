"""What the bot does once a day by itself, and tells where it belongs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from slack_bolt.context.respond import Respond
from slack_sdk import WebClient

from bot.blocks import to_message
from bot.listeners.outbox import FAILURES, DeliveryError, Place, publish
from bot.listeners.reminding import FROM_HOUR, reminders
from bot.reply import Reply, ReplyKind
from bot.retention import FROM_HOUR as NIGHT
from bot.retention import retention
from bot.rounds import Job

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.service import Service
    from bot.settings import Settings
    from bot.storage import Log

logger = logging.getLogger(__name__)


def daily_jobs(
    settings: Settings, service: Service, log: Log, client: WebClient
) -> tuple[Job, ...]:
    """Return the work of a day; none where it is switched off."""
    jobs = []
    if settings.recheck_days is not None:
        jobs.append(Job("recheck", _rechecks(settings.recheck_days, service, log, client)))
    if settings.remind_days is not None:
        work = reminders(settings.remind_days, service, log, client)
        jobs.append(Job("remind", work, from_hour=FROM_HOUR))
    if settings.keep_days is not None:
        jobs.append(Job("retention", retention(settings.keep_days, log), from_hour=NIGHT))
    return tuple(jobs)


def _rechecks(
    days: int, service: Service, log: Log, client: WebClient
) -> Callable[[datetime], None]:
    def do(now: datetime) -> None:
        # Loaded with the first round: a start does not wait for it.
        from bot.again.daily import MOST_A_ROUND, Daily

        def post(decision: Decision, page: str) -> None:
            tell_thread(client, decision, page)

        daily = Daily(log, service.again.rechecking)
        found = daily.round(now, days=days, post=post, most=MOST_A_ROUND)
        logger.info("decisions checked again: %d", len(found))

    return do


def tell_thread(client: WebClient, decision: Decision, page: str) -> bool:
    """Post a page in the thread of a decision, and return whether Slack took it.

    A conversation that is gone or closed to the bot must not stop the round of all others.
    """
    if decision.channel_id is None or decision.message_ts is None:
        return False
    reply = Reply(
        kind=ReplyKind.DECISION,
        markdown=page,
        language=decision.language,
        summary=page.splitlines()[0].lstrip("# "),
    )
    place = Place(client, Respond(response_url=None), "", decision.channel_id)
    try:
        publish(place, to_message(reply), thread_ts=decision.message_ts)
    except (*FAILURES, DeliveryError) as error:
        logger.warning("the thread of %s was not told: %s", decision.name, error)
        return False
    return True
