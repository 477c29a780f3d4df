"""Buttons below replies: only those that do something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bot.reply import Button

if TYPE_CHECKING:
    from bot.errors import CodedError
    from bot.messages import Messages
    from sizing.answer import Note, SizingAnswer, Understood
    from sizing.errors import SizingError
    from sizing.request import GpuChoice

EXPLAIN = "gpus1.explain"
"""Explains the answer whose id the button carries."""

ASK = "gpus1.ask"
"""Asks the question that the button carries; a number follows."""

MOST_QUESTIONS = 3
"""Questions offered below one reply: more do not fit a phone."""


def answer_buttons(answer: SizingAnswer, answer_id: str, messages: Messages) -> tuple[Button, ...]:
    """Return Explain, and the same question about what else the asker may have meant."""
    spoken = messages.label("buttons", "explain_spoken")
    explain = Button(EXPLAIN, messages.label("buttons", "explain"), answer_id, spoken)
    return (explain, *_numbered(_other_meanings(answer, messages), messages))


def error_buttons(
    error: SizingError | CodedError, text: str, messages: Messages
) -> tuple[Button, ...]:
    """Return the question with the word at fault replaced by each suggestion."""
    offers = ((name, _corrected(text, error, name)) for name in _suggestions(error))
    return tuple(_numbered(offers, messages))


def question_of(answer: SizingAnswer, *, model: str = "", gpus: tuple[GpuChoice, ...] = ()) -> str:
    """Word an answered question again, with another model or other GPUs.

    What the asker left to the defaults is left to them again.
    """
    asked = answer.understood
    defaults = {note.code for note in answer.assumptions}
    words = [model or asked.model_id or asked.model]
    words += [] if "default_precision" in defaults else [asked.precision]
    words += [] if "kv_precision_default" in defaults else [f"kv={asked.kv_precision}"]
    words += [] if "default_load" in defaults else _context(asked)
    words += [f"users={asked.concurrent_requests}"] if asked.concurrent_requests > 1 else []
    words += [] if "default_engine" in defaults else [f"engine={asked.engine}"]
    words += [] if "default_memory_fraction" in defaults else [f"util={asked.memory_fraction:g}"]
    words += _parallel(asked)
    chosen = gpus or asked.gpus or ()
    words += [f"gpu={','.join(map(_choice, chosen))}"] if chosen else []
    return " ".join(words)


def _other_meanings(answer: SizingAnswer, messages: Messages) -> Iterator[tuple[str, str]]:
    for note in answer.assumptions:
        for other in _alternatives(note):
            if note.code == "model_default":
                yield messages.labels.model(other), question_of(answer, model=other)
            elif note.code == "gpu_variant":
                gpus = _exchanged(answer.understood, str(note.values["gpu"]), other)
                yield messages.labels.gpu(other), question_of(answer, gpus=gpus)


def _alternatives(note: Note) -> tuple[str, ...]:
    found = note.values.get("alternatives", ())
    return found if isinstance(found, tuple) else ()


def _exchanged(asked: Understood, gpu: str, other: str) -> tuple[GpuChoice, ...]:
    choices = asked.gpus or ()
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
    if error.values.get("reason") == "two_models" or start < 0:
        return suggestion
    return f"{text[:start]}{suggestion}{text[start + len(word) :]}"


def _context(asked: Understood) -> list[str]:
    if asked.input_tokens or asked.output_tokens:
        parts = {"in": asked.input_tokens, "out": asked.output_tokens}
        return [f"{key}={tokens}" for key, tokens in parts.items() if tokens]
    return [f"ctx={asked.context_tokens}"]


def _parallel(asked: Understood) -> list[str]:
    degrees = {
        "tp": asked.tensor_parallel,
        "pp": asked.pipeline_parallel,
        "ep": asked.expert_parallel,
    }
    return [f"{key}={degree}" for key, degree in degrees.items() if degree]


def _choice(choice: GpuChoice) -> str:
    name = choice.gpu or f"{choice.memory_gb:g}gb"
    return f"{choice.count}x{name}" if choice.count else name
