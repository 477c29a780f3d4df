"""The Home tab: what the app does, and the way to its form."""

from __future__ import annotations

from slack_bolt import App, Args

from bot.form.views import home_view
from bot.limits import assert_valid
from bot.listeners.acknowledging import acknowledge
from bot.listeners.desk import Desk

OPENED = "app_home_opened"
"""Name of the event, as in the manifest."""

HOME = "home"
"""Tab that is filled; the other one holds messages."""


def register(app: App, desk: Desk) -> None:
    """Attach the listener that fills the tab."""

    def shown(args: Args) -> None:
        event = args.body["event"]
        if event.get("tab") != HOME:
            return
        with desk.delivery(args):
            view = home_view(desk.messages(desk.language(args)))
            assert_valid("home", view)
            args.client.views_publish(user_id=event["user"], view=view)

    app.event(OPENED)(ack=acknowledge, lazy=[shown])
