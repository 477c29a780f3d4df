"""Send messages so that none is lost: membership, block and thread errors have an answer."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from slack_bolt import Args
from slack_bolt.context.respond import Respond
from slack_sdk.errors import SlackApiError
from slack_sdk.web import SlackResponse

from bot.errors import BotError
from bot.limits import assert_valid

logger = logging.getLogger(__name__)

Message = dict[str, Any]

NO_MEMBER = frozenset({"not_in_channel", "channel_not_found"})
"""Errors of a conversation the bot was not invited to: the response URL still reaches it."""

BAD_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
"""Errors of the blocks alone: the plain text still says the result."""


class DeliveryError(BotError):
    """Slack did not take a message by its response URL."""


def publish(args: Args, message: Message, *, thread_ts: str | None) -> None:
    """Post `message` in the conversation, or in the thread below `thread_ts`."""
    assert_valid("message", message)
    channel = args.body.get("channel_id") or args.body["channel"]["id"]
    try:
        posted = _post(args, channel, message, thread_ts)
    except SlackApiError as error:
        if error.response["error"] not in NO_MEMBER:
            raise
        _respond(args.respond, message, response_type="in_channel", thread_ts=thread_ts)
        return
    landed_ts = (posted.get("message") or {}).get("thread_ts")
    if thread_ts and landed_ts != thread_ts:
        _move_out_of_channel(args, channel, str(posted["ts"]), message)


def respond_privately(respond: Respond, message: Message) -> None:
    """Show `message` to the person who asked, and to nobody else."""
    assert_valid("message", message)
    _respond(respond, message, response_type="ephemeral", thread_ts=None)


def _post(args: Args, channel: str, message: Message, thread_ts: str | None) -> SlackResponse:
    send = partial(
        args.client.chat_postMessage,
        channel=channel,
        thread_ts=thread_ts,
        unfurl_links=False,
        unfurl_media=False,
    )
    try:
        return send(text=message["text"], blocks=message["blocks"])
    except SlackApiError as error:
        if error.response["error"] not in BAD_BLOCKS:
            raise
        logger.exception("Slack refused the blocks; sent as text")
        return send(text=message["text"])


def _respond(
    respond: Respond, message: Message, *, response_type: str, thread_ts: str | None
) -> None:
    response = respond(
        **message,
        response_type=response_type,
        replace_original=False,
        unfurl_links=False,
        unfurl_media=False,
        thread_ts=thread_ts,
    )
    if response.status_code != 200:
        raise DeliveryError(f"response URL answered {response.status_code}: {response.body}")


def _move_out_of_channel(args: Args, channel: str, stray_ts: str, message: Message) -> None:
    """Take back a reply whose thread is gone: Slack put it at the root of the channel."""
    args.client.chat_delete(channel=channel, ts=stray_ts)
    respond_privately(args.respond, message)
