"""Send messages so that none is lost and no public one comes twice."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from typing import Any

from slack_bolt.context.respond import Respond
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web import SlackResponse
from slack_sdk.webhook import WebhookClient, WebhookResponse

from bot.errors import BotError
from bot.limits import assert_valid
from bot.listeners.retries import TIMEOUT_S, error_code, may_have_worked, retry_handlers

logger = logging.getLogger(__name__)

Message = dict[str, Any]

CLOSED = frozenset({"not_in_channel", "channel_not_found", "is_archived"})
"""Errors of a conversation where the bot may not post: the response URL may still reach it."""

RESTRICTED = "restricted_action"
"""Start of the errors of a conversation whose owner lets only some people post."""

BAD_BLOCKS = frozenset(
    {
        "attachment_payload_limit_exceeded",
        "invalid_attachments",
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "too_many_attachments",
    }
)
"""Errors of the blocks alone, as which Slack counts some attachments: the text says the result."""

NOT_EVERYWHERE = frozenset({"data_visualization"})
"""Blocks that Slack rolls out in steps: a message is sent once more without them."""

FAILURES = (SlackClientError, OSError, HTTPException)
"""What a call to Slack raises."""


class DeliveryError(BotError):
    """Slack did not take a message."""


class UnconfirmedError(DeliveryError):
    """A public message may have arrived or not: Slack's answer to it is missing."""


@dataclass(frozen=True)
class Place:
    """Where a reply goes, and the ways there."""

    client: WebClient
    """Web API, as the bot."""

    respond: Respond
    """Response URL of the delivery, where it has one."""

    user_id: str
    """Who asked; empty where the delivery does not say."""

    channel_id: str | None
    """Conversation; None for a click in a modal or in the Home tab."""

    thread_ts: str | None = None
    """Thread that the question stands in, where the private answer is shown too."""

    @property
    def has_url(self) -> bool:
        """Return whether the delivery came with a response URL."""
        return bool(self.respond.response_url)


@dataclass(frozen=True)
class Landed:
    """A message that Slack took."""

    channel_id: str
    """Conversation."""

    root_ts: str
    """Thread it stands in, or begins."""

    is_whole: bool
    """Whether all of its blocks were taken."""

    own_ts: str
    """The message itself."""


def publish(place: Place, message: Message, *, thread_ts: str | None) -> Landed | None:
    """Post `message` in the conversation, or below `thread_ts`; raise UnconfirmedError if unsure.

    Without a conversation it goes to the asker alone. Returns where the app posted it itself.
    """
    assert_valid("message", message)
    if place.channel_id is None:
        tell(place, message)
        return None
    try:
        posted, is_whole = _post(place.client, place.channel_id, message, thread_ts)
    except SlackApiError as error:
        if not (place.has_url and _is_closed(error)):
            raise
        _respond_publicly(place, message, thread_ts)
        return None
    landed_ts = (posted.get("message") or {}).get("thread_ts")
    if thread_ts and landed_ts != thread_ts:
        _move_out_of_channel(place, str(posted["ts"]), message)
        return None
    own_ts = str(posted["ts"])
    return Landed(place.channel_id, thread_ts or own_ts, is_whole, own_ts)


def tell(place: Place, message: Message) -> None:
    """Show `message` to the person who asked, and to nobody else; raise DeliveryError if lost."""
    assert_valid("message", message)
    for way in _private_ways(place, message):
        try:
            way()
        except (*FAILURES, DeliveryError) as error:
            logger.warning("private message not taken: %s", error)
        else:
            return
    raise DeliveryError("no way to the asker is left")


def redraw(place: Place, message: Message, *, message_ts: str, is_private: bool) -> None:
    """Put `message` in the place of the one that was clicked; raise an error of Slack's if not."""
    assert_valid("message", message)
    if is_private or place.channel_id is None:
        _replace(place, message)
        return
    try:
        place.client.chat_update(
            channel=place.channel_id,
            ts=message_ts,
            text=message["text"],
            blocks=message["blocks"],
        )
    except SlackApiError as error:
        if not (place.has_url and _is_closed(error)):
            raise
        _replace(place, message)


def _replace(place: Place, message: Message) -> None:
    """Put `message` in the place of the clicked one through the response URL."""
    response = place.respond(text=message["text"], blocks=message["blocks"], replace_original=True)
    if response.status_code != 200:
        raise DeliveryError(f"response URL: {_said(response)}")


