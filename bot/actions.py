"""Buttons below replies: only those that do something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from bot.grammar.canonical import format_request
from bot.reply import Button
from sizing.records import Attention

if TYPE_CHECKING:
    from bot.errors import CodedError
    from bot.messages import Messages
    from sizing.answer import Note, SizingAnswer
    from sizing.errors import SizingError
    from sizing.request import GpuChoice, SizingRequest

EXPLAIN = "gpus1.explain"
"""Explains the answer whose id the button carries."""

START = "gpus1.start"
"""Shows how to start what the answer whose id the button carries proposes."""

OPINION = "gpus1.opinion"
"""Shows a second opinion on the speed in the answer whose id the button carries."""

REFINE = "gpus1.refine"
"""Opens the form that asks the question of the answer whose id the button carries again."""

SERVER = "gpus1.server"
"""Opens the form for a whole server with that question."""

WRONG = "gpus1.wrong"
"""Opens the form that takes what was measured in place of the figures of that answer."""

SAVE = "gpus1.save"
"""Opens the view that saves the answer whose id the button carries as a decision."""

ASK = "gpus1.ask"
"""Asks the question that the button carries; a number follows."""

MOST_QUESTIONS = 3
"""Questions offered below one reply: more do not fit a phone."""

MOST_MEANINGS = 2
"""Questions offered beside the buttons about the answer itself."""

_LANGUAGE = re.compile(r"\b(?:lang|idioma|language)[=: ]\s*(en|es)\b", re.IGNORECASE)
_PRIVATE = re.compile(r"(?<!\S)[-–—]+(?:private|privado)\b", re.IGNORECASE)


def language_in(text: str) -> str | None:
    """Return the language a text asks for, readable even where the rest of it is not."""
    found = _LANGUAGE.search(text)
    return found[1].lower() if found else None


def manner(language: str | None, *, private: bool) -> str:
    """Return the words that ask for a language and for privacy, led by a space where any."""
    return (f" lang={language}" if language else "") + (" --private" if private else "")


def explain_button(reference: str, messages: Messages) -> Button:
    """Return the button that explains an answer; `reference` may end in `lang=es`."""
    spoken = messages.label("buttons", "explain_spoken")
    return Button(EXPLAIN, messages.label("buttons", "explain"), reference, spoken)


def start_button(reference: str, messages: Messages) -> Button:
    """Return the button for the start command; `reference` may end in `lang=es`."""
    spoken = messages.label("buttons", "start_spoken")
    return Button(START, messages.label("buttons", "start"), reference, spoken)


def opinion_button(reference: str, messages: Messages) -> Button:
    """Return the button for a second opinion; `reference` may end in `lang=es`."""
    spoken = messages.label("buttons", "opinion_spoken")
    return Button(OPINION, messages.label("buttons", "opinion"), reference, spoken)


def refine_button(reference: str, messages: Messages) -> Button:
    """Return the button that asks that answer's question again; `reference` as above."""
    spoken = messages.label("buttons", "refine_spoken")
    return Button(REFINE, messages.label("buttons", "refine"), reference, spoken)


def server_button(reference: str, messages: Messages) -> Button:
    """Return the button for a whole server with that answer's question; `reference` as above."""
    spoken = messages.label("buttons", "server_spoken")
    return Button(SERVER, messages.label("buttons", "server"), reference, spoken)


def wrong_button(reference: str, messages: Messages) -> Button:
    """Return the button that tells what was measured instead; `reference` as above."""
    spoken = messages.label("buttons", "wrong_spoken")
    return Button(WRONG, messages.label("buttons", "wrong"), reference, spoken)


def save_button(reference: str, messages: Messages) -> Button:
    """Return the button that saves an answer as a decision; `reference` as above."""
    spoken = messages.label("decision_buttons", "save_spoken")
    return Button(SAVE, messages.label("decision_buttons", "save"), reference, spoken)


