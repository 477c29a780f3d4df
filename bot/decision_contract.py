"""JSON form of a decision and of what happened to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.decisions.comments import Comment
    from bot.decisions.records import Decision, Event

Json = dict[str, Any]

SCHEMA = "gpusize-decision/1"
"""Name of the form."""


def decision_contract(
    decision: Decision, events: Iterable[Event], comments: Sequence[Comment] = ()
) -> Json:
    """Return a decision and its events, oldest first, with the names that people read.

    Comments stand beside them where there are any.
    """
    told: Json = {
        "schema": SCHEMA,
        "decision": current_contract(decision),
        "events": [event.model_dump(mode="json") for event in events],
    }
    said = [comment.model_dump(mode="json") for comment in comments]
    return told | ({"comments": said} if said else {})


def current_contract(decision: Decision) -> Json:
    """Return where a decision stands."""
    return {"id": decision.name, **decision.model_dump(mode="json")}
