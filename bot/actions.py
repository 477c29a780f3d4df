"""Buttons below replies: only those that do something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bot.grammar.canonical import format_request
from bot.reply import Button

if TYPE_CHECKING:
    from bot.errors import CodedError
    from bot.messages import Messages
    from sizing.answer import Note, SizingAnswer
    from sizing.errors import SizingError
    from sizing.request import GpuChoice, SizingRequest

EXPLAIN = "gpus1.explain"
"""Explains the answer whose id the button carries."""

ASK = "gpus1.ask"
"""Asks the question that the button carries; a number follows."""

MOST_QUESTIONS = 3
"""Questions offered below one reply: more do not fit a phone."""


def answer_buttons(
    answer: SizingAnswer, request: SizingRequest, *, answer_id: str, messages: Messages
) -> tuple[Button, ...]:
    """Return Explain, and the same question about what else the asker may have meant."""
    spoken = messages.label("buttons", "explain_spoken")
    explain = Button(EXPLAIN, messages.label("buttons", "explain"), answer_id, spoken)
    return (explain, *_numbered(_other_meanings(answer, request, messages), messages))


def error_buttons(
    error: SizingError | CodedError, text: str, messages: Messages
) -> tuple[Button, ...]:
    """Return the question with the word at fault replaced by each suggestion."""
    offers = ((name, _corrected(text, error, name)) for name in _suggestions(error))
    return tuple(_numbered(offers, messages))


def _other_meanings(
    answer: SizingAnswer, request: SizingRequest, messages: Messages
) -> Iterator[tuple[str, str]]:
    """Yield the names of what else was possible, and the question asked about each."""
    for note in answer.assumptions:
        for other in _alternatives(note):
            if note.code == "model_default":
                changed = request.model_copy(update={"model_id": other})
                yield messages.labels.model(other), format_request(changed)
            elif note.code == "gpu_variant":
                gpus = _exchanged(request.gpus, str(note.values["gpu"]), other)
                changed = request.model_copy(update={"gpus": gpus})
                yield messages.labels.gpu(other), format_request(changed)


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


def _corrected(text: str, error: SizingError | CodedError, suggestion: str) -> str:
    """Put a suggestion where the word at fault stands; one that is a question stays whole."""
    word = str(error.values.get("word") or "")
    start = text.lower().find(word.lower()) if word else -1
    is_question = str(error.values.get("reason") or "").startswith("two_")
    if is_question or start < 0:
        return suggestion
    return f"{text[:start]}{suggestion}{text[start + len(word) :]}"
