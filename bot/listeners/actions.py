"""Buttons under our messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import App, Args

from bot.actions import ASK, EXPLAIN, OPINION, START
from bot.checklist.blocks import TICK
from bot.listeners.acknowledging import acknowledge
from bot.listeners.delivery import Delivery
from bot.listeners.desk import Desk
from bot.reply import Reply

QUESTIONS = re.compile(rf"^{re.escape(ASK)}\.\d+$")
"""Buttons that ask the question they carry."""

TICKS = re.compile(rf"^{re.escape(TICK)}\.")
"""Boxes of a checklist."""

ANYTHING = re.compile(r"^gpus\d+\.")
"""Any button of ours, newer or older than this version."""

SAME_CLICK_S = 10.0
"""Time within which a page below a message comes once, however often its button is clicked, s."""


SAME_OPINION_S = 60.0
"""The same for a second opinion, which takes its time, s."""


def register(app: App, desk: Desk) -> None:
    """Attach a listener to each button, and one that answers for buttons of other versions."""

    def ask(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(click_of(args.body)):
                desk.send(args, desk.ask(args, value_in(args.body)))

    def tick(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(click_of(args.body)):
                desk.tick(args)

    def expired(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(click_of(args.body)):
                desk.send(args, desk.expired(args))

    app.action(EXPLAIN)(ack=acknowledge, lazy=[_below(desk, desk.explain, "explain")])
    app.action(START)(ack=acknowledge, lazy=[_below(desk, desk.start, "start")])
    opined = _below(desk, desk.second_opinion, "opinion", window_s=SAME_OPINION_S)
    app.action(OPINION)(ack=acknowledge, lazy=[opined])
    app.action(QUESTIONS)(ack=acknowledge, lazy=[ask])
    app.action(TICKS)(ack=acknowledge, lazy=[tick])
    app.action(ANYTHING)(ack=acknowledge, lazy=[expired])


def _below(
    desk: Desk,
    page: Callable[[Args, str], Reply],
    kind: str,
    *,
    window_s: float = SAME_CLICK_S,
) -> Callable[[Args], None]:
    """Return the listener that puts a page about the clicked answer below it."""

    def answer(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if _claims_page(delivery, args.body, kind, window_s):
                reply = page(args, value_in(args.body))
                if reply.private:
                    # Only this person sees why there is none: the next one is told too, and the
                    # same one who asks again as soon as they have read it.
                    delivery.release()
                desk.send_below(args, reply)

    return answer


def value_in(body: Mapping[str, Any]) -> str:
    """Return what the clicked element carries: a button's value or the chosen option's."""
    action = body["actions"][0]
    chosen = action.get("selected_option") or action
    return str(chosen["value"])


def click_of(body: Mapping[str, Any]) -> str:
    """Return what makes one click: the same delivery twice has the same key."""
    action, user = body["actions"][0], body["user"]["id"]
    return f"action:{body['trigger_id']}:{action['action_id']}:{action['action_ts']}:{user}"


def _claims_page(delivery: Delivery, body: Mapping[str, Any], kind: str, window_s: float) -> bool:
    page = _page(body, kind)
    return delivery.claim(click_of(body)) and delivery.claim(page, window_s=window_s)


def _page(body: Mapping[str, Any], kind: str) -> str:
    """Return what makes one page about an answer: its kind and the message that was clicked."""
    container = body["container"]
    where = container.get("channel_id") or body["user"]["id"]
    return f"{kind}:{where}:{container.get('message_ts') or container.get('view_id')}"
