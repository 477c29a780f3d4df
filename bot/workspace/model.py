"""What the workspace remembers: messages, views, triggers, response urls, files, deliveries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from bot.workspace.text import render_message, render_view

Json = dict[str, Any]
"""A decoded JSON object."""

Values = dict[str, dict[str, Json]]
"""State of the inputs: block id, action id, value."""


@dataclass(frozen=True)
class Message:
    """A message as it stands now; a change makes a new value with the same ts."""

    channel: str
    ts: str
    user: str
    text: str = ""
    blocks: tuple[Json, ...] = ()
    attachments: tuple[Json, ...] = ()
    files: tuple[Json, ...] = ()
    thread_ts: str | None = None
    bot_id: str | None = None
    visible_to: str | None = None
    """User id of the only reader, or None when the channel reads it."""
    notice: str | None = None
    """Code of a sentence that Slack itself shows, such as `operation_timeout`."""
    edited_ts: str | None = None
    reply_broadcast: bool = False
    mrkdwn: bool = True
    metadata: Json | None = None

    @property
    def is_ephemeral(self) -> bool:
        """Tell whether only one person sees it."""
        return self.visible_to is not None

    @property
    def is_reply(self) -> bool:
        """Tell whether it stands in a thread, below the root."""
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def shown(self) -> str:
        """Return what a reader sees, as plain text."""
        return render_message(self.as_json())

    def as_json(self) -> Json:
        """Return the message as the Web API and the payloads show it."""
        optional: Json = {
            "blocks": list(self.blocks),
            "attachments": list(self.attachments),
            "files": list(self.files),
            "thread_ts": self.thread_ts,
            "bot_id": self.bot_id,
            "metadata": self.metadata,
            "edited": {"user": self.user, "ts": self.edited_ts} if self.edited_ts else None,
        }
        shown = {key: value for key, value in optional.items() if value}
        return {"type": "message", "user": self.user, "text": self.text, "ts": self.ts, **shown}


@dataclass(frozen=True)
class View:
    """A modal or a Home tab as one user has it open; every change gives a new hash."""

    id: str
    user: str
    content: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    values: Values = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    """Messages shown under inputs: block id, sentence."""
    notice: str | None = None
    """Code of what Slack shows when the app did not answer well, such as `trouble_connecting`."""

    @property
    def blocks(self) -> list[Json]:
        """Return the blocks of the view."""
        return list(self.content.get("blocks", []))

    @property
    def title(self) -> str:
        """Return the title of a modal, empty for a Home tab."""
        return str(self.content.get("title", {}).get("text", ""))

    @property
    def shown(self) -> str:
        """Return what its user sees, as plain text."""
        return render_view(self.content)

    @property
    def private_metadata(self) -> str:
        """Return what the app stored in the view."""
        return str(self.content.get("private_metadata", ""))

    @property
    def callback_id(self) -> str:
        """Return the name that the app gave to the view."""
        return str(self.content.get("callback_id", ""))


@dataclass(frozen=True)
class Trigger:
    """Permission to open one modal, for three seconds."""

    id: str
    user: str
    created_s: float
    view_id: str | None = None
    """The modal that the user was in, which allows a push."""
    channel: str | None = None
    """The conversation that the user was in."""


@dataclass(frozen=True)
class ResponseUrl:
    """A way to answer one interaction, five times within thirty minutes."""

    id: str
    user: str
    channel: str
    created_s: float
    message_ts: str | None = None
    thread_ts: str | None = None
    uses: int = 0


@dataclass(frozen=True)
class UploadedFile:
    """A file on its way through the three calls of an external upload, or shared."""

    id: str
    name: str
    size_bytes: int
    title: str = ""
    alt_text: str = ""
    content: bytes | None = None
    shared: bool = False
    user: str = ""
    """Who uploaded it, where that was a person."""
    download_url: str = ""
    """Address that hands it to the app; empty for the app's own."""
    created_s: int = 0


DeliveryKind = Literal[
    "command",
    "block_actions",
    "view_submission",
    "view_closed",
    "block_suggestion",
    "shortcut",
    "message_action",
    "event",
    "raw",
]


@dataclass(frozen=True)
class Delivery:
    """One request to the app and what came back."""

    kind: DeliveryKind
    payload: Json
    transport: Literal["http", "socket", "none"] = "none"
    """`none`: Slack's client refused before anything was sent."""
    status: int | None = None
    """HTTP status; 200 for an acknowledged envelope; None when no answer came."""
    body: Json | str | None = None
    error: str | None = None
    """Code of what the user is told: `operation_timeout`, `dispatch_failed`…"""
    ack_ms: float | None = None
    """Time until the acknowledgement, in ms."""
    raw_body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def acked(self) -> bool:
        """Tell whether the app acknowledged in time."""
        return self.error is None and self.status == 200


@dataclass(frozen=True)
class ApiCall:
    """One Web API call of the app, as the workspace answered it."""

    method: str
    args: Json
    ok: bool
    error: str | None = None
