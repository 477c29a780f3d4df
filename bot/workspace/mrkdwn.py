"""Slack's text entities: what a person's typing becomes, and whom a message pings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from bot.workspace.model import Json
from bot.workspace.people import Channel, User

_BROADCAST = re.compile(r"<!(channel|here|everyone)(?:\|[^>]*)?>")
_AT_BROADCAST = re.compile(r"(?<![\w@])@(channel|here|everyone)\b")
_USER = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")


def escape(text: str) -> str:
    """Replace the three characters that mrkdwn gives a meaning."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def typed_message(text: str, users: Iterable[User], channels: Iterable[Channel]) -> str:
    """Encode what a person typed in a message: @name, #channel and @channel become entities."""
    return _AT_BROADCAST.sub(r"<!\1>", _link_names(escape(text), users, channels))


def typed_command(text: str, users: Iterable[User], channels: Iterable[Channel]) -> str:
    """Encode the text of a slash command whose `should_escape` is on."""
    return _link_names(text, users, channels, labels=True)


def _link_names(
    text: str, users: Iterable[User], channels: Iterable[Channel], *, labels: bool = False
) -> str:
    for user in users:
        label = f"|{user.name}" if labels else ""
        text = re.sub(rf"(?<![\w@<])@{re.escape(user.name)}\b", f"<@{user.id}{label}>", text)
    for channel in channels:
        label = f"|{channel.name}" if labels else ""
        pattern = rf"(?<![\w#<])#{re.escape(channel.name)}\b"
        text = text if channel.is_im else re.sub(pattern, f"<#{channel.id}{label}>", text)
    return text


def broadcasts(message: Json) -> list[str]:
    """List the `channel`, `here` and `everyone` that a message would really ping."""
    found: list[str] = []
    names_linked = bool(message.get("link_names")) or message.get("parse") == "full"
    for text in _marked_up(message):
        found += _BROADCAST.findall(text)
        if names_linked:
            found += _AT_BROADCAST.findall(text)
    found += [str(part.get("range")) for part in _parts(message) if part.get("type") == "broadcast"]
    return found


def user_pings(message: Json) -> list[str]:
    """List the ids of the users that a message would ping, in order, without repeats."""
    found = [name for text in _marked_up(message) for name in _USER.findall(text)]
    found += [str(part.get("user_id")) for part in _parts(message) if part.get("type") == "user"]
    return list(dict.fromkeys(found))


def _marked_up(message: Json) -> Iterator[str]:
    """Yield every text that Slack parses for entities: mrkdwn, markdown and the message's own."""
    if message.get("mrkdwn") is not False:
        yield str(message.get("text") or "")
    for part in _parts(message):
        if part.get("type") in ("mrkdwn", "markdown"):
            yield str(part.get("text") or "")
    for attachment in message.get("attachments") or []:
        yield from (str(attachment.get(key) or "") for key in ("text", "pretext", "fallback"))


def _parts(message: Json) -> Iterator[Json]:
    yield from _walk([message.get("blocks") or [], message.get("attachments") or []])


def _walk(value: Any) -> Iterator[Json]:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _walk(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _walk(item)
