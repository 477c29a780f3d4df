"""The message shortcut that sizes the model whose file a message carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_bolt import App, Args

from bot.listeners.acknowledging import acknowledge
from bot.listeners.desk import Desk

SIZE_FILE = "gpus1.size_file"
"""Name of the shortcut, as in the manifest."""


def register(app: App, desk: Desk) -> None:
    """Attach the shortcut's listener."""

    def answer(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(_use(args.body)):
                desk.send_below(args, desk.size_file(args))

    app.message_shortcut(SIZE_FILE)(ack=acknowledge, lazy=[answer])


def _use(body: Mapping[str, Any]) -> str:
    """Return what makes one use of the shortcut: the same delivery twice has the same key."""
    return f"shortcut:{body['trigger_id']}:{body['action_ts']}"
