"""chat.*: the app posts, edits and removes its messages."""

from __future__ import annotations

from bot.workspace.methods.conversations import direct_with, joined, readable
from bot.workspace.model import Json, Message
from bot.workspace.posting import Place, post_as_bot, rewrite
from bot.workspace.refusal import Refusal
from bot.workspace.world import World

# Reported limit of an edit, far below that of a new message.
UPDATE_TEXT_MAX_LENGTH = 4_000


def post_message(world: World, args: Json) -> Json:
    """Answer chat.postMessage; a user id as channel is their direct message."""
    target = args["channel"]
    direct = target in world.users and target != world.app.user.id
    channel = direct_with(world, target) if direct else joined(world, target)
    message = post_as_bot(world, Place(channel.id, args.get("thread_ts")), args)
    return {"channel": channel.id, "ts": message.ts, "message": message.as_json()}


def post_ephemeral(world: World, args: Json) -> Json:
    """Answer chat.postEphemeral."""
    channel = joined(world, args["channel"])
    if args["user"] not in channel.members:
        raise Refusal("user_not_in_channel")
    message = post_as_bot(world, Place(channel.id, args.get("thread_ts"), args["user"]), args)
    return {"message_ts": message.ts}


def update(world: World, args: Json) -> Json:
    """Answer chat.update."""
    message = _own(world, args, "cant_update_message")
    if world.channels[message.channel].is_archived:
        raise Refusal("is_inactive")
    if len(str(args.get("text") or "")) > UPDATE_TEXT_MAX_LENGTH:
        raise Refusal("msg_too_long")
    edited = rewrite(world, message, args)
    return {
        "channel": edited.channel,
        "ts": edited.ts,
        "text": edited.text,
        "message": edited.as_json(),
    }


def delete(world: World, args: Json) -> Json:
    """Answer chat.delete."""
    message = _own(world, args, "cant_delete_message")
    world.drop(message)
    return {"channel": message.channel, "ts": message.ts}


def get_permalink(world: World, args: Json) -> Json:
    """Answer chat.getPermalink with an address that leads nowhere outside."""
    channel = readable(world, args["channel"])
    message = world.find(channel.id, args["message_ts"])
    if message is None or message.is_ephemeral:
        raise Refusal("message_not_found")
    link = f"https://local.invalid/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.is_reply:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def _own(world: World, args: Json, code: str) -> Message:
    """Return a message of the app; ephemeral ones are out of reach here."""
    channel = readable(world, args["channel"])
    message = world.find(channel.id, args["ts"])
    if message is None or message.is_ephemeral:
        raise Refusal("message_not_found")
    if message.bot_id != world.app.bot_id:
        raise Refusal(code)
    return message
