"""The view that saves an answer as a decision: its fields, and what was filled in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from bot.decision_details import Proposal
from bot.decisions.records import LONGEST_PROJECT, LONGEST_TITLE

if TYPE_CHECKING:
    from bot.messages import Messages

Json = dict[str, Any]

SAVE_VIEW: Final = "gpus1.saving"
"""Callback of the view."""

PREFIX: Final = "gpus1.saving."
"""Start of the action ids of its fields."""

PROJECT: Final = PREFIX + "project"
"""Field whose options are asked for while somebody types."""

LONGEST_NOTE: Final = 1000
"""Characters of a note."""

MOST_REVIEWERS: Final = 10
"""People who can be asked to review."""

MOST_PROJECTS: Final = 100
"""Options of the field of projects."""

NOW, DRAFT = "propose", "draft"
"""Values of the choice between proposing now and keeping a draft."""

FIELD_OF: Final = {
    "reviewer_may_not": "reviewers",
    "nobody_may_approve": "reviewers",
    "never_review_your_own": "reviewers",
    "too_few_approvers": "reviewers",
    "people_scope": "reviewers",
    "people_unreadable": "reviewers",
    "channel_archived": "channel",
    "not_a_member": "channel",
    "due_in_the_past": "due",
}
"""Field at which an error is said, by its code; the title for all others."""


@dataclass(frozen=True, kw_only=True)
class Saving:
    """What the view carries."""

    language: str
    """Language of the person."""

    answer_id: str
    """Answer that is saved."""

    rules: str
    """Who may approve, in words."""

    channel: str | None = None
    """Conversation of the answer; None where another one has to be chosen."""

    thread_ts: str | None = None
    """Thread that the answer stands in, or begins."""

    message_ts: str | None = None
    """Message of the answer, where it is ours and all can see it."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """What stands in the fields, by name."""

    def to_json(self) -> str:
        """Return it as a view's private metadata; what was typed stands in the fields."""
        told = {**asdict(self), "values": {}}
        return json.dumps({"v": 1, **told}, ensure_ascii=False, separators=(",", ":"))


def saving_in(view: Mapping[str, Any]) -> Saving:
    """Return what a view carries, and what stands in its fields."""
    told = json.loads(view["private_metadata"])
    told.pop("v")
    values = {
        name: _value(state)
        for name, actions in view["state"]["values"].items()
        for state in actions.values()
    }
    return replace(Saving(**told), values=values)


def problem_at(saving: Saving, today: date) -> tuple[str, str] | None:
    """Return the field at fault and the code of what is wrong with it, as far as the view tells."""
    if not str(saving.values.get("title") or "").strip():
        return "title", "title_missing"
    due = saving.values.get("due")
    if due and date.fromisoformat(due) < today:
        return "due", "due_in_the_past"
    return None


def proposal_of(saving: Saving, *, is_open: bool) -> Proposal:
    """Return what the fields say."""
    values = saving.values
    return Proposal(
        title=str(values.get("title") or ""),
        project=values.get("project"),
        note=values.get("note"),
        reviewers=tuple(values.get("reviewers") or ()),
        due_on=values.get("due"),
        is_open=is_open,
        channel_id=place_in(saving),
    )


def place_in(saving: Saving) -> str | None:
    """Return the conversation that the decision is taken in."""
    chosen = saving.values.get("channel")
    return str(chosen) if chosen else saving.channel


def save_view(
    saving: Saving, messages: Messages, *, problem: tuple[str, str] | None = None
) -> Json:
    """Return the view; `problem` is a field and the sentence about what is wrong there."""
    blocks = [_rules(saving)]
    for name in _shown(saving):
        if problem and problem[0] == name:
            blocks.append(_alert(problem[1]))
        blocks.append(_input(name, saving, messages))
    return {
        "type": "modal",
        "callback_id": SAVE_VIEW,
        "title": _plain(messages.label("decision_form", "save_title")),
        "submit": _plain(messages.label("decision_form", "save_submit")),
        "close": _plain(messages.label("form", "close")),
        "private_metadata": saving.to_json(),
        "blocks": blocks,
    }


