"""Buttons under our messages."""

from __future__ import annotations

import re

from slack_bolt import App, Args

from bot.listeners.commands import acknowledge
from bot.listeners.desk import Desk

EXPLAIN = "gpus1.explain"
"""Explains the answer whose id the button carries."""

ASK = re.compile(r"^gpus1\.ask\.\d+$")
"""Asks the question that the button carries."""

ANYTHING = re.compile(r"^gpus\d+\.")
"""Any button of ours, newer or older than this version."""


def register(app: App, desk: Desk) -> None:
    """Attach a listener to each button, and one that answers for buttons of other versions."""

    def explain(args: Args) -> None:
        with desk.delivery(args, key=_key(args)) as is_new:
            if is_new:
                desk.send_below(args, desk.explain(args, _value(args)))

    def ask(args: Args) -> None:
        with desk.delivery(args, key=_key(args)) as is_new:
            if is_new:
                desk.send(args, desk.ask(args, _value(args)))

    def expired(args: Args) -> None:
        with desk.delivery(args, key=_key(args)) as is_new:
            if is_new:
                desk.send(args, desk.expired(args))

    app.action(EXPLAIN)(ack=acknowledge, lazy=[explain])
    app.action(ASK)(ack=acknowledge, lazy=[ask])
    app.action(ANYTHING)(ack=acknowledge, lazy=[expired])


def _value(args: Args) -> str:
    """Return what the clicked element carries: a button's value or the chosen option's."""
    action = args.body["actions"][0]
    chosen = action.get("selected_option") or action
    return str(chosen["value"])


def _key(args: Args) -> str:
    """Return what makes one click: the same delivery twice has the same key."""
    action, user = args.body["actions"][0], args.body["user"]["id"]
    return f"action:{args.body['trigger_id']}:{action['action_id']}:{action['action_ts']}:{user}"
