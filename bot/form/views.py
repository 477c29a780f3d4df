"""The views of the form as Slack takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from bot.form.choices import Choices
from bot.form.fields import REFINED, SERVER, WORKLOAD, Field, Kind, Values, shown
from bot.grammar.spec_options import system_named
from bot.messages import Messages

Json = dict[str, Any]

FIRST: Final = "gpus1.form.workload"
"""Callback of the first view."""

SECOND: Final = "gpus1.form.server"
"""Callback of the second view."""

AGAIN: Final = "gpus1.form.again"
"""Callback of the view that asks a question about one model again."""

MOST_OTHERS: Final = 7
"""Models beside the first one."""

NEW: Final = "gpus1.new"
"""Name of the shortcut, and of the button in the Home tab, that open the form."""

ALWAYS_CHOSEN: Final = frozenset({Kind.CHOICE, Kind.RADIO})
"""Kinds in which one option is chosen from the start."""

QUERY_LETTERS: Final = 0
"""Letters typed before options are asked for: the first ones show at once."""


@dataclass(frozen=True)
class Origin:
    """The answer that a question is asked again for, and where what comes of it goes."""

    answer_id: str = ""
    """Its name: A-12."""

    language: str = "en"
    """Its language, which those who read it share."""

    channel: str | None = None
    """Conversation it stands in; None in a modal or in the Home tab."""

    thread_ts: str | None = None
    """Thread it stands in, or begins."""

    private: bool = False
    """Whether only the person who clicked sees it."""

    url: str | None = None
    """Response URL of the click, which reaches conversations the app is no member of."""


@dataclass(frozen=True)
class Draft:
    """What the form carries from view to view."""

    language: str
    """Language it is shown in."""

    first: Values
    """Fields of the first view."""

    second: Values
    """Fields of the second view."""

    extra: str = ""
    """Words of the question that no field has room for."""

    origin: Origin | None = None
    """The answer whose question is asked again; None in the form for a server."""

    def to_json(self) -> str:
        """Return it as a view's private metadata."""
        return json.dumps({"v": 1, **asdict(self)}, ensure_ascii=False, separators=(",", ":"))


def draft_from(metadata: str) -> Draft:
    """Return what a view carried."""
    told = json.loads(metadata)
    told.pop("v")
    origin = told.pop("origin", None)
    return Draft(**told, origin=Origin(**origin) if origin else None)


def first_view(
    draft: Draft, choices: Choices, messages: Messages, *, problem: str | None = None
) -> Json:
    """Return the view about the models and their load, or the one that asks about one again.

    `problem` says why the last try of that was not answered.
    """
    if draft.origin is not None:
        fields = shown(REFINED, draft.first)
        blocks = [_input(one, draft.first, choices, messages) for one in fields]
        return _view(AGAIN, _alert(problem) + blocks, draft, messages, submit="ask")
    blocks = [_input(one, draft.first, choices, messages) for one in shown(WORKLOAD, draft.first)]
    return _view(FIRST, blocks, draft, messages, submit="next")


def second_view(
    draft: Draft, choices: Choices, messages: Messages, *, problem: str | None = None
) -> Json:
    """Return the view about the server; `problem` says why the last try was not answered."""
    blocks = [_input(one, draft.second, choices, messages) for one in SERVER]
    return _view(SECOND, _alert(problem) + blocks, draft, messages, submit="submit")


def _alert(problem: str | None) -> list[Json]:
    text = {"type": "plain_text", "text": (problem or "")[:200]}
    return [{"type": "alert", "level": "error", "text": text}] if problem else []


def waiting_view(draft: Draft, messages: Messages) -> Json:
    """Return the view that stands while the answer is made."""
    if draft.origin is not None:
        return _said("waiting_below", draft, messages, origin=draft.origin.answer_id)
    return _said("waiting", draft, messages)


def done_view(draft: Draft, messages: Messages, *, answer_id: str) -> Json:
    """Return the view that says where the answer is."""
    if draft.origin is not None:
        below = draft.origin.answer_id
        return _said("done_below", draft, messages, answer=answer_id, origin=below)
    return _said("done", draft, messages, answer=answer_id)


def posted_in(draft: Draft, channel: str | None) -> Draft:
    """Return the form that posts in a conversation, unless another one was chosen."""
    return replace(draft, second={"channel": channel, **draft.second}) if channel else draft


def values_in(view: Mapping[str, Any]) -> dict[str, str | tuple[str, ...] | None]:
    """Return what stands in the fields of a view."""
    found: dict[str, str | tuple[str, ...] | None] = {}
    for name, actions in view["state"]["values"].items():
        for state in actions.values():
            found[name] = _value(state)
    return found


