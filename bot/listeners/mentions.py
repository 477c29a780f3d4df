"""Mentions of the app: any question, in a channel or a thread, with files beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_bolt import App, Args

from bot.listeners.acknowledging import acknowledge
from bot.listeners.desk import Desk

MENTION = "app_mention"
"""Name of the event, as in the manifest."""


def register(app: App, desk: Desk) -> None:
    """Attach the listener of mentions; those by other apps are left alone."""

    def answer(args: Args) -> None:
        event = args.body["event"]
        if event.get("bot_id") or not event.get("user"):
            return
        with desk.delivery(args) as delivery:
            if delivery.claim(_mention(event)):
                desk.send_below(args, desk.mentioned(args))

    app.event(MENTION)(ack=acknowledge, lazy=[answer])


def _mention(event: Mapping[str, Any]) -> str:
    """Return what makes one mention; an edited message asks anew."""
    edited_ts = (event.get("edited") or {}).get("ts") or ""
    return f"mention:{event['channel']}:{event['ts']}:{edited_ts}"
