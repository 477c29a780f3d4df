"""The form for a whole server: opened, redrawn, filled in, answered."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from slack_bolt import Ack, App, Args
from slack_sdk.errors import SlackApiError

from bot.actions import REFINE, SERVER
from bot.form.fields import PREFIX
from bot.form.views import (
    AGAIN,
    FIRST,
    NEW,
    SECOND,
    Draft,
    done_view,
    draft_from,
    posted_in,
    waiting_view,
)
from bot.listeners.acknowledging import COMMAND, acknowledge
from bot.listeners.desk import Desk, Rest
from bot.listeners.outbox import DeliveryError
from bot.listeners.viewing import open_view, replace_view
from bot.messages import Messages
from bot.reply import Reply

logger = logging.getLogger(__name__)

REDRAWS = re.compile(rf"^{re.escape(PREFIX)}(use|load)$")
SEARCHES = re.compile(rf"^{re.escape(PREFIX)}(model|others|gpu)$")

Json = Mapping[str, Any]


def register(app: App, desk: Desk) -> None:
    """Attach the listeners of the form."""
    app.action(REFINE)(ack=acknowledge, lazy=[_opening(desk, _refined)])
    app.action(SERVER)(ack=acknowledge, lazy=[_opening(desk, _planned)])
    opened = _opening(desk, partial(open_form, text=""))
    app.shortcut({"type": "shortcut", "callback_id": NEW})(ack=acknowledge, lazy=[opened])
    app.action(NEW)(ack=acknowledge, lazy=[opened])
    app.action(REDRAWS)(ack=acknowledge, lazy=[_redrawing(desk)])
    app.options(SEARCHES)(_offering(desk))
    app.view(FIRST)(_continuing(desk))
    for last in (SECOND, AGAIN):
        app.view(last)(ack=_checking(desk), lazy=[_submitting(desk)])


def _opening(desk: Desk, opened: Callable[[Args, Desk], None]) -> Callable[[Args], None]:
    """Return the listener that opens a form once for each trigger."""

    def listen(args: Args) -> None:
        with desk.delivery(args) as delivery:
            if delivery.claim(f"form:{args.body['trigger_id']}"):
                opened(args, desk)

    return listen


def _redrawing(desk: Desk) -> Callable[[Args], None]:
    def redraw(args: Args) -> None:
        with desk.delivery(args):
            view = args.body["view"]
            replace_view(args, desk.form.redrawn(view, _messages(desk, view)), view, only_this=True)

    return redraw


def _submitting(desk: Desk) -> Callable[[Args], None]:
    def submit(args: Args) -> None:
        view = args.body["view"]
        with desk.delivery(args) as delivery:
            if delivery.claim(f"view:{view['id']}:{view['hash']}"):
                after, rest = _answered(args, desk)
                replace_view(args, after, view, only_this=False)
                rest()

    return submit


def _planned(args: Args, desk: Desk) -> None:
    """Open the form for a server with the question of the clicked answer."""
    channel = (args.body.get("channel") or {}).get("id")
    _show(args, desk, posted_in(desk.server(args, _clicked(args)), channel))


def _refined(args: Args, desk: Desk) -> None:
    """Open the view that asks the question of the clicked answer again."""
    found = desk.again(args, _clicked(args))
    if isinstance(found, Draft):
        _show(args, desk, found)
    else:
        desk.send_below(args, found)


def open_form(args: Args, desk: Desk, text: str) -> None:
    """Open the form with what `text` says filled in."""
    draft = desk.form.draft(text, desk.language(args))
    _show(args, desk, posted_in(draft, args.body.get("channel_id")))


def _clicked(args: Args) -> str:
    return str(args.body["actions"][0]["value"])


def _show(args: Args, desk: Desk, draft: Draft) -> None:
    open_view(args, desk, desk.form.opened(draft, desk.messages(draft.language)))


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


def _answered(args: Args, desk: Desk) -> tuple[Json, Rest]:
    """Post the answer where the form says.

    Returns the view that tells how that went, and what is still to be put below the answer.
    """
    view: Json = args.body["view"]
    messages = _messages(desk, view)
    draft, wrong = desk.form.finished(dict(view), messages)
    if wrong:
        return view, _nothing
    reply = _asked(args, desk, draft)
    if reply.error is not None:
        return desk.form.again(draft, messages.error(reply.error, COMMAND), messages), _nothing
    try:
        rest = _post(args, desk, draft, reply)
    except (SlackApiError, DeliveryError):
        logger.exception("answer %s not posted", reply.answer_id)
        code = "not_posted_below_text" if draft.origin else "not_posted_text"
        problem = messages.label("form", code, answer=reply.answer_id)
        return desk.form.again(draft, problem, messages), _nothing
    return done_view(draft, messages, answer_id=str(reply.answer_id)), rest


def _nothing() -> None:
    """Put nothing below an answer that was not posted."""


def _asked(args: Args, desk: Desk, draft: Draft) -> Reply:
    line = desk.form.line(draft)
    if draft.origin is not None:
        return desk.ask_again(args, line, draft.origin)
    return desk.fill_form(args, line, str(draft.second["channel"]))


def _post(args: Args, desk: Desk, draft: Draft, reply: Reply) -> Rest:
    if draft.origin is not None:
        return desk.post_below(args, reply, draft.origin)
    return desk.post(args, reply, str(draft.second["channel"]), _response_url(args.body))


def _messages(desk: Desk, view: Json) -> Messages:
    return desk.messages(draft_from(view["private_metadata"]).language)


def _response_url(body: Json) -> str | None:
    urls = body.get("response_urls") or ()
    return str(urls[0]["response_url"]) if urls else None
