"""The view that asks why a decision is rejected, changed, withdrawn or replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from bot.decisions.records import LONGEST_REASON, SHORTEST_REASON
from bot.decisions.states import REASONED, Action

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.messages import Messages

Json = dict[str, Any]

REASON_VIEW: Final = "gpus1.reason"
"""Callback of the view."""

REASON: Final = "reason"
"""Block of the reason; its action has the callback before it."""

OTHER: Final = "other"
"""Block of the decision that replaces another."""

OTHERS: Final = f"{REASON_VIEW}.{OTHER}"
"""Field whose options are asked for while somebody types."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What the view carries, and what was filled in."""

    language: str
    """Language of the person."""

    action: str
    """What is to be done."""

    number: int
    """Decision that it is done to."""

    version: int
    """Version that the clicked message showed."""

    channel: str | None = None
    """Conversation that was clicked in."""

    thread_ts: str | None = None
    """Thread that was clicked in."""

    reason: str = ""
    """Why, in their words."""

    other: str = ""
    """Name of the decision that replaces it."""


def asking_in(view: Mapping[str, Any]) -> Asking:
    """Return what a view carries, and what stands in its fields."""
    asking = Asking(**json.loads(view["private_metadata"]))
    values = view["state"]["values"]
    reason = values[REASON][f"{REASON_VIEW}.{REASON}"].get("value") or ""
    chosen = (values.get(OTHER) or {}).get(OTHERS, {}).get("selected_option")
    return replace(asking, reason=reason.strip(), other=chosen["value"] if chosen else "")


def reason_view(
    asking: Asking, decision: Decision, messages: Messages, *, problem: str | None = None
) -> Json:
    """Return the view; `problem` says why the last try was in vain."""
    name = decision.name
    verb = messages.label("decision_buttons", asking.action)
    what = messages.label("decision_form", "about", name=name, title=decision.title)
    blocks: list[Json] = [{"type": "section", "text": _plain(what)}]
    if problem:
        alert = {"type": "alert", "level": "error", "text": _plain(problem[:200])}
        blocks.append(alert)
    if asking.action == Action.SUPERSEDE.value:
        blocks.append(_other(asking, messages))
    blocks.append(_reason(asking, messages))
    carried = {**asdict(asking), REASON: "", OTHER: ""}
    return {
        "type": "modal",
        "callback_id": REASON_VIEW,
        "title": _plain(f"{verb.rstrip('…')} {name}"[:24]),
        "submit": _plain(verb.rstrip("…")[:24]),
        "close": _plain(messages.label("form", "close")),
        "private_metadata": json.dumps(carried, separators=(",", ":")),
        "blocks": blocks,
    }


def decision_options(decisions: tuple[Decision, ...], *, but: int) -> list[Json]:
    """Return approved decisions as options, without the one that is replaced."""
    return [
        {"text": _plain(f"{one.name} · {one.title}"[:75]), "value": one.name}
        for one in decisions
        if one.number != but
    ]


def _other(asking: Asking, messages: Messages) -> Json:
    element: Json = {"type": "external_select", "action_id": OTHERS, "min_query_length": 0}
    if asking.other:
        element["initial_option"] = {"text": _plain(asking.other), "value": asking.other}
    return {
        "type": "input",
        "block_id": OTHER,
        "label": _plain(messages.label("decision_form", "other_label")),
        "element": element,
    }


def _reason(asking: Asking, messages: Messages) -> Json:
    is_needed = asking.action in {one.value for one in REASONED}
    element: Json = {
        "type": "plain_text_input",
        "action_id": f"{REASON_VIEW}.{REASON}",
        "multiline": True,
        "max_length": LONGEST_REASON,
    }
    if is_needed:
        element["min_length"] = SHORTEST_REASON
    if asking.reason:
        element["initial_value"] = asking.reason
    code = "reason_label" if is_needed else "reason_optional_label"
    return {
        "type": "input",
        "block_id": REASON,
        "label": _plain(messages.label("decision_form", code)),
        "element": element,
        "optional": not is_needed,
    }


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}
