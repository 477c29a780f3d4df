"""Put messages into channels, whoever sends them and by whichever way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bot.workspace.model import Json, Message
from bot.workspace.mrkdwn import broadcasts
from bot.workspace.refusal import refuse_message
from bot.workspace.world import World


@dataclass(frozen=True)
class Place:
    """Where a message goes and who reads it."""

    channel: str
    thread_ts: str | None = None
    visible_to: str | None = None


def post_as_bot(world: World, place: Place, body: Json) -> Message:
    """Check and store a message of the app; an unknown thread puts it at the channel's root."""
    refuse_message(body)
    message = Message(
        channel=place.channel,
        ts=world.next_ts(),
        user=world.app.user.id,
        bot_id=world.app.bot_id,
        thread_ts=known_root(world, place.channel, place.thread_ts),
        visible_to=place.visible_to,
        reply_broadcast=bool(body.get("reply_broadcast")),
        **content_of(world, body),
    )
    return _record(world, message, body)


def rewrite(world: World, message: Message, body: Json) -> Message:
    """Check and replace the content of a message; what the body leaves out is gone."""
    refuse_message(body)
    edited = replace(message, edited_ts=world.next_ts(), **content_of(world, body))
    return _record(world, edited, body)


def say(
    world: World, place: Place, user: str, text: str, *, files: tuple[Json, ...] = ()
) -> Message:
    """Store what a person said, with the files beside it."""
    root = known_root(world, place.channel, place.thread_ts)
    message = Message(place.channel, world.next_ts(), user, text, files=files, thread_ts=root)
    return world.put(message)


def notice(world: World, place: Place, code: str, text: str) -> Message:
    """Store a sentence of Slack itself that only one person sees."""
    message = Message(
        place.channel,
        world.next_ts(),
        user="USLACKBOT",
        text=text,
        thread_ts=place.thread_ts,
        visible_to=place.visible_to,
        notice=code,
    )
    return world.put(message)


def known_root(world: World, channel: str, thread_ts: str | None) -> str | None:
    """Return the ts when it is the root of a thread; Slack ignores any other without an error."""
    root = world.find(channel, thread_ts) if thread_ts else None
    return None if root is None or root.is_reply else thread_ts


def content_of(world: World, body: Json) -> dict[str, Any]:
    """Build the fields of a message that its sender decides."""
    return {
        "text": str(body.get("text") or ""),
        "blocks": tuple(with_ids(world, list(body.get("blocks") or []))),
        "attachments": tuple(body.get("attachments") or []),
        "mrkdwn": body.get("mrkdwn") is not False,
        "metadata": body.get("metadata"),
    }


def with_ids(world: World, blocks: list[Json]) -> list[Json]:
    """Give every block and every element the id that Slack makes up where the app gave none."""
    return [_with_ids(world, block) for block in blocks]


def _with_ids(world: World, block: Json) -> Json:
    named = {**block, "block_id": block.get("block_id") or world.next_id("b")}
    for key in ("elements", "actions", "child_blocks"):
        if isinstance(block.get(key), list) and block.get("type") != "rich_text":
            named[key] = [_child(world, item) for item in block[key]]
    for key in ("accessory", "element"):
        if isinstance(block.get(key), dict):
            named[key] = _child(world, block[key])
    return named


def _child(world: World, item: Json) -> Json:
    if item.get("type") in ("mrkdwn", "plain_text", "image"):
        return item
    if "elements" in item or item.get("type") in _BLOCKS_INSIDE:
        return _with_ids(world, item)
    return {**item, "action_id": item.get("action_id") or world.next_id("a")}


_BLOCKS_INSIDE = frozenset({"card", "section", "divider", "header", "table"})


def _record(world: World, message: Message, body: Json) -> Message:
    stored = world.put(message)
    with world.changed:
        world.broadcasts += [(name, stored) for name in broadcasts(body)]
    return stored
