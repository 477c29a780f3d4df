"""What every listener needs: who asks, one delivery once, and a reply in the right place."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from typing import Any

from slack_bolt import Args, BoltContext
from slack_bolt.context.respond import Respond
from slack_bolt.response import BoltResponse
from slack_sdk import WebClient

from bot.blocks import to_message
from bot.errors import BotError, CodedError
from bot.listeners.delivery import Delivery
from bot.listeners.locale import Locales
from bot.listeners.outbox import Place, UnconfirmedError, publish, tell
from bot.reply import Asker, Reply, Transport
from bot.service import Service
from bot.sources.attached import AttachedFile
from bot.sources.bounded import LARGEST_CONFIG_BYTES
from bot.sources.slack_file import fetch

logger = logging.getLogger(__name__)

Body = Mapping[str, Any]

MOST_CHARACTERS = 100
"""Characters of a file's name that are kept."""


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

    def start(self, args: Args, answer_id: str) -> Reply:
        """Return how to start what a logged answer proposes."""
        return self._service.start(answer_id, self._asker(args))

    def size_file(self, args: Args) -> Reply:
        """Return the answer about the `config.json` of a message, in the words beside it."""
        message = args.body.get("message") or {}
        asker = self._asker(args)
        try:
            attached = _attached(message, args.client)
        except CodedError as error:
            return self._service.refused(error, asker)
        return self._service.handle_file(attached, str(message.get("text") or ""), asker)

    def expired(self, args: Args) -> Reply:
        """Return the sentence for a button this version does not know."""
        return self._service.expired(self._asker(args))

    def send(self, args: Args, reply: Reply) -> None:
        """Send a reply to the channel, or to the asker alone."""
        self._send(args, reply, is_private=reply.private, thread_ts=None)

    def send_below(self, args: Args, reply: Reply) -> None:
        """Send a reply to the thread of the clicked message; below a private one it is private."""
        is_private = reply.private or _is_ephemeral(args.body)
        self._send(args, reply, is_private=is_private, thread_ts=_thread_of(args.body))

    def delivery(self, args: Args) -> Delivery:
        """Return the context for the work on one delivery."""
        place = _place(args.body, args.respond, args.client)
        return Delivery(self._service, lambda error: self.report(error, args.body, place))

    def failed(
        self,
        error: Exception,
        body: Body,
        respond: Respond,
        context: BoltContext,
    ) -> BoltResponse:
        """Report an error that Bolt caught before or inside an acknowledgement.

        What fails before it is known to come from Slack is refused, and its response URL left
        alone: a forger could have put any address there.
        """
        if context.authorize_result is None:
            logger.warning("refused a request that is not Slack's", exc_info=error)
            return BoltResponse(status=401, body="")
        self.report(error, body, _place(body, respond, context.client))
        return BoltResponse(status=200, body="")

    def report(self, error: Exception, body: Body, place: Place) -> None:
        """Log an error with an id and tell the asker that id, in their language where known."""
        error_id = secrets.token_hex(4)
        logger.error("error %s", error_id, exc_info=error)
        asker = _asker(body, self._locales.known(place.user_id))
        code = "unconfirmed" if isinstance(error, UnconfirmedError) else "internal_error"
        try:
            tell(place, to_message(self._service.broken(error_id, asker, code=code)))
        except BotError:
            logger.exception("error %s could not be told to %s", error_id, asker.user_id)

    def _send(self, args: Args, reply: Reply, *, is_private: bool, thread_ts: str | None) -> None:
        place = _place(args.body, args.respond, args.client)
        message = to_message(reply)
        if is_private:
            tell(place, message)
        else:
            publish(place, message, thread_ts=thread_ts)

    def _asker(self, args: Args) -> Asker:
        return _asker(args.body, self._locales.of(_user_id(args.body), args.client))


def _place(body: Body, respond: Respond, client: WebClient) -> Place:
    return Place(client, respond, _user_id(body), _channel_id(body))


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


def _attached(message: Body, client: WebClient) -> AttachedFile:
    """Fetch the first JSON file of a message; raise CodedError where there is none to have."""
    files = [one for one in message.get("files") or () if isinstance(one, dict)]
    found = [one for one in files if str(one.get("name", "")).lower().endswith(".json")]
    if not found:
        raise CodedError("no_config_file")
    name, size = str(found[0]["name"])[:MOST_CHARACTERS], found[0].get("size")
    if isinstance(size, int) and size > LARGEST_CONFIG_BYTES:
        raise CodedError("file_too_large", path=name, limit_bytes=LARGEST_CONFIG_BYTES)
    content = fetch(
        str(found[0].get("url_private_download") or ""),
        token=str(client.token),
        api_url=client.base_url,
        limit_bytes=LARGEST_CONFIG_BYTES,
        tls=client.ssl,
    )
    return AttachedFile(name, content)


def _user(body: Body) -> Mapping[str, Any]:
    return body.get("user") or {}


def _user_id(body: Body) -> str:
    return str(body.get("user_id") or _user(body).get("id", ""))


def _channel_id(body: Body) -> str | None:
    channel = body.get("channel_id") or (body.get("channel") or {}).get("id")
    return None if channel is None else str(channel)


def _is_ephemeral(body: Body) -> bool:
    return bool((body.get("container") or {}).get("is_ephemeral"))


def _thread_of(body: Body) -> str | None:
    """Return the root of the thread that the clicked message belongs to."""
    message = body.get("message") or {}
    return message.get("thread_ts") or message.get("ts")
