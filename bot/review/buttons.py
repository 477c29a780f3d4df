"""Buttons below a decision: those that do something in the state it is in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from bot.decisions.states import Action, State

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.messages import Messages

Json = dict[str, Any]

PREFIX: Final = "gpus1.decide."
"""Start of the action ids of all buttons; the code of what is done follows."""

MENU: Final = "menu"
"""Code of the menu at the end of the row: its options carry what is done."""

HISTORY: Final = "history"
"""Code of the page with all that has happened; nothing is done by it."""

BUTTONS: Final = {
    State.DRAFT: (Action.PROPOSE,),
    State.PROPOSED: (Action.APPROVE, Action.REJECT, Action.ASK_CHANGES),
    State.CHANGES_REQUESTED: (Action.REJECT,),
    State.APPROVED: (Action.SUPERSEDE,),
}
"""Buttons by state, in order; none where nothing leads on."""

OPTIONS: Final = {
    State.DRAFT: (Action.WITHDRAW.value,),
    State.PROPOSED: (Action.WITHDRAW.value,),
    State.CHANGES_REQUESTED: (Action.WITHDRAW.value,),
}
"""What else may be done, in the menu behind the buttons; the history stands there always."""

STYLES: Final = {Action.PROPOSE: "primary", Action.APPROVE: "primary", Action.REJECT: "danger"}
"""Colours of the buttons that have one."""

ASKING: Final = frozenset({Action.REJECT, Action.ASK_CHANGES, Action.SUPERSEDE, Action.WITHDRAW})
"""Actions that open a view first."""

LONGEST_CONFIRM: Final = 300
"""Characters of the text of a confirm dialog."""

_VALUE: Final = re.compile(r"D-([1-9]\d{0,11}) v([1-9]\d{0,5})", re.ASCII)


def value_of(decision: Decision) -> str:
    """Return what a button carries: the decision, and the version its message shows."""
    return f"{decision.name} v{decision.version}"


def read_value(value: str) -> tuple[int, int] | None:
    """Return number and version that a button carries; None for one of another version of us."""
    found = _VALUE.fullmatch(value)
    return (int(found[1]), int(found[2])) if found else None


def button_block(decision: Decision, messages: Messages) -> Json:
    """Return the row of buttons below a decision."""
    buttons = [_button(action, decision, messages) for action in BUTTONS.get(decision.state, ())]
    codes = (*OPTIONS.get(decision.state, ()), HISTORY)
    menu = {
        "type": "overflow",
        "action_id": PREFIX + MENU,
        "options": [_option(code, decision, messages) for code in codes],
    }
    return {"type": "actions", "elements": [*buttons, menu]}


def _button(action: Action, decision: Decision, messages: Messages) -> Json:
    element: Json = {
        "type": "button",
        "action_id": PREFIX + action.value,
        "text": _plain(messages.label("decision_buttons", action.value)),
        "value": value_of(decision),
        "accessibility_label": messages.label(
            "decision_buttons", "spoken", verb=_verb(action, messages), name=decision.name
        )[:75],
    }
    if action in STYLES:
        element["style"] = STYLES[action]
    if action is Action.APPROVE:
        element["confirm"] = _confirm(decision, messages)
    return element


def _verb(action: Action, messages: Messages) -> str:
    return messages.label("decision_buttons", action.value).rstrip("…")


def _confirm(decision: Decision, messages: Messages) -> Json:
    """Return the dialog that shows what is approved."""
    text = messages.label(
        "decision_buttons",
        "confirm_text",
        name=decision.name,
        version=decision.version,
        fingerprint=decision.answer_hash[:12],
        title=decision.title,
    )
    return {
        "title": _plain(messages.label("decision_buttons", "confirm_title", name=decision.name)),
        "text": _plain(text[:LONGEST_CONFIRM]),
        "confirm": _plain(messages.label("decision_buttons", Action.APPROVE.value)),
        "deny": _plain(messages.label("form", "close")),
    }


def _option(code: str, decision: Decision, messages: Messages) -> Json:
    text = messages.label("decision_buttons", code)
    return {"text": _plain(text), "value": f"{code} {value_of(decision)}"}


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}
