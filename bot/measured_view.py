"""The small form that takes what was measured: drawn, checked, turned into the line it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from bot.decisions.measured import LONGEST_NOTE
from bot.form.views import Origin
from bot.grammar.measured_words import read_figure

if TYPE_CHECKING:
    from bot.messages import Messages

MEASURED: Final = "gpus1.measured"
"""Name of the form."""

FIGURES: Final = {
    "memory": "memory_bytes",
    "tok/s": "output_tokens_per_s",
    "ttft": "ttft_ms",
    "itl": "itl_ms",
}
"""Fields of the form, each the key of its line, and the figure behind it."""

NOTE: Final = "note"
"""The field for all other words."""

LONGEST_FIGURE: Final = 20
"""Characters of a figure with its unit."""

Json = dict[str, Any]


def measured_view(origin: Origin, messages: Messages) -> Json:
    """Return the form about one answer; what it is about travels with it."""
    return {
        "type": "modal",
        "callback_id": MEASURED,
        "private_metadata": json.dumps(asdict(origin)),
        "title": _plain(messages.label("measure", "title")),
        "submit": _plain(messages.label("measure", "submit")),
        "close": _plain(messages.label("measure", "close")),
        "blocks": [_input(name, messages) for name in (*FIGURES, NOTE)],
    }


def origin_of(view: Mapping[str, Any]) -> Origin:
    """Return what a form is about."""
    return Origin(**json.loads(view["private_metadata"]))


def problems_of(view: Mapping[str, Any], messages: Messages) -> dict[str, str]:
    """Return what is wrong with the fields, by field; none where the form can be taken."""
    told = _told(view)
    wrong = {
        name: messages.label("measure", "unreadable")
        for name, field in FIGURES.items()
        if name in told and read_figure(field, told[name]) is None
    }
    if not wrong and not FIGURES.keys() & told.keys():
        return {next(iter(FIGURES)): messages.label("measure", "empty")}
    return wrong


def line_of(view: Mapping[str, Any]) -> str:
    """Return the line that a form says, as it could be typed."""
    told = _told(view)
    figures = (f"{name}={''.join(told[name].split())}" for name in FIGURES if name in told)
    return " ".join(("actual", origin_of(view).answer_id, *figures, *_note(told))).strip()


def _note(told: Mapping[str, str]) -> tuple[str, ...]:
    # A figure is one only in its field: in the note it is kept as it was typed.
    return ("--", told[NOTE]) if NOTE in told else ()


def _told(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what was typed, by field; fields left empty are left out."""
    values = view["state"]["values"]
    typed = {name: values.get(name, {}).get(name, {}).get("value") for name in (*FIGURES, NOTE)}
    return {name: " ".join(text.split()) for name, text in typed.items() if text and text.strip()}


def _input(name: str, messages: Messages) -> Json:
    code = name.replace("/", "_")
    element: Json = {
        "type": "plain_text_input",
        "action_id": name,
        "max_length": LONGEST_NOTE if name == NOTE else LONGEST_FIGURE,
    }
    if name == NOTE:
        element["multiline"] = True
    else:
        element["placeholder"] = _plain(messages.label("measure", f"{code}_example"))
    return {
        "type": "input",
        "block_id": name,
        "optional": True,
        "label": _plain(messages.label("measure", f"{code}_label")),
        "element": element,
    }


def _plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}
