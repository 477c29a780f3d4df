"""Views opened and put in the place of others."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final

from slack_bolt import Args
from slack_sdk.errors import SlackApiError

from bot.errors import CodedError
from bot.limits import assert_valid
from bot.listeners.desk import Desk
from bot.listeners.retries import error_code

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]

LATE: Final = frozenset({"exchanged_trigger_id", "expired_trigger_id", "invalid_trigger_id"})
"""Errors of a view that came too late, or a second time."""


ANSWERED_S: Final = 0.8
"""Pause before the result of a submission is shown, s.

The answer to the submission shows a view too, and travels on another connection: where it arrived
after the result, the person would look at “Calculating…” for ever.
"""


def open_view(args: Args, desk: Desk, view: Json) -> None:
    """Open a view; where it comes too late the person is told to press again."""
    assert_valid("modal", dict(view))
    try:
        args.client.views_open(trigger_id=args.body["trigger_id"], view=dict(view))
    except SlackApiError as error:
        if error_code(error) not in LATE:
            raise
        desk.refuse(args, CodedError("expired_view"))


def replace_view(args: Args, view: Json, shown: Json, *, only_this: bool) -> None:
    """Show a view in the place of the one that was shown.

    `only_this` gives up where the person has changed it since: what they did last redraws it.
    Otherwise the view that the submission was answered with comes first.
    """
    assert_valid("modal", dict(view))
    if not only_this:
        time.sleep(ANSWERED_S)
    try:
        its_hash = {"hash": shown["hash"]} if only_this else {}
        args.client.views_update(view_id=shown["id"], view=dict(view), **its_hash)
    except SlackApiError as error:
        if error_code(error) not in {"hash_conflict", "not_found"}:
            raise
        logger.info("view %s not updated: %s", shown["id"], error_code(error))
