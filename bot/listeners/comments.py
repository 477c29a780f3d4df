"""What people write in the threads of decisions: kept where that is switched on."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from slack_bolt import App, Args

from bot.decisions.comments import Comment, kept_text, moment_of
from bot.errors import BotError, CodedError
from bot.listeners.acknowledging import acknowledge
from bot.listeners.desk import Desk
from bot.listeners.outbox import FAILURES
from bot.storage.values import moment
from bot.text import readable

if TYPE_CHECKING:
    from bot.commenting import Commenting
    from bot.decisions.records import Decision
    from bot.reply import Asker

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]

MESSAGE: Final = "message"
"""Name of the event; Slack sends it for the kinds of conversations that the app subscribes to."""

EVENTS: Final = ("message.channels", "message.groups")
"""What the app subscribes to for comments: messages of public and of private channels."""

WRITTEN: Final = frozenset({None, "file_share", "me_message", "thread_broadcast"})
"""Subtypes of a message that a person wrote."""

CHANGED, DELETED = "message_changed", "message_deleted"
"""Subtypes of what happens to a message afterwards."""

SLACKBOT: Final = "USLACKBOT"
"""Slack's own account, which it does not call a bot."""


def register(app: App, desk: Desk, *, keeps: bool) -> None:
    """Attach the listener of messages.

    Where comments are not kept any more, those of before still change and go as Slack says.
    """

    def hear(args: Args) -> None:
        try:
            _hear(args, desk, keeps=keeps)
        except (BotError, *FAILURES):
            # Nobody has asked for anything: who talks to others is not bothered.
            logger.exception("a message in a thread was not heard")

    app.event(MESSAGE)(ack=acknowledge, lazy=[hear])


def _hear(args: Args, desk: Desk, *, keeps: bool) -> None:
    event: Json = args.body["event"]
    subtype = event.get("subtype")
    if subtype == DELETED:
        _drop(args, desk, event.get("previous_message") or {}, str(event["deleted_ts"]))
    elif subtype == CHANGED:
        _change(args, desk, event.get("message") or {}, adds=keeps)
    elif keeps and subtype in WRITTEN and _is_comment(event, args):
        comment = _comment(args, desk, event)
        if comment is not None:
            _comments(desk).add(comment)


def _change(args: Args, desk: Desk, message: Json, *, adds: bool) -> None:
    """Follow a change of a message; where it mentions the app now, it is no comment any more."""
    edited = message.get("edited")
    if not edited or not _is_reply(message):
        # Slack says so too when a link gets its preview, or a thread another reply.
        return
    if not _is_comment(message, args):
        _drop(args, desk, message, str(message["ts"]))
        return
    comment = _comment(args, desk, message)
    if comment is not None:
        changed = comment.model_copy(update={"edited_ts": str(edited["ts"])})
        _comments(desk).change(changed, adds=adds)


def _drop(args: Args, desk: Desk, message: Json, ts: str) -> None:
    if not message or _is_reply(message):
        _comments(desk).drop(ts, desk.quick_asker(args))


def _comments(desk: Desk) -> Commenting:
    return desk.reviews.recording.deciding.comments


def _is_reply(message: Json) -> bool:
    root = message.get("thread_ts")
    return bool(root) and root != message.get("ts")


def _is_comment(message: Json, args: Args) -> bool:
    """Return whether a person wrote it in a thread, and not to the app."""
    user, own = message.get("user"), args.context.bot_user_id
    is_written = bool(user) and user not in {own, SLACKBOT} and not message.get("bot_id")
    text = str(message.get("text") or "")
    is_to_app = own is not None and re.search(rf"<@{re.escape(own)}[|>]", text)
    return is_written and _is_reply(message) and bool(text.strip()) and not is_to_app


def _comment(args: Args, desk: Desk, message: Json) -> Comment | None:
    """Return what is kept of a message; None where it stands in no decision's thread."""
    asker = replace(
        desk.quick_asker(args),
        user_id=str(message["user"]),
        thread_ts=str(message["thread_ts"]),
        directory=desk.directory(args),
    )
    decision = desk.reviews.recording.deciding.here(asker)
    if decision is None or _is_program(desk, args, asker.user_id):
        return None
    return _kept(decision, asker, message)


def _is_program(desk: Desk, args: Args, user_id: str) -> bool:
    """Return whether an account is a program's; one that Slack says nothing about is taken so."""
    try:
        return desk.directory(args).is_bot(user_id)
    except CodedError as error:
        logger.warning("a message was not kept: %s", error)
        return True


def _kept(decision: Decision, asker: Asker, message: Json) -> Comment:
    ts = str(message["ts"])
    name = asker.directory.name
    return Comment(
        decision_id=decision.number,
        tenant=decision.tenant.key,
        channel_id=str(decision.channel_id),
        message_ts=ts,
        at=moment(moment_of(ts)),
        user_id=asker.user_id,
        user_name=name(asker.user_id),
        text=kept_text(readable(str(message.get("text") or "")), name),
    )
