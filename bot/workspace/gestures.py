"""What people type and open: slash commands, messages, mentions, shortcuts, the Home tab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from bot.workspace import payloads
from bot.workspace.answers import apply_command_answer
from bot.workspace.courier import Courier
from bot.workspace.methods.files import file_json, uploaded_by_a_person
from bot.workspace.model import Delivery, DeliveryKind, Json, Message
from bot.workspace.mrkdwn import typed_command, typed_message
from bot.workspace.people import Channel, User
from bot.workspace.posting import Place, notice, say

_MESSAGE_EVENTS = {"im": "message.im", "group": "message.groups", "channel": "message.channels"}


class MentionsTell(StrEnum):
    """What an app_mention event tells of the files of its message; Slack has sent all three.

    Ids alone: slackapi/bolt-js pull request 2057. Nothing: older payloads, which had no files.
    """

    FILES = "files"
    IDS = "ids"
    NOTHING = "nothing"


class Gestures:
    """Turn typing into payloads, deliver them, and apply the answers."""

    def __init__(
        self,
        courier: Courier,
        *,
        commands: frozenset[str],
        events: frozenset[str],
        should_escape: bool = False,
    ) -> None:
        self._courier = courier
        self._world = courier.world
        self.commands = commands
        self._events = events
        self._should_escape = should_escape
        self.mentions_tell = MentionsTell.FILES

    async def command(
        self, user: User, channel: Channel, line: str, *, thread_ts: str | None = None
    ) -> Delivery:
        """Send a slash command; in a thread, or when unknown, Slack's client refuses it."""
        name, _, text = line.strip().partition(" ")
        place = Place(channel.id, thread_ts, user.id)
        if thread_ts is not None:
            refused = Delivery("command", {}, error="commands_not_in_threads")
            text = f"{name} is not supported in threads. Sorry!"
            return self._courier.refuse(refused, place, text)
        if name not in self.commands:
            refused = Delivery("command", {}, error="unknown_command")
            return self._courier.refuse(refused, place, f"{name} is not a valid command.")
        payload = payloads.command(
            self._world,
            user,
            channel,
            name=name,
            text=self._encoded(text.strip()),
            response_url=self._courier.response_url(user.id, channel.id),
        )
        delivery = await self._courier.deliver("command", payload)
        if delivery.error:
            text = f"{name} failed with the error {delivery.error!r}."
            notice(self._world, place, delivery.error, text)
        else:
            apply_command_answer(self._world, place, delivery.body)
        return delivery

    async def say(
        self,
        user: User,
        channel: Channel,
        text: str,
        *,
        thread_ts: str | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Message:
        """Post what a person wrote and uploaded, and send the events the app subscribed to."""
        encoded = typed_message(text, self._world.users.values(), self._world.channels.values())
        base_url = self._courier.base_url
        uploaded = [
            uploaded_by_a_person(self._world, user.id, name, content, base_url=base_url)
            for name, content in (files or {}).items()
        ]
        attached = tuple(map(file_json, uploaded))
        place = Place(channel.id, thread_ts)
        message = say(self._world, place, user.id, encoded, files=attached)
        await self.announce(message)
        return message

    async def announce(self, message: Message) -> None:
        """Send the events of a new message: `message`, and `app_mention` for a mention."""
        channel = self._world.channels[message.channel]
        bot = self._world.app.user.id
        if bot not in channel.members:
            return
        if _MESSAGE_EVENTS[payloads.channel_type(channel)] in self._events:
            await self._courier.event(payloads.message_event(self._world, message))
        mentioned = f"<@{bot}>" in message.text and message.user != bot
        if mentioned and not channel.is_im and "app_mention" in self._events:
            told = replace(message, files=self._told(message))
            mention = payloads.message_event(self._world, told, "app_mention")
            await self._courier.event(mention)

    async def edit(self, message: Message, text: str) -> Message:
        """Change the words of a person's message, and send the event of it."""
        encoded = typed_message(text, self._world.users.values(), self._world.channels.values())
        changed = replace(message, text=encoded, edited_ts=self._world.next_ts())
        self._world.put(changed)
        await self._tell_of(changed, payloads.changed_event(self._world, changed, message))
        return changed

    async def delete(self, message: Message) -> None:
        """Delete a message, and send the event of it."""
        self._world.drop(message)
        await self._tell_of(message, payloads.deleted_event(self._world, message))

    async def _tell_of(self, message: Message, event: Json) -> None:
        channel = self._world.channels[message.channel]
        is_subscribed = _MESSAGE_EVENTS[payloads.channel_type(channel)] in self._events
        if is_subscribed and self._world.app.user.id in channel.members:
            await self._courier.event(event)

    def _told(self, message: Message) -> tuple[Json, ...]:
        """Return of the files of a message what its mention tells."""
        if self.mentions_tell is MentionsTell.IDS:
            return tuple({"id": file["id"]} for file in message.files)
        return message.files if self.mentions_tell is MentionsTell.FILES else ()

    @property
    def has_home(self) -> bool:
        """Tell whether the app fills a Home tab."""
        return "app_home_opened" in self._events

    async def open_home(self, user: User) -> Delivery | None:
        """Open the Home tab of the app."""
        if not self.has_home:
            return None
        return await self._courier.event(payloads.home_event(self._world, user))

    async def shortcut(
        self, user: User, callback_id: str, message: Message | None = None
    ) -> Delivery:
        """Use a global shortcut, or a message shortcut on a message."""
        kind: DeliveryKind = "message_action" if message else "shortcut"
        payload = payloads.interaction(self._world, user, kind) | {
            "callback_id": callback_id,
            "trigger_id": self._world.new_trigger(
                user.id, channel=message.channel if message else None
            ),
            "action_ts": self._world.next_ts(),
        }
        if message:
            payload |= {
                "channel": payloads.channel_stub(self._world.channels[message.channel]),
                "message_ts": message.ts,
                "message": message.as_json(),
                "response_url": self._courier.response_url(user.id, message.channel),
            }
        return await self._courier.deliver(kind, payload)

    def _encoded(self, text: str) -> str:
        """Encode the text of a command; with should_escape off it arrives as it was typed."""
        if not self._should_escape:
            return text
        return typed_command(text, self._world.users.values(), self._world.channels.values())
