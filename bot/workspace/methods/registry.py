"""Which function answers which method, and with which kind of token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bot.workspace.methods import chat, conversations, files, users, views
from bot.workspace.model import Json
from bot.workspace.world import World


@dataclass(frozen=True)
class Method:
    """A Web API method."""

    answer: Callable[[World, Json], Json]
    required: tuple[str, ...] = ()
    token: Literal["bot", "app"] = "bot"  # noqa: S105


METHODS: dict[str, Method] = {
    "api.test": Method(users.api_test),
    "auth.test": Method(users.auth_test),
    "users.info": Method(users.info, ("user",)),
    "users.list": Method(users.list_all),
    "usergroups.list": Method(users.list_groups),
    "usergroups.users.list": Method(users.list_group_members, ("usergroup",)),
    "chat.postMessage": Method(chat.post_message, ("channel",)),
    "chat.postEphemeral": Method(chat.post_ephemeral, ("channel", "user")),
    "chat.update": Method(chat.update, ("channel", "ts")),
    "chat.delete": Method(chat.delete, ("channel", "ts")),
    "chat.getPermalink": Method(chat.get_permalink, ("channel", "message_ts")),
    "conversations.info": Method(conversations.info, ("channel",)),
    "conversations.open": Method(conversations.open_direct),
    "conversations.members": Method(conversations.members, ("channel",)),
    "conversations.replies": Method(conversations.replies, ("channel", "ts")),
    "views.open": Method(views.open_modal, ("trigger_id", "view")),
    "views.push": Method(views.push, ("trigger_id", "view")),
    "views.update": Method(views.update, ("view",)),
    "views.publish": Method(views.publish, ("user_id", "view")),
    "files.getUploadURLExternal": Method(files.get_upload_url, ("filename", "length")),
    "files.completeUploadExternal": Method(files.complete_upload, ("files",)),
    "files.info": Method(files.info, ("file",)),
}
