"""The bodies that Slack sends to an app."""

from __future__ import annotations

from bot.workspace.model import Json, Message, View
from bot.workspace.people import TEAM_ID, TEAM_NAME, Channel, User
from bot.workspace.viewing import view_json
from bot.workspace.world import World

# The deprecated verification token: present in every payload, trusted by none.
VERIFICATION_TOKEN = "local-verification"  # noqa: S105


def user_stub(user: User) -> Json:
    """Return a user as interactions name them."""
    return {"id": user.id, "username": user.name, "name": user.name, "team_id": TEAM_ID}


def channel_stub(channel: Channel) -> Json:
    """Return a channel as interactions name it."""
    return {"id": channel.id, "name": "directmessage" if channel.is_im else channel.name}


def command(
    world: World, user: User, channel: Channel, *, name: str, text: str, response_url: str
) -> Json:
    """Build the form of a slash command."""
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM_ID,
        "team_domain": TEAM_NAME,
        "channel_id": channel.id,
        "channel_name": channel_stub(channel)["name"],
        "user_id": user.id,
        "user_name": user.name,
        "command": name,
        "text": text,
        "api_app_id": world.app.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": world.new_trigger(user.id, channel=channel.id),
    }


def interaction(world: World, user: User, kind: str) -> Json:
    """Build what all interactions share."""
    return {
        "type": kind,
        "team": {"id": TEAM_ID, "domain": TEAM_NAME},
        "user": user_stub(user),
        "api_app_id": world.app.app_id,
        "token": VERIFICATION_TOKEN,
        "enterprise": None,
        "is_enterprise_install": False,
    }


def in_message(world: World, message: Message) -> Json:
    """Describe the message that an interaction happened in; ephemeral ones are not included."""
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": message.channel,
        "is_ephemeral": message.is_ephemeral,
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    body: Json = {
        "container": container,
        "channel": channel_stub(world.channels[message.channel]),
    }
    return body if message.is_ephemeral else {**body, "message": message.as_json()}


def in_view(world: World, view: View) -> Json:
    """Describe the view that an interaction happened in."""
    return {
        "container": {"type": "view", "view_id": view.id},
        "view": view_json(world, view),
    }


def event(world: World, body: Json) -> Json:
    """Wrap an event in the envelope of the Events API."""
    authorization = {
        "enterprise_id": None,
        "team_id": TEAM_ID,
        "user_id": world.app.user.id,
        "is_bot": True,
        "is_enterprise_install": False,
    }
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM_ID,
        "api_app_id": world.app.app_id,
        "event": body,
        "type": "event_callback",
        "event_id": world.next_id("Ev"),
        "event_time": int(world.clock.now_s()),
        "authorizations": [authorization],
        "is_ext_shared_channel": False,
    }


def message_event(world: World, message: Message, kind: str = "message") -> Json:
    """Build the `message` or `app_mention` event of a message."""
    channel = world.channels[message.channel]
    body: Json = {
        "type": kind,
        "user": message.user,
        "text": message.text,
        "ts": message.ts,
        "channel": message.channel,
        "event_ts": message.ts,
        "team": TEAM_ID,
    }
    optional: Json = {"thread_ts": message.thread_ts, "bot_id": message.bot_id}
    if message.files:
        optional["files"] = list(message.files)
        body |= {"upload": False, "display_as_bot": False}
    if kind == "message":
        optional["subtype"] = "file_share" if message.files and not message.bot_id else None
        optional["channel_type"] = channel_type(channel)
        optional["blocks"] = list(message.blocks)
    return event(world, body | {key: value for key, value in optional.items() if value})


def changed_event(world: World, message: Message, before: Message) -> Json:
    """Build the event of a message that its writer has changed."""
    change: Json = {"message": message.as_json(), "previous_message": before.as_json()}
    return _about_message(world, message, "message_changed", change)


def deleted_event(world: World, message: Message) -> Json:
    """Build the event of a message that was deleted."""
    deletion: Json = {"previous_message": message.as_json(), "deleted_ts": message.ts}
    return _about_message(world, message, "message_deleted", deletion)


def _about_message(world: World, message: Message, subtype: str, more: Json) -> Json:
    """Build the event of what happens to a message: who did it stands inside, if at all."""
    ts = world.next_ts()
    body: Json = {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": message.channel,
        "channel_type": channel_type(world.channels[message.channel]),
        "ts": ts,
        "event_ts": ts,
    }
    return event(world, body | more)


def channel_type(channel: Channel) -> str:
    """Return the word that message events use for a kind of channel."""
    if channel.is_im:
        return "im"
    return "group" if channel.is_private else "channel"


def home_event(world: World, user: User) -> Json:
    """Build the app_home_opened event."""
    view = world.views.get(world.homes.get(user.id, ""))
    direct = next(c for c in world.channels.values() if c.is_im and user.id in c.members)
    body: Json = {
        "type": "app_home_opened",
        "user": user.id,
        "channel": direct.id,
        "tab": "home",
        "event_ts": world.next_ts(),
    }
    return event(world, {**body, "view": view_json(world, view)} if view else body)
