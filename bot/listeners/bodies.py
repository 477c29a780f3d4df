"""What the bodies of Slack's deliveries say: who, where, in which thread."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from slack_bolt import Args, BoltContext
from slack_bolt.context.respond import Respond
from slack_bolt.request.internals import extract_enterprise_id, extract_team_id
from slack_sdk import WebClient

from bot.form.views import Origin
from bot.listeners.outbox import Place
from bot.mrkdwn import unescape
from bot.reply import Asker, Transport

Body = Mapping[str, Any]


def place_of(body: Body, respond: Respond, client: WebClient) -> Place:
    """Return where a delivery comes from, and the ways back."""
    thread_ts = event_of(body).get("thread_ts")
    return Place(client, respond, user_of(body), channel_of(body), thread_ts)


def reached(args: Args, channel: str | None, url: str | None) -> Place:
    """Return a conversation that was chosen or clicked in before."""
    respond = Respond(response_url=url, proxy=args.client.proxy, ssl=args.client.ssl)
    return Place(args.client, respond, user_of(args.body), channel)


def origin_of(body: Body) -> Origin:
    """Return where the clicked message stands."""
    container = body.get("container") or {}
    is_private = is_ephemeral(body)
    thread_ts = container.get("thread_ts") if is_private else thread_of(body)
    url = body.get("response_url")
    return Origin(
        channel=channel_of(body), thread_ts=thread_ts, private=is_private, url=url or None
    )


def event_of(body: Body) -> Mapping[str, Any]:
    """Return the event of a delivery; empty for commands and clicks."""
    return body.get("event") or {}


def said_in(message: Body, context: BoltContext) -> str:
    """Return the words of a message without the mention of the app itself."""
    own = re.compile(rf"<@{re.escape(str(context.bot_user_id))}(?:\|[^>]*)?>")
    return unescape(own.sub(" ", str(message.get("text") or ""))).strip()


def asker_of(body: Body, language: str) -> Asker:
    """Return who acts."""
    return Asker(
        user_id=user_of(body),
        channel_id=channel_of(body),
        transport=Transport.SLACK,
        language=language,
        # Bolt knows where each kind of delivery says these: a decision must have the same key
        # whether it is typed, mentioned, clicked or filled in.
        team_id=extract_team_id(dict(body)),
        enterprise_id=extract_enterprise_id(dict(body)),
        user_name=body.get("user_name") or _user(body).get("username"),
    )


def _user(body: Body) -> Mapping[str, Any]:
    return body.get("user") or {}


def user_of(body: Body) -> str:
    """Return the id of who acts; empty where the delivery does not say."""
    told = body.get("user_id") or _user(body).get("id") or event_of(body).get("user")
    return str(told or "")


def channel_of(body: Body) -> str | None:
    """Return the conversation of a delivery; None for one in a modal or in the Home tab."""
    channel = body.get("channel_id") or (body.get("channel") or {}).get("id")
    channel = channel or event_of(body).get("channel")
    return None if channel is None else str(channel)


def is_ephemeral(body: Body) -> bool:
    """Return whether the clicked message is one that a single person sees."""
    return bool((body.get("container") or {}).get("is_ephemeral"))


def thread_of(body: Body) -> str | None:
    """Return the root of the thread that the clicked message, or the mention, belongs to."""
    message = body.get("message") or event_of(body)
    return message.get("thread_ts") or message.get("ts")


def stands_in(body: Body) -> str | None:
    """Return the thread that somebody writes or clicks in; a message that begins none is its own.

    None for a command and for a mention outside of threads.
    """
    event = event_of(body)
    if event:
        return event.get("thread_ts")
    container = body.get("container") or {}
    return container.get("thread_ts") if is_ephemeral(body) else thread_of(body)
