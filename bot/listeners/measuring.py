"""“Wrong number?” below an answer: the form that takes what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slack_bolt import Ack, App, Args

from bot.actions import WRONG
from bot.listeners.acknowledging import acknowledge
from bot.listeners.desk import Desk
from bot.listeners.viewing import open_view
from bot.measured_view import MEASURED, line_of, measured_view, origin_of, problems_of


def register(app: App, desk: Desk) -> None:
    """Attach the listeners of the button and of its form."""

    def opened(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(f"form:{args.body['trigger_id']}"):
                reference = str(args.body["actions"][0]["value"])
                origin = desk.origin(args, reference)
                view = measured_view(origin, desk.messages(desk.language(args)))
                open_view(args, desk, view)

    def checked(ack: Ack, view: Mapping[str, Any]) -> None:
        problems = problems_of(view, desk.messages(origin_of(view).language))
        if problems:
            ack(response_action="errors", errors=problems)
        else:
            ack()

    def submitted(args: Args) -> None:
        view = args.body["view"]
        origin = origin_of(view)
        if problems_of(view, desk.messages(origin.language)):
            return
        with desk.delivery(args) as delivery:
            if delivery.claim(f"view:{view['id']}:{view['hash']}"):
                reply = desk.fill_form(args, line_of(view), origin.channel)
                desk.post_below(args, reply, origin)

    app.action(WRONG)(ack=acknowledge, lazy=[opened])
    app.view(MEASURED)(ack=checked, lazy=[submitted])