def field_of(code: str, saving: Saving) -> str:
    """Return the field at which an error is said."""
    name = FIELD_OF.get(code, "title")
    return name if name in _shown(saving) else "title"


def told_view(text: str, messages: Messages) -> Json:
    """Return a view that says one thing and asks for nothing."""
    return {
        "type": "modal",
        "callback_id": PREFIX + "told",
        "title": _plain(messages.label("decision_form", "save_title")),
        "close": _plain(messages.label("decision_form", "done")),
        "blocks": [{"type": "section", "text": _plain(text)}],
    }


def project_options(typed: str, known: tuple[str, ...]) -> list[Json]:
    """Return the projects that hold what was typed, and first of all what was typed itself."""
    wanted = " ".join(typed.split())[:LONGEST_PROJECT]
    found = [one for one in known if wanted.casefold() in one.casefold()]
    is_new = wanted and wanted.casefold() not in {one.casefold() for one in known}
    named = [wanted, *found] if is_new else found
    return [_option(one, one) for one in named[:MOST_PROJECTS]]


def _shown(saving: Saving) -> tuple[str, ...]:
    fields = ("title", "project", "reviewers", "due", "note", "now")
    return fields if saving.channel else (*fields, "channel")


def _rules(saving: Saving) -> Json:
    return {"type": "section", "text": _plain(saving.rules)}


def _alert(sentence: str) -> Json:
    return {"type": "alert", "level": "error", "text": _plain(sentence[:200])}


def _input(name: str, saving: Saving, messages: Messages) -> Json:
    block: Json = {
        "type": "input",
        "block_id": name,
        "label": _plain(messages.label("decision_form", f"{name}_label")),
        "element": {"action_id": PREFIX + name, **_element(name, saving, messages)},
        "optional": name not in {"title", "now", "channel"},
    }
    if hint := messages.find("decision_form", f"{name}_hint"):
        block["hint"] = _plain(hint)
    return block


def _element(name: str, saving: Saving, messages: Messages) -> Json:
    value = saving.values.get(name)
    match name:
        case "title" | "note":
            most = LONGEST_TITLE if name == "title" else LONGEST_NOTE
            element: Json = {"type": "plain_text_input", "max_length": most}
            element |= {"multiline": True} if name == "note" else {}
            return element | ({"initial_value": value} if value else {})
        case "project":
            element = {"type": "external_select", "min_query_length": 0}
            return element | ({"initial_option": _option(value, value)} if value else {})
        case "reviewers":
            element = {"type": "multi_users_select", "max_selected_items": MOST_REVIEWERS}
            return element | ({"initial_users": list(value)} if value else {})
        case "due":
            return {"type": "datepicker", **({"initial_date": value} if value else {})}
        case "now":
            return _choice(value, messages)
        case _:
            return _conversation(value)


def _choice(value: object, messages: Messages) -> Json:
    options = [
        _option(messages.label("decision_form", f"now_{code}"), code) for code in (NOW, DRAFT)
    ]
    chosen = next((one for one in options if one["value"] == value), options[0])
    return {"type": "radio_buttons", "options": options, "initial_option": chosen}


def _conversation(value: object) -> Json:
    element: Json = {
        "type": "conversations_select",
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    return element | ({"initial_conversation": value} if value else {})


_KEYS: Final = (
    "selected_users",
    "selected_date",
    "selected_conversation",
    "value",
)


def _value(state: Mapping[str, Any]) -> Any:  # noqa: ANN401 (text, or a list of it)
    if "selected_option" in state:
        chosen = state["selected_option"]
        return chosen["value"] if chosen else None
    return next((state[key] for key in _KEYS if key in state), None)


def _option(text: str, value: str) -> Json:
    return {"text": _plain(text[:75]), "value": value[:150]}


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}
