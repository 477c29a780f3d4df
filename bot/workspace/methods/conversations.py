"""conversations.*: channels, direct messages and threads."""

from __future__ import annotations

from bot.workspace.methods.users import truthy
from bot.workspace.model import Json, Message
from bot.workspace.people import Channel
from bot.workspace.refusal import Refusal
from bot.workspace.world import World

PAGE_SIZE = 1000


def readable(world: World, channel_id: str) -> Channel:
    """Return a channel that the app may know of, else refuse with channel_not_found."""
    channel = world.channels.get(channel_id)
    hidden = channel is not None and channel.is_private and not world.bot_is_in(channel.id)
    if channel is None or hidden:
        raise Refusal("channel_not_found")
    return channel


def joined(world: World, channel_id: str) -> Channel:
    """Return a channel that the bot is a member of, else refuse."""
    channel = readable(world, channel_id)
    if channel.is_archived:
        raise Refusal("is_archived")
    if not world.bot_is_in(channel.id):
        raise Refusal("not_in_channel")
    return channel


def channel_json(world: World, channel: Channel) -> Json:
    """Return a channel as conversations.info shows it."""
    body: Json = {"id": channel.id, "is_im": channel.is_im, "is_private": channel.is_private}
    if channel.is_im:
        body["user"] = next(iter(channel.members - {world.app.user.id}))
        return body
    is_member = world.bot_is_in(channel.id)
    state = {"is_member": is_member, "is_channel": True, "is_archived": channel.is_archived}
    return {**body, "name": channel.name, "name_normalized": channel.name, **state}


def info(world: World, args: Json) -> Json:
    """Answer conversations.info."""
    channel = readable(world, args["channel"])
    body = channel_json(world, channel)
    if args.get("include_num_members"):
        body["num_members"] = len(channel.members)
    return {"channel": body}


def members(world: World, args: Json) -> Json:
    """Answer conversations.members in pages."""
    channel = readable(world, args["channel"])
    start = int(args.get("cursor") or 0)
    end = start + min(int(args.get("limit") or PAGE_SIZE), PAGE_SIZE)
    everybody = sorted(channel.members)
    cursor = str(end) if end < len(everybody) else ""
    return {"members": everybody[start:end], "response_metadata": {"next_cursor": cursor}}


def open_direct(world: World, args: Json) -> Json:
    """Answer conversations.open with the direct message of one user."""
    users = args.get("users")
    names = users.split(",") if isinstance(users, str) else list(users or [])
    if len(names) != 1:
        raise Refusal("users_list_not_supplied" if not names else "method_not_supported")
    return {"channel": channel_json(world, direct_with(world, names[0])), "already_open": True}


def direct_with(world: World, user_id: str) -> Channel:
    """Return the direct message between the bot and a user, else refuse."""
    for channel in world.channels.values():
        if channel.is_im and channel.members == {user_id, world.app.user.id}:
            return channel
    raise Refusal("user_not_found")


def replies(world: World, args: Json) -> Json:
    """Answer conversations.replies: the root, then the replies of a span, in pages."""
    channel = joined(world, args["channel"])
    asked = world.find(channel.id, args["ts"])
    if asked is None or asked.is_ephemeral:
        raise Refusal("thread_not_found")
    whole = world.thread_of(channel.id, asked.thread_ts or asked.ts)
    thread = [one for one in whole if not one.is_reply or _is_in_span(one, args)]
    start = int(args.get("cursor") or 0)
    end = start + min(int(args.get("limit") or PAGE_SIZE), PAGE_SIZE)
    more = end < len(thread)
    return {
        "messages": [_in_thread(message, whole) for message in thread[start:end]],
        "has_more": more,
        "response_metadata": {"next_cursor": str(end) if more else ""},
    }


def _is_in_span(message: Message, args: Json) -> bool:
    """Return whether a message lies between `oldest` and `latest`; on them where inclusive."""
    ts = float(message.ts)
    oldest, latest = float(args.get("oldest") or 0), float(args.get("latest") or "inf")
    if truthy(args.get("inclusive")):
        return oldest <= ts <= latest
    return oldest < ts < latest


def _in_thread(message: Message, thread: list[Message]) -> Json:
    body = message.as_json()
    if not message.is_reply and len(thread) > 1:
        body |= {"thread_ts": message.ts, "reply_count": len(thread) - 1}
    return body
