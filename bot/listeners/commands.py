"""The slash command."""

from __future__ import annotations

from slack_bolt import App, Args

from bot.form.line import asks_for_form
from bot.listeners.acknowledging import COMMAND, acknowledge
from bot.listeners.desk import Desk
from bot.listeners.forms import open_form


def register(app: App, desk: Desk) -> None:
    """Attach the command's listener."""

    def answer(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if not delivery.claim(f"command:{args.body['trigger_id']}"):
                return
            text = args.body.get("text") or ""
            wanted = asks_for_form(text)
            if wanted is None:
                desk.send(args, desk.ask(args, text))
            else:
                open_form(args, desk, wanted)

    app.command(COMMAND)(ack=acknowledge, lazy=[answer])
