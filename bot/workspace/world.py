"""The state of the workspace, behind one lock: everything that Slack would keep on its servers."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from bot.errors import WorkspaceError
from bot.workspace.clock import Clock
from bot.workspace.model import (
    ApiCall,
    Delivery,
    Message,
    ResponseUrl,
    Trigger,
    UploadedFile,
    Values,
    View,
)
from bot.workspace.people import BotApp, Channel, User, UserGroup
from bot.workspace.refusal import Refusal

TRIGGER_LIFE_S = 3.0
RESPONSE_URL_LIFE_S = 30 * 60.0
RESPONSE_URL_USES = 5


class World:
    """Hold people, messages, views and permissions; wake whoever waits when something changes."""

    def __init__(
        self,
        *,
        clock: Clock,
        app: BotApp,
        users: tuple[User, ...],
        channels: tuple[Channel, ...],
        groups: tuple[UserGroup, ...] = (),
    ) -> None:
        self.clock = clock
        self.app = app
        self.users = {user.id: user for user in (*users, app.user)}
        self.channels = {channel.id: channel for channel in channels}
        self.groups = {group.id: group for group in groups}
        self.messages: dict[tuple[str, str], Message] = {}
        self.message_values: dict[tuple[str, str, str], Values] = {}
        self.views: dict[str, View] = {}
        self.stacks: dict[str, list[str]] = {user.id: [] for user in users}
        self.homes: dict[str, str] = {}
        self.triggers: dict[str, Trigger] = {}
        self.used_triggers: set[str] = set()
        self.response_urls: dict[str, ResponseUrl] = {}
        self.files: dict[str, UploadedFile] = {}
        self.calls: list[ApiCall] = []
        self.deliveries: list[Delivery] = []
        self.broadcasts: list[tuple[str, Message]] = []
        self.version = 0
        self.changed = threading.Condition(threading.RLock())
        self.listeners: list[Callable[[], None]] = []
        self._count = 0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Hold the lock, then wake all who wait for a change."""
        with self.changed:
            yield
            self.version += 1
            self.changed.notify_all()
        for listener in tuple(self.listeners):
            listener()

    def next_id(self, prefix: str) -> str:
        """Return a new identifier."""
        with self.changed:
            self._count += 1
            return f"{prefix}{self._count:06d}"

    def next_ts(self) -> str:
        """Return a new message timestamp, unique and in order."""
        with self.changed:
            self._count += 1
            return f"{int(self.clock.now_s())}.{self._count:06d}"

    def user_named(self, name: str) -> User:
        """Return the user with a name or id, else raise `WorkspaceError`."""
        wanted = name.removeprefix("@")
        for user in self.users.values():
            if wanted in (user.name, user.id):
                return user
        names = ", ".join(sorted(user.name for user in self.users.values()))
        raise WorkspaceError(f"Nobody here is called {name!r}; there are {names}.")

    def channel_named(self, name: str, user: str) -> Channel:
        """Return the channel with a name or id; the bot's name or `dm` is the user's DM with it."""
        wanted = name.removeprefix("#").removeprefix("@")
        for channel in self.channels.values():
            direct = channel.is_im and user in channel.members and wanted in (channel.name, "dm")
            if channel.id == wanted or direct or (channel.name == wanted and not channel.is_im):
                return channel
        names = ", ".join(sorted(c.name for c in self.channels.values() if not c.is_im))
        raise WorkspaceError(f"There is no channel {name!r}; there are {names} and dm.")

    def bot_is_in(self, channel_id: str) -> bool:
        """Tell whether the app's bot is a member of a channel."""
        return self.app.user.id in self.channels[channel_id].members

    def put(self, message: Message) -> Message:
        """Store a message, new or changed."""
        with self.change():
            self.messages[message.channel, message.ts] = message
        return message

    def drop(self, message: Message) -> None:
        """Remove a message."""
        with self.change():
            self.messages.pop((message.channel, message.ts), None)

    def find(self, channel: str, ts: str) -> Message | None:
        """Return a message by channel and ts, if it is there."""
        with self.changed:
            return self.messages.get((channel, ts))

    def thread_of(self, channel: str, root_ts: str) -> list[Message]:
        """List the root and the replies of a thread that everyone sees."""
        with self.changed:
            return [
                message
                for (where, ts), message in sorted(self.messages.items())
                if where == channel
                and not message.is_ephemeral
                and (ts == root_ts or message.thread_ts == root_ts)
            ]

    def seen_by(self, user: str) -> list[Message]:
        """List all messages that a user can see, oldest first."""
        with self.changed:
            return [
                message
                for _, message in sorted(self.messages.items(), key=lambda item: item[0][1])
                if user in self.channels[message.channel].members
                and message.visible_to in (None, user)
            ]

    def new_trigger(
        self, user: str, *, view_id: str | None = None, channel: str | None = None
    ) -> str:
        """Hand out a trigger that opens one modal within three seconds."""
        with self.changed:
            trigger_id = f"{self.next_id('')}.{secrets.token_hex(8)}"
            now_s = self.clock.now_s()
            self.triggers[trigger_id] = Trigger(trigger_id, user, now_s, view_id, channel)
            return trigger_id

    def use_trigger(self, trigger_id: str) -> Trigger:
        """Use up a trigger, or refuse it as Slack does."""
        with self.changed:
            trigger = self.triggers.get(trigger_id)
            if trigger is None:
                raise Refusal("invalid_trigger_id")
            if trigger_id in self.used_triggers:
                raise Refusal("exchanged_trigger_id")
            if self.clock.now_s() - trigger.created_s > TRIGGER_LIFE_S:
                raise Refusal("expired_trigger_id")
            self.used_triggers.add(trigger_id)
            return trigger

    def new_response_url(
        self,
        user: str,
        channel: str,
        *,
        message_ts: str | None = None,
        thread_ts: str | None = None,
    ) -> str:
        """Hand out the secret part of a response url."""
        with self.changed:
            secret = f"{self.next_id('')}-{secrets.token_hex(12)}"
            self.response_urls[secret] = ResponseUrl(
                secret, user, channel, self.clock.now_s(), message_ts, thread_ts
            )
            return secret

    def use_response_url(self, secret: str) -> ResponseUrl:
        """Count one use of a response url, or refuse it as Slack does."""
        with self.changed:
            url = self.response_urls.get(secret)
            if url is None:
                raise Refusal("no_service")
            if self.clock.now_s() - url.created_s > RESPONSE_URL_LIFE_S:
                raise Refusal("expired_url")
            if url.uses >= RESPONSE_URL_USES:
                raise Refusal("used_url")
            self.response_urls[secret] = replace(url, uses=url.uses + 1)
            return url
