"""Who is who in Slack: the members of groups and conversations, and everybody's name."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.errors import CodedError
from bot.listeners.outbox import FAILURES
from bot.listeners.retries import error_code

KEEP_S: Final = 60.0
"""How long what Slack said is believed, s."""

MOST_KEPT: Final = 5000
"""People, groups and conversations remembered at once; the first to come is forgotten first."""

PAGE: Final = 500
"""Members that are asked for at once."""

MOST_PAGES: Final = 40
"""Pages of members that are read of one conversation."""

SCOPES: Final = {
    "usergroups.list": "usergroups:read",
    "usergroups.users.list": "usergroups:read",
    "conversations.members": "channels:read, groups:read",
    "conversations.info": "channels:read, groups:read",
    "users.info": "users:read",
}
"""Scopes of the methods called here, as their reference pages name them."""

DIRECT: Final = "DM"
"""What a direct message is called, in both languages."""


@dataclass(frozen=True)
class Conversation:
    """What Slack says of a conversation."""

    name: str
    """Name people read, `#gpu-planning`."""

    is_public: bool = False
    """Whether everybody of the workspace may read it."""

    is_member: bool = False
    """Whether the app is a member."""

    is_archived: bool = False
    """Whether nobody can write in it any more."""


class People:
    """Remembers for a minute what Slack says about people, groups and conversations."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[tuple[str, ...], tuple[float, Any]] = {}

    def now_s(self) -> float:
        """Return the moment by a clock that never goes back, s."""
        return self._clock()

    def directory(
        self, client: WebClient, *, team_id: str | None, own_id: str | None
    ) -> SlackDirectory:
        """Return the directory of a workspace, in which `own_id` is the app itself."""
        return SlackDirectory(self, client, team_id or "", own_id or "")

    def remembered(self, key: tuple[str, ...], read: Callable[[], Any]) -> Any:  # noqa: ANN401 (any answer of Slack's)
        """Return what is known under a key, read anew where that is old; failures are not kept."""
        until, value = self._known.get(key, (0.0, None))
        if self.now_s() < until:
            return value
        value = read()
        with self._lock:
            self._known.pop(key, None)
            while len(self._known) >= MOST_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = (self.now_s() + KEEP_S, value)
        return value


@dataclass(frozen=True)
class SlackDirectory:
    """The people of one workspace.

    Who may approve is never guessed: what Slack does not tell raises CodedError, which says why.
    A name that cannot be read is the id.
    """

    people: People
    """What is remembered."""

    client: WebClient
    """Web API, as the bot."""

    team_id: str
    """Workspace; empty where the delivery does not say."""

    own_id: str
    """User id of the app, which is in every conversation and decides nothing."""

    def members(self, subject: str) -> frozenset[str]:
        """Return the ids of the people in a user group or a conversation; raise CodedError."""
        if subject.startswith("D"):
            return frozenset()
        read = self._group_members if subject.startswith("S") else self._channel_members
        found: frozenset[str] = self._asked(subject, "members", lambda: read(subject))
        return found - {self.own_id}

    def name(self, subject: str) -> str:
        """Return what people call a person, a user group or a conversation."""
        try:
            if subject.startswith("S"):
                return self._group_names().get(subject, subject)
            if subject.startswith(("C", "G", "D")):
                return self.conversation(subject).name
            return _person_name(self._profile(subject)) or subject
        except CodedError:
            return subject

    def is_bot(self, user_id: str) -> bool:
        """Return whether an account is a program's; raise CodedError where Slack does not say."""
        return user_id == self.own_id or bool(self._profile(user_id).get("is_bot"))

    def conversation(self, channel_id: str) -> Conversation:
        """Return what Slack says of a conversation; raise CodedError where it says nothing."""
        if channel_id.startswith("D"):
            return Conversation(DIRECT, is_member=True)
        told = self._asked(
            channel_id,
            "conversation",
            lambda: self.client.conversations_info(channel=channel_id)["channel"] or {},
        )
        return Conversation(
            f"#{told['name']}" if told.get("name") else channel_id,
            is_public=not (told.get("is_private") or told.get("is_im") or told.get("is_mpim")),
            is_member=bool(told.get("is_member")),
            is_archived=bool(told.get("is_archived")),
        )

    def _profile(self, user_id: str) -> dict[str, Any]:
        profile: dict[str, Any] = self._asked(
            user_id, "person", lambda: self.client.users_info(user=user_id)["user"] or {}
        )
        return profile

    def _group_names(self) -> dict[str, str]:
        names: dict[str, str] = self._asked("", "groups", lambda: dict(self._read_groups()))
        return names

    def _read_groups(self) -> Iterator[tuple[str, str]]:
        for group in self.client.usergroups_list(include_disabled=True)["usergroups"] or ():
            yield group["id"], f"@{group['handle']}"

    def _group_members(self, group_id: str) -> frozenset[str]:
        return frozenset(self.client.usergroups_users_list(usergroup=group_id)["users"] or ())

    def _channel_members(self, channel_id: str) -> frozenset[str]:
        found: set[str] = set()
        cursor = ""
        for _ in range(MOST_PAGES):
            page = self.client.conversations_members(
                channel=channel_id, limit=PAGE, cursor=cursor or None
            )
            found |= set(page["members"] or ())
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return frozenset(found)

    def _asked(self, subject: str, kind: str, read: Callable[[], Any]) -> Any:  # noqa: ANN401 (any answer of Slack's)
        try:
            return self.people.remembered((self.team_id, kind, subject), read)
        except FAILURES as error:
            raise _unreadable(subject, error) from error


def _unreadable(subject: str, error: Exception) -> CodedError:
    """Return the sentence that says why nobody knows who may decide."""
    code = error_code(error) if isinstance(error, SlackApiError) else "no_answer"
    if isinstance(error, SlackApiError) and code == "missing_scope":
        method = str(error.response.api_url or "").rpartition("/")[2]
        needed = str(error.response.get("needed") or SCOPES.get(method, "channels:read"))
        return CodedError("people_scope", name=subject, scope=needed)
    return CodedError("people_unreadable", name=subject or "Slack", error=code)


def _person_name(profile: dict[str, Any]) -> str:
    shown = profile.get("profile") or {}
    names = (shown.get("display_name"), profile.get("real_name"), profile.get("name"))
    return next((str(name) for name in names if name), "")