def with_values(draft: Draft, view: Mapping[str, Any]) -> Draft:
    """Return the draft with the fields of a view as they stand; hidden ones keep their values."""
    if view["callback_id"] in (FIRST, AGAIN):
        return replace(draft, first={**draft.first, **values_in(view)})
    return replace(draft, second={**draft.second, **values_in(view)})


def errors_answer(field: str, sentence: str) -> Json:
    """Return the answer that shows a sentence at a field."""
    return {"response_action": "errors", "errors": {field: sentence[:2000]}}


def _value(state: Mapping[str, Any]) -> str | tuple[str, ...] | None:
    if "selected_options" in state:
        return tuple(option["value"] for option in state["selected_options"] or ())
    chosen = state.get("selected_option")
    plain = chosen["value"] if chosen else state.get("selected_conversation", state.get("value"))
    return None if plain is None else str(plain)


def _view(
    callback: str, blocks: list[Json], draft: Draft, messages: Messages, *, submit: str
) -> Json:
    return {
        "type": "modal",
        "callback_id": callback,
        "title": _plain(messages.label("form", callback.rpartition(".")[2])),
        "submit": _plain(messages.label("form", submit)),
        "close": _plain(messages.label("form", "back" if callback == SECOND else "close")),
        "private_metadata": draft.to_json(),
        "blocks": blocks,
    }


def _said(code: str, draft: Draft, messages: Messages, **values: str) -> Json:
    return {
        "type": "modal",
        "callback_id": f"gpus1.form.{code}",
        "title": _plain(messages.label("form", "again" if draft.origin else "server")),
        "close": _plain(messages.label("form", "done")),
        # Nothing is left to do in the views below it.
        "clear_on_close": True,
        "private_metadata": draft.to_json(),
        "blocks": [
            {"type": "section", "text": _plain(messages.label("form", f"{code}_text", **values))}
        ],
    }


def _input(field: Field, values: Values, choices: Choices, messages: Messages) -> Json:
    block: Json = {
        "type": "input",
        "block_id": field.name,
        "label": _plain(messages.label("form", f"{field.name}_label")),
        "element": _element(field, values.get(field.name), choices, messages),
        "optional": field.optional and field.kind not in ALWAYS_CHOSEN,
    }
    if field.redraws:
        block["dispatch_action"] = True
    if hint := messages.find("form", f"{field.name}_hint"):
        block["hint"] = _plain(hint)
    return block


def _element(field: Field, value: object, choices: Choices, messages: Messages) -> Json:
    element: Json = {"type": field.kind.value, "action_id": field.action_id}
    match field.kind:
        case Kind.NUMBER:
            element |= {"is_decimal_allowed": field.decimals, "min_value": f"{field.least:g}"}
            element |= {"max_value": f"{field.most:.0f}"}
            return element | ({"initial_value": str(value)} if value else {})
        case Kind.CHANNEL:
            element |= {
                "default_to_current_conversation": True,
                "response_url_enabled": True,
                "filter": {"include": ["public", "private", "im"], "exclude_bot_users": True},
            }
            return element | ({"initial_conversation": value} if value else {})
        case Kind.SEARCH | Kind.SEARCH_MANY:
            return element | _searched(field, value, choices, messages)
        case _:
            return element | _chosen(field, value, messages)


def _searched(field: Field, value: object, choices: Choices, messages: Messages) -> Json:
    words: Json = {
        "min_query_length": QUERY_LETTERS,
        "placeholder": _plain(messages.label("form", f"{field.name}_placeholder")),
    }
    if field.kind is Kind.SEARCH_MANY:
        words["max_selected_items"] = MOST_OTHERS
        named = [choices.option(field.name, one) for one in _all(value)]
        return words | ({"initial_options": named} if named else {})
    return words | ({"initial_option": choices.option(field.name, str(value))} if value else {})


def _all(value: object) -> tuple[str, ...]:
    """Return the values of a field that takes several."""
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return (str(value),) if value else ()


def _chosen(field: Field, value: object, messages: Messages) -> Json:
    options = [
        {"text": _plain(_option_text(field, one, messages)), "value": one} for one in field.options
    ]
    chosen = next((one for one in options if one["value"] == value), options[0])
    return {"options": options, "initial_option": chosen}


def _option_text(field: Field, value: str, messages: Messages) -> str:
    named = messages.find(f"form_{field.name}", value)
    return named or system_named(value) or messages.labels.precision(value)


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}
