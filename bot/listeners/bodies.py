"""Where a delivery from Slack says who acts, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Body = Mapping[str, Any]


def event_of(body: Body) -> Mapping[str, Any]:
    """Return the event of a delivery; empty for commands and clicks."""
    return body.get("event") or {}


def user_of(body: Body) -> Mapping[str, Any]:
    """Return the person of a delivery; empty where it does not say."""
    return body.get("user") or {}


def user_id_of(body: Body) -> str:
    """Return the id of the person of a delivery; empty where it does not say."""
    told = body.get("user_id") or user_of(body).get("id") or event_of(body).get("user")
    return str(told or "")


def channel_of(body: Body) -> str | None:
    """Return the conversation of a delivery; None in a modal or in the Home tab."""
    channel = body.get("channel_id") or (body.get("channel") or {}).get("id")
    channel = channel or event_of(body).get("channel")
    return None if channel is None else str(channel)


def is_ephemeral(body: Body) -> bool:
    """Return whether only one person sees the clicked message."""
    return bool((body.get("container") or {}).get("is_ephemeral"))


def thread_of(body: Body) -> str | None:
    """Return the root of the thread that the clicked message, or the mention, belongs to."""
    message = body.get("message") or event_of(body)
    return message.get("thread_ts") or message.get("ts")
