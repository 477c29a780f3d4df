"""Sentences the engine means but does not word: a code and the values it needs."""

from __future__ import annotations

from pydantic import Field

from sizing.records import Identifier, Record

NoteValue = str | int | float | bool | tuple[str, ...] | None


class Note(Record):
    """Sentence to be worded by the reader's language: its code and the values it needs."""

    code: Identifier | str
    """Key of the sentence in the message catalogues."""

    values: dict[str, NoteValue] = Field(default_factory=dict)
    """Values of the sentence; units stand in the keys."""


def note(code: str, **values: NoteValue) -> Note:
    """Return the note of that code with its values."""
    return Note(code=code, values=values)
