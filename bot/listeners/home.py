"""The Home tab: what waits, what was asked for and decided, and the way to the form."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from slack_bolt import App, Args
from slack_sdk.errors import SlackApiError

from bot.home_view import PREFIX, HomeState, pressed, state_of
from bot.limits import assert_valid
from bot.listeners.acknowledging import acknowledge
from bot.listeners.desk import Desk
from bot.listeners.retries import error_code

logger = logging.getLogger(__name__)

OPENED = "app_home_opened"
"""Name of the event, as in the manifest."""

HOME = "home"
"""Tab that is filled; the other one holds messages."""

PRESSED = re.compile(rf"^{re.escape(PREFIX)}")
"""Filters of the tab, and the buttons between its pages."""


def register(app: App, desk: Desk) -> None:
    """Attach the listeners that fill the tab."""

    def shown(args: Args) -> None:
        event = args.body["event"]
        if event.get("tab") != HOME:
            return
        with desk.delivery(args):
            _publish(args, desk, str(event["user"]), state_of(event.get("view")))

    def changed(args: Args) -> None:
        with desk.delivery(args):
            view, action = args.body["view"], args.body["actions"][0]
            state = pressed(state_of(view), action)
            _publish(args, desk, str(args.body["user"]["id"]), state, shown=view)

    app.event(OPENED)(ack=acknowledge, lazy=[shown])
    app.action(PRESSED)(ack=acknowledge, lazy=[changed])


def _publish(
    args: Args,
    desk: Desk,
    user_id: str,
    state: HomeState,
    *,
    shown: Mapping[str, Any] | None = None,
) -> None:
    """Fill the tab; give up where it has been filled anew since it was pressed."""
    view = dict(desk.home(args, state))
    assert_valid("home", view)
    its_hash = {"hash": shown["hash"]} if shown and shown.get("hash") else {}
    try:
        args.client.views_publish(user_id=user_id, view=view, **its_hash)
    except SlackApiError as error:
        if error_code(error) != "hash_conflict":
            raise
        logger.info("Home tab of %s not filled: %s", user_id, error_code(error))