def answer_buttons(
    reference: str,
    messages: Messages,
    *,
    can_start: bool,
    has_opinion: bool = False,
    can_refine: bool = False,
) -> tuple[Button, ...]:
    """Return the buttons for what else there is to say about an answer."""
    offered = {
        explain_button: True,
        start_button: can_start,
        opinion_button: has_opinion,
        refine_button: can_refine,
        server_button: can_refine,
        save_button: True,
        wrong_button: True,
    }
    return tuple(button(reference, messages) for button, is_there in offered.items() if is_there)


def other_buttons(
    answer: SizingAnswer, request: SizingRequest, *, manner: str, messages: Messages
) -> tuple[Button, ...]:
    """Return the same question, in the same manner, about what else may have been meant.

    None about a model from a file: it is not at hand any more when the button is pressed.
    """
    if (request.reference or "").startswith("file:"):
        return ()
    offers = (
        (label, question + manner) for label, question in _meanings(answer, request, messages)
    )
    return tuple(_numbered(islice(offers, MOST_MEANINGS), messages))


def question_buttons(offers: Iterable[tuple[str, str]], messages: Messages) -> tuple[Button, ...]:
    """Return buttons that ask questions, each under its label, the first of them only."""
    return tuple(_numbered(offers, messages))


def error_buttons(
    error: SizingError | CodedError, text: str, messages: Messages
) -> tuple[Button, ...]:
    """Return the question with the word at fault replaced by each suggestion."""
    corrected = ((name, _corrected(text, error, name)) for name in _suggestions(error))
    return tuple(_numbered(((name, line) for name, line in corrected if line), messages))


def _meanings(
    answer: SizingAnswer, request: SizingRequest, messages: Messages
) -> Iterator[tuple[str, str]]:
    """Yield the names of what else was possible, and the question asked about each."""
    for note in answer.assumptions:
        for other in _alternatives(note):
            if note.code == "model_default":
                changed = request.model_copy(update={"model_id": other, "checkpoint": None})
                yield messages.labels.model(other), format_request(changed)
            elif note.code == "gpu_variant":
                gpus = _exchanged(request.gpus, str(note.values["gpu"]), other)
                changed = request.model_copy(update={"gpus": gpus})
                yield messages.labels.gpu(other), format_request(changed)
        if note.code == "kv_range_attention":
            changed = request.model_copy(update={"attention": Attention.MHA})
            yield Attention.MHA.upper(), format_request(changed)


def _alternatives(note: Note) -> tuple[str, ...]:
    found = note.values.get("alternatives", ())
    return found if isinstance(found, tuple) else ()


def _exchanged(choices: tuple[GpuChoice, ...], gpu: str, other: str) -> tuple[GpuChoice, ...]:
    return tuple(
        choice.model_copy(update={"gpu": other}) if choice.gpu == gpu else choice
        for choice in choices
    )


def _numbered(offers: Iterable[tuple[str, str]], messages: Messages) -> Iterator[Button]:
    for number, (label, question) in enumerate(list(offers)[:MOST_QUESTIONS], start=1):
        spoken = messages.label("buttons", "ask_spoken", name=label)
        yield Button(f"{ASK}.{number}", label, question, spoken)


def _suggestions(error: SizingError | CodedError) -> tuple[str, ...]:
    found = error.values.get("suggestions", ())
    return found if isinstance(found, tuple) else ()


def _corrected(text: str, error: SizingError | CodedError, suggestion: str) -> str | None:
    """Put a suggestion where the word at fault stands; one that is a question stays whole.

    None where that place is not plain: a button never asks what nobody meant.
    """
    if str(error.values.get("reason") or "").startswith("two_"):
        private = _PRIVATE.search(text) is not None
        return suggestion + manner(language_in(text), private=private)
    word = re.escape(str(error.values.get("word") or ""))
    places = [*re.finditer(rf"(?<![\w.-]){word}(?![\w.-])", text, re.IGNORECASE)] if word else []
    if len(places) != 1:
        return None
    start, end = places[0].span()
    return f"{text[:start]}{suggestion}{text[end:]}"
