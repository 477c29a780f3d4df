"""The slash command."""

from __future__ import annotations

from slack_bolt import Ack, App, Args

from bot.listeners.desk import Desk

COMMAND = "/gpusize"
"""Name of the command, as in the manifest."""


def register(app: App, desk: Desk) -> None:
    """Attach the command's listener."""

    def answer(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(f"command:{args.body['trigger_id']}"):
                desk.send(args, desk.ask(args, args.body.get("text") or ""))

    app.command(COMMAND)(ack=acknowledge, lazy=[answer])


def acknowledge(ack: Ack) -> None:
    """Tell Slack that the command arrived; nothing may stand before this."""
    ack()
