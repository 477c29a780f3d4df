"""Proposals that wait, reminded of in their threads: once, and not at weekends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from slack_bolt.context.respond import Respond
from slack_sdk import WebClient

from bot.errors import CodedError, StorageError
from bot.listeners.outbox import FAILURES, DeliveryError, Place, publish
from bot.listeners.people import People, SlackDirectory

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.reminding import Reminding, Waiting
    from bot.service import Service
    from bot.storage import Log

logger = logging.getLogger(__name__)

MOST_A_ROUND: Final = 20
"""Reminders of one daily round; the rest wait for the next working day."""

FROM_HOUR: Final = 11
"""Hour from which reminders go, UTC: from UTC-11 to UTC+12 it is the same day then."""

GONE: Final = frozenset({"channel_not_found", "not_in_channel"})
"""What Slack calls a conversation that the app cannot write in any more."""

GONE_FOR_S: Final = 45 * 24 * 3600.0
"""How long it is remembered that a thread cannot be written, s: longer than it is tried."""


def reminders(
    days: int, service: Service, log: Log, client: WebClient
) -> Callable[[datetime], None]:
    """Return the work of a day that reminds of proposals that have waited `days` working days."""

    def do(now: datetime) -> None:
        # Loaded with the first round: a start does not wait for it.
        from bot.reminding import Reminding

        reminding = Reminding(log, service.deciding)
        waiting = reminding.waiting(now.date(), days=days)
        if waiting:
            sent = Reminders(service, log, client, reminding).send(waiting)
            logger.info("proposals reminded of: %d", sent)

    return do


class Reminders:
    """Sends the reminders of one day."""

    def __init__(self, service: Service, log: Log, client: WebClient, reminding: Reminding) -> None:
        self._recording = service.recording
        self._log = log
        self._client = client
        self._reminding = reminding
        told = client.auth_test()
        self._directory: SlackDirectory = People().directory(
            client, team_id=told["team_id"], own_id=told["user_id"]
        )

    def send(self, waiting: tuple[Waiting, ...]) -> int:
        """Send reminders, MOST_A_ROUND at most, and return how many Slack took."""
        sent = tried = 0
        for one in waiting:
            if tried == MOST_A_ROUND:
                break
            is_taken = self._sent(one)
            tried += is_taken is not None
            sent += bool(is_taken)
        return sent

    def _sent(self, waiting: Waiting) -> bool | None:
        """Remind of one proposal and return whether Slack took it; None without a thread."""
        decision = waiting.decision
        try:
            if self._is_gone(decision):
                self._tell_once(decision)
                return None
            message = self._recording.reminder(decision, waiting.since, self._directory)
            place = Place(self._client, Respond(response_url=None), "", decision.channel_id)
            self._reminding.keep(decision)
            publish(place, message, thread_ts=decision.message_ts)
        except StorageError:
            raise
        except (CodedError, DeliveryError, *FAILURES) as error:
            logger.warning("%s was not reminded of: %s", decision.name, error)
            return False
        return True

    def _is_gone(self, decision: Decision) -> bool:
        """Return whether nobody can write in the thread; raise CodedError if Slack says nothing."""
        try:
            told = self._directory.conversation(str(decision.channel_id))
        except CodedError as error:
            if error.values.get("error") in GONE:
                return True
            raise
        return told.is_archived or not told.is_member

    def _tell_once(self, decision: Decision) -> None:
        if self._log.first_seen(f"unwritable:{decision.name}", window_s=GONE_FOR_S):
            logger.warning("the thread of %s cannot be written: no reminder", decision.name)
