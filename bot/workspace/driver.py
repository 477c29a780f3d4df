"""Play a person in tests: type, click, fill in, submit, and read what that person sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from bot.errors import WorkspaceError
from bot.workspace import payloads
from bot.workspace.inputs import find_option, is_list
from bot.workspace.interactions import Target, current, element_named
from bot.workspace.model import Delivery, Json, Message, View
from bot.workspace.people import Channel, User
from bot.workspace.viewing import top_of

if TYPE_CHECKING:
    from bot.workspace.local import Workspace

HOME_CHANNEL = "gpu-planning"
WAIT_S = 15.0
Seen = TypeVar("Seen", Message, View)
TargetT = TypeVar("TargetT", Message, View)
MessageTest = str | Callable[[Message], bool]
ViewTest = str | Callable[[View], bool]


class Person:
    """One person at work in the workspace."""

    def __init__(self, workspace: Workspace, user: User) -> None:
        self._workspace = workspace
        self._world = workspace.world
        self.user = user

    @property
    def id(self) -> str:
        """Return the user id."""
        return self.user.id

    @property
    def modal(self) -> View | None:
        """Return the modal in front, if one is open."""
        return top_of(self._world, self.id)

    @property
    def modals(self) -> list[View]:
        """List the open modals, the one in front last."""
        with self._world.changed:
            return [self._world.views[view_id] for view_id in self._world.stacks[self.id]]

    @property
    def home(self) -> View | None:
        """Return the Home tab as the app published it, if it did."""
        with self._world.changed:
            return self._world.views.get(self._world.homes.get(self.id, ""))

    def types(
        self, line: str, channel: str = HOME_CHANNEL, *, thread: Message | None = None
    ) -> Delivery:
        """Type a slash command and wait for its acknowledgement."""
        where = self._channel(channel)
        root = thread.thread_ts or thread.ts if thread else None
        work = self._workspace.gestures.command(self.user, where, line, thread_ts=root)
        return self._workspace.run(work)

    def uploads(
        self, files: Mapping[str, bytes], text: str = "", channel: str = HOME_CHANNEL
    ) -> Message:
        """Upload files to a channel, with words beside them."""
        return self.says(text, channel, files=files)

    def says(
        self,
        text: str,
        where: str | Message = HOME_CHANNEL,
        *,
        files: Mapping[str, bytes] | None = None,
    ) -> Message:
        """Write a message in a channel, or a reply in the thread of a message."""
        if isinstance(where, Message):
            channel, root = self._world.channels[where.channel], where.thread_ts or where.ts
        else:
            channel, root = self._channel(where), None
        say = self._workspace.gestures.say
        return self._workspace.run(say(self.user, channel, text, thread_ts=root, files=files))

    def edits(self, message: Message, text: str) -> Message:
        """Change the words of a message."""
        return self._workspace.run(self._workspace.gestures.edit(message, text))

    def deletes(self, message: Message) -> None:
        """Delete a message."""
        self._workspace.run(self._workspace.gestures.delete(message))

    def mentions(
        self, where: str | Message, text: str, *, files: Mapping[str, bytes] | None = None
    ) -> Message:
        """Write a message that starts with a mention of the app, files beside it."""
        return self.says(f"@{self._world.app.user.name} {text}", where, files=files)

    def clicks(
        self, target: Target, name: str, option: object = None, *, confirms: bool = True
    ) -> Delivery | None:
        """Press a button, or choose in a menu, by action id or by the text on it.

        Returns None when there is a confirm dialog and the person backs out of it.
        """
        _, element = element_named(current(self._world, target), name)
        if element.get("confirm") and not confirms:
            return None
        value = self._value(target, element, option)
        return self._workspace.run(
            self._workspace.interactions.act(self.user, target, element["action_id"], value)
        )

    def suggestions(self, target: Target, name: str, query: str) -> list[Json]:
        """Type into an external menu and return the options that the app offers."""
        work = self._workspace.interactions.suggest(self.user, target, name, query)
        return self._workspace.run(work)

    def fills(self, target: TargetT, values: Mapping[str, object]) -> TargetT:
        """Fill in inputs by label, action id or block id; return the view as it is now."""
        for name, value in values.items():
            _, element = element_named(current(self._world, target), name)
            stored = self._value(target, element, value)
            work = self._workspace.interactions.fill(
                self.user, target, element["action_id"], stored
            )
            self._workspace.run(work)
        return current(self._world, target)

    def submits(self, view: View) -> Delivery:
        """Press the submit button of a modal."""
        return self._workspace.run(self._workspace.interactions.submit(self.user, view))

    def closes(self, view: View) -> Delivery | None:
        """Close a modal without submitting it."""
        return self._workspace.run(self._workspace.interactions.close(self.user, view))

    def opens_home(self) -> Delivery | None:
        """Open the Home tab of the app."""
        return self._workspace.run(self._workspace.gestures.open_home(self.user))

    def uses_shortcut(self, callback_id: str, message: Message | None = None) -> Delivery:
        """Use a global shortcut, or a message shortcut on a message."""
        return self._workspace.run(
            self._workspace.gestures.shortcut(self.user, callback_id, message)
        )

    def sees(self, channel: str = HOME_CHANNEL) -> list[Message]:
        """List the messages of a channel that this person sees, replies in threads left out."""
        where = self._channel(channel).id
        return [
            message
            for message in self._world.seen_by(self.id)
            if message.channel == where and (not message.is_reply or message.reply_broadcast)
        ]

    def thread(self, message: Message) -> list[Message]:
        """List the root and the replies of a thread that this person sees."""
        root = message.thread_ts or message.ts
        return [
            seen
            for seen in self._world.seen_by(self.id)
            if seen.channel == message.channel and root in (seen.ts, seen.thread_ts)
        ]

    def waits_for_message(
        self, test: MessageTest, timeout_s: float = WAIT_S, *, after: Message | None = None
    ) -> Message:
        """Wait for a message that this person sees: one with this text, or that passes the test."""

        def found() -> Message | None:
            seen = self._world.seen_by(self.id)
            later = [message for message in seen if after is None or message.ts > after.ts]
            return next((message for message in later if _passes(test, message)), None)

        try:
            return self._workspace.wait_for(found, timeout_s, f"a message with {test!r}")
        except WorkspaceError as error:
            seen = "\n---\n".join(m.shown for m in self._world.seen_by(self.id)) or "nothing"
            raise WorkspaceError(f"{error} {self.user.name} sees:\n{seen}") from None

    def waits_for_modal(self, test: ViewTest = "", timeout_s: float = WAIT_S) -> View:
        """Wait for a modal in front whose text contains the words, or that passes the test."""

        def found() -> View | None:
            view = self.modal
            return view if view is not None and _passes(test, view) else None

        return self._workspace.wait_for(found, timeout_s, f"a modal with {test!r}")

    def command_payload(self, line: str, channel: str = HOME_CHANNEL) -> Json:
        """Build the form of a slash command without sending it, for `Workspace.send_raw`."""
        name, _, text = line.partition(" ")
        where = self._channel(channel)
        url = self._workspace.response_url(self.id, where.id)
        return payloads.command(
            self._world, self.user, where, name=name, text=text, response_url=url
        )

    def _channel(self, name: str) -> Channel:
        return self._world.channel_named(name, self.id)

    def _value(self, target: Target, element: Json, value: object) -> object:
        """Turn names into what the element holds: users and channels by id, options in full."""
        if value is None or isinstance(value, dict):
            return value
        if is_list(element["type"]) and not isinstance(value, list | tuple):
            value = [value]
        if isinstance(value, list | tuple):
            return [self._one_value(target, element, item) for item in value]
        return self._one_value(target, element, value)

    def _one_value(self, target: Target, element: Json, value: object) -> object:
        kind = element["type"]
        if isinstance(value, dict) or not isinstance(value, str):
            return value
        if kind.endswith("users_select"):
            return self._world.user_named(value).id
        if kind.endswith(("conversations_select", "channels_select")):
            return self._channel(value).id
        if kind.endswith("external_select"):
            offered = self.suggestions(target, element["action_id"], value)
            if len(offered) == 1:
                return offered[0]
            return find_option({**element, "options": offered}, value)
        return value


def _passes(test: str | Callable[[Seen], bool], seen: Seen) -> bool:
    return test in seen.shown if isinstance(test, str) else test(seen)
