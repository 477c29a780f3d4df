"""What every listener needs: who asks, one delivery once, and a reply in the right place."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from slack_bolt import Args, BoltContext
from slack_bolt.context.respond import Respond
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackClientError

from bot.blocks import to_message
from bot.errors import BotError
from bot.listeners.locale import Locales
from bot.listeners.outbox import publish, respond_privately
from bot.reply import Asker, Reply, Transport
from bot.service import Service

logger = logging.getLogger(__name__)

Body = Mapping[str, Any]


class Desk:
    """Takes a delivery from Slack to the service, and its reply back."""

    def __init__(self, service: Service, locales: Locales) -> None:
        self._service = service
        self._locales = locales

    def ask(self, args: Args, text: str) -> Reply:
        """Return the answer to `text`."""
        return self._service.handle(text, self._asker(args), None)

    def explain(self, args: Args, answer_id: str) -> Reply:
        """Return the derivation of a logged answer."""
        return self._service.explain(answer_id, self._asker(args))

    def expired(self, args: Args) -> Reply:
        """Return the sentence for a button this version does not know."""
        return self._service.expired(self._asker(args))

    def send(self, args: Args, reply: Reply) -> None:
        """Send a reply to the channel, or to the asker alone."""
        message = to_message(reply)
        if reply.private:
            respond_privately(args.respond, message)
        else:
            publish(args, message, thread_ts=None)

    def send_below(self, args: Args, reply: Reply) -> None:
        """Send a reply to the thread of the clicked message; below a private one it is private."""
        message = to_message(reply)
        if reply.private or _is_ephemeral(args.body):
            respond_privately(args.respond, message)
        else:
            publish(args, message, thread_ts=_thread_of(args.body))

    @contextmanager
    def delivery(self, args: Args, *, key: str) -> Iterator[bool]:
        """Yield whether this delivery is new; report what goes wrong to the person who waits."""
        with _Report(self, args.body, args.respond):
            yield self._service.first_seen(key)

    def failed(
        self, error: Exception, body: Body, respond: Respond, context: BoltContext
    ) -> BoltResponse:
        """Report an error that Bolt caught before or inside an acknowledgement.

        What fails before it is known to come from Slack is refused, and its response URL left
        alone: a forger could have put any address there.
        """
        if context.authorize_result is None:
            logger.warning("refused a request that is not Slack's: %s", error)
            return BoltResponse(status=401, body="")
        self.report(error, body, respond)
        return BoltResponse(status=200, body="")

    def report(self, error: Exception, body: Body, respond: Respond) -> None:
        """Log an error with an id and tell the asker that id."""
        error_id = secrets.token_hex(4)
        logger.error("error %s", error_id, exc_info=error)
        asker = _asker(body, self._locales.fallback)
        try:
            respond_privately(respond, to_message(self._service.broken(error_id, asker)))
        except (SlackClientError, OSError, ValueError, BotError):
            logger.exception("error %s could not be told to %s", error_id, asker.user_id)

    def _asker(self, args: Args) -> Asker:
        return _asker(args.body, self._locales.of(_user_id(args.body), args.client))


class _Report:
    """Hands whatever a lazy function raises to the desk: Bolt itself would only log it."""

    def __init__(self, desk: Desk, body: Body, respond: Respond) -> None:
        self._desk, self._body, self._respond = desk, body, respond

    def __enter__(self) -> None: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._desk.report(error, self._body, self._respond)
        return True


def _asker(body: Body, language: str) -> Asker:
    return Asker(
        user_id=_user_id(body),
        channel_id=_channel_id(body),
        transport=Transport.SLACK,
        language=language,
        team_id=body.get("team_id") or (body.get("team") or {}).get("id"),
        enterprise_id=body.get("enterprise_id") or (body.get("enterprise") or {}).get("id"),
        user_name=body.get("user_name") or _user(body).get("username"),
    )


def _user(body: Body) -> Mapping[str, Any]:
    return body.get("user") or {}


def _user_id(body: Body) -> str:
    return str(body.get("user_id") or _user(body).get("id", ""))


def _channel_id(body: Body) -> str | None:
    channel = body.get("channel_id") or (body.get("channel") or {}).get("id")
    return None if channel is None else str(channel)


def _is_ephemeral(body: Body) -> bool:
    return bool(body.get("container", {}).get("is_ephemeral"))


def _thread_of(body: Body) -> str | None:
    """Return the root of the thread that the clicked message belongs to."""
    message = body.get("message") or {}
    return message.get("thread_ts") or message.get("ts")
