"""The form for a whole server: opened, redrawn, filled in, answered."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import Ack, App, Args
from slack_sdk.errors import SlackApiError

from bot.actions import REFINE
from bot.form.fields import PREFIX
from bot.form.views import FIRST, NEW, SECOND, Draft, done_view, draft_from, posted_in, waiting_view
from bot.limits import assert_valid
from bot.listeners.acknowledging import COMMAND, acknowledge
from bot.listeners.desk import Desk
from bot.listeners.outbox import DeliveryError
from bot.listeners.retries import error_code
from bot.messages import Messages

logger = logging.getLogger(__name__)

REDRAWS = re.compile(rf"^{re.escape(PREFIX)}(use|load)$")
SEARCHES = re.compile(rf"^{re.escape(PREFIX)}(model|others|gpu)$")

Json = Mapping[str, Any]


def register(app: App, desk: Desk) -> None:
    """Attach the listeners of the form."""

    def opened(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(f"form:{args.body['trigger_id']}"):
                open_form(args, desk, "")

    def redrawn(args: Args) -> None:
        with desk.delivery(args):
            view = args.body["view"]
            _replace(args, desk.form.redrawn(view, _messages(desk, view)), view, only_this=True)

    def submitted(args: Args) -> None:
        view = args.body["view"]
        with desk.delivery(args) as delivery:
            if delivery.claim(f"view:{view['id']}:{view['hash']}"):
                _replace(args, _answered(args, desk), view, only_this=False)

    def refined(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(f"form:{args.body['trigger_id']}"):
                _show(args, desk, desk.draft(args, str(args.body["actions"][0]["value"])))

    app.action(REFINE)(ack=acknowledge, lazy=[refined])
    app.shortcut({"type": "shortcut", "callback_id": NEW})(ack=acknowledge, lazy=[opened])
    app.action(NEW)(ack=acknowledge, lazy=[opened])
    app.action(REDRAWS)(ack=acknowledge, lazy=[redrawn])
    app.options(SEARCHES)(_offering(desk))
    app.view(FIRST)(_continuing(desk))
    app.view(SECOND)(ack=_checking(desk), lazy=[submitted])


def open_form(args: Args, desk: Desk, text: str) -> None:
    """Open the form with what `text` says filled in."""
    _show(args, desk, desk.form.draft(text, desk.language(args)))


def _show(args: Args, desk: Desk, draft: Draft) -> None:
    channel = args.body.get("channel_id") or (args.body.get("channel") or {}).get("id")
    draft = posted_in(draft, channel)
    view = desk.form.opened(draft, desk.messages(draft.language))
    assert_valid("modal", view)
    args.client.views_open(trigger_id=args.body["trigger_id"], view=view)


def _offering(desk: Desk) -> Callable[..., None]:
    def offer(ack: Ack, payload: Json) -> None:
        field = str(payload["action_id"]).removeprefix(PREFIX)
        ack(options=desk.form.choices.offered(field, str(payload.get("value") or "")))

    return offer


def _continuing(desk: Desk) -> Callable[..., None]:
    def go_on(ack: Ack, view: Json) -> None:
        ack(**desk.form.next(dict(view), _messages(desk, view)))

    return go_on


def _checking(desk: Desk) -> Callable[..., None]:
    def check(ack: Ack, view: Json) -> None:
        messages = _messages(desk, view)
        draft, wrong = desk.form.finished(dict(view), messages)
        waiting = {"response_action": "update", "view": waiting_view(draft, messages)}
        ack(**(wrong or waiting))

    return check


def _answered(args: Args, desk: Desk) -> Json:
    """Post the plan where the form says; return the view that tells how that went."""
    view: Json = args.body["view"]
    messages = _messages(desk, view)
    draft, wrong = desk.form.finished(dict(view), messages)
    if wrong:
        return view
    channel = str(draft.second["channel"])
    reply = desk.fill_form(args, desk.form.line(draft), channel)
    if reply.error is not None:
        return desk.form.again(draft, messages.error(reply.error, COMMAND), messages)
    try:
        desk.post(args, reply, channel, _response_url(args.body))
    except (SlackApiError, DeliveryError):
        logger.exception("plan %s not posted", reply.answer_id)
        problem = messages.label("form", "not_posted_text", answer=reply.answer_id)
        return desk.form.again(draft, problem, messages)
    return done_view(draft, messages, answer_id=str(reply.answer_id))


def _messages(desk: Desk, view: Json) -> Messages:
    return desk.messages(draft_from(view["private_metadata"]).language)


def _response_url(body: Json) -> str | None:
    urls = body.get("response_urls") or ()
    return str(urls[0]["response_url"]) if urls else None


def _replace(args: Args, view: Json, shown: Json, *, only_this: bool) -> None:
    """Show a view in the place of the one that was shown.

    `only_this` gives up where the person has changed it since: what they did last redraws it.
    """
    assert_valid("modal", dict(view))
    try:
        its_hash = {"hash": shown["hash"]} if only_this else {}
        args.client.views_update(view_id=shown["id"], view=dict(view), **its_hash)
    except SlackApiError as error:
        if error_code(error) not in {"hash_conflict", "not_found"}:
            raise
        logger.info("view %s not updated: %s", shown["id"], error_code(error))