def _private_ways(place: Place, message: Message) -> Iterator[Callable[[], object]]:
    """Yield the ways to one person, the next for when the one before it failed."""
    if place.has_url:
        whisper = partial(_respond, place.respond, message, response_type="ephemeral")
        yield partial(whisper, thread_ts=place.thread_ts)
    if place.channel_id and place.user_id:
        whispered = partial(
            place.client.chat_postEphemeral,
            channel=place.channel_id,
            user=place.user_id,
            thread_ts=place.thread_ts,
        )
        yield partial(_with_blocks_or_text, whispered, message)
    if place.user_id:
        direct = partial(place.client.chat_postMessage, channel=place.user_id)
        yield partial(_with_blocks_or_text, direct, message)


def _is_closed(error: SlackApiError) -> bool:
    code = error_code(error)
    return code in CLOSED or code.startswith(RESTRICTED)


def _post(
    client: WebClient, channel: str, message: Message, thread_ts: str | None
) -> tuple[SlackResponse, bool]:
    send = partial(
        client.chat_postMessage,
        channel=channel,
        thread_ts=thread_ts,
        unfurl_links=False,
        unfurl_media=False,
    )
    with _doubted():
        return _with_blocks_or_text(send, message)


def _with_blocks_or_text(
    send: Callable[..., SlackResponse], message: Message
) -> tuple[SlackResponse, bool]:
    """Return Slack's answer, and whether it took all blocks."""
    for blocks in _ever_plainer(message["blocks"]):
        try:
            return send(text=message["text"], blocks=blocks), blocks is message["blocks"]
        except SlackApiError as error:
            if error_code(error) not in BAD_BLOCKS:
                raise
            logger.exception("Slack refused the blocks; sent plainer")
    return send(text=message["text"]), False


def _ever_plainer(blocks: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield all blocks, then those that every workspace and client knows."""
    yield blocks
    known = [block for block in blocks if block["type"] not in NOT_EVERYWHERE]
    if len(known) < len(blocks):
        yield known


@contextmanager
def _doubted() -> Iterator[None]:
    """Turn the failure of a call that Slack may have carried out into UnconfirmedError."""
    try:
        yield
    except FAILURES as error:
        if may_have_worked(error):
            raise UnconfirmedError(f"Slack did not confirm a message: {error}") from error
        raise


def _respond_publicly(place: Place, message: Message, thread_ts: str | None) -> None:
    with _doubted():
        _respond(place.respond, message, response_type="in_channel", thread_ts=thread_ts)


def _respond(
    respond: Respond, message: Message, *, response_type: str, thread_ts: str | None = None
) -> None:
    """Post to the response URL; what it refuses goes again without charts, then as text alone."""
    body = {
        "text": message["text"],
        "response_type": response_type,
        "replace_original": False,
        "unfurl_links": False,
        "unfurl_media": False,
        "thread_ts": thread_ts,
    }
    url = WebhookClient(
        str(respond.response_url),
        timeout=TIMEOUT_S,
        ssl=respond.ssl,
        proxy=respond.proxy,
        retry_handlers=retry_handlers(),
    )
    ways = [{**body, "blocks": blocks} for blocks in _ever_plainer(message["blocks"])]
    response = url.send_dict(ways[0])
    for plainer in [*ways[1:], body]:
        if not _may_go_plainer(response, is_private=response_type == "ephemeral"):
            break
        logger.error("response URL refused the blocks; sent plainer: %s", _said(response))
        response = url.send_dict(plainer)
    if response.status_code == 200:
        return
    is_unsure = response.status_code >= 500
    raise (UnconfirmedError if is_unsure else DeliveryError)(f"response URL: {_said(response)}")


def _may_go_plainer(response: WebhookResponse, *, is_private: bool) -> bool:
    """Return whether a second post does no harm: the first failed, or only its reader saw it."""
    status = int(response.status_code)
    return status not in {200, 429} and (is_private or status < 500)


def _said(response: WebhookResponse) -> str:
    return f"{response.status_code} {response.body}"


def _move_out_of_channel(place: Place, stray_ts: str, message: Message) -> None:
    """Take back a reply whose thread is gone: Slack put it at the root of the channel."""
    try:
        place.client.chat_delete(channel=str(place.channel_id), ts=stray_ts)
    except FAILURES as error:
        logger.warning("stray reply stays in the channel: %s", error)
    tell(place, message)
