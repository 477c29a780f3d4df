"""Word the items of a checklist and the lines of its bill of materials in one language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli

from bot.markup import Md
from bot.messages import Entry, Messages, load_messages
from bot.paths import templates_dir
from sizing.spec.checklist_records import Group, Kind, Person, State

if TYPE_CHECKING:
    from sizing.notes import NoteValue
    from sizing.spec.checklist_records import BillLine, ChecklistItem

FIXED = ("groups", "kinds", "states", "people", "page", "columns", "bill", "bill_open")
"""Tables of words that belong to no item."""


def item_table(item_id: str) -> str:
    """Return the table in which the words of an item stand."""
    return f"item.{item_id}"


def read_words(language: str, folder: Path | None = None) -> dict[str, Mapping[str, Entry]]:
    """Return the words of one language by table and code, items as `item.` and their id."""
    path = (folder or templates_dir()) / "messages" / f"checklist_{language}.toml"
    raw: Mapping[str, Any] = tomli.loads(path.read_text(encoding="utf-8"))
    items = {item_table(name): words for name, words in raw["item"].items()}
    return {name: raw[name] for name in FIXED} | items


@cache
def checklist_words(language: str) -> ChecklistWords:
    """Return the words of one language; raise MessageError for a language without any."""
    messages = load_messages(language)
    tables = {**messages.tables, **read_words(language)}
    return ChecklistWords(Messages(language, tables, messages.labels))


@dataclass(frozen=True)
class ChecklistWords:
    """Words of one language, as Markdown and as plain text."""

    messages: Messages
    """Messages that hold the checklist's tables as well."""

    @property
    def language(self) -> str:
        """Return `en` or `es`."""
        return self.messages.language

    def title(self, item_id: str) -> str:
        """Return the short name of an item, plain."""
        return self.messages.label(item_table(item_id), "title")

    def sentences(self, item: ChecklistItem) -> tuple[Md, ...]:
        """Return what stands in an item, as Markdown."""
        table = item_table(item.id)
        return tuple(self.messages.word(table, line.code, **line.values) for line in item.lines)

    def plain_sentences(self, item: ChecklistItem) -> tuple[str, ...]:
        """Return what stands in an item, as plain text."""
        table = item_table(item.id)
        labels = (self.messages.label(table, line.code, **line.values) for line in item.lines)
        return tuple(_bare(label) for label in labels)

    def question(self, item: ChecklistItem) -> Md | None:
        """Return what is asked as Markdown; None where nothing is open."""
        if item.state is not State.OPEN:
            return None
        return self.messages.word(item_table(item.id), "open")

    def plain_question(self, item: ChecklistItem) -> str:
        """Return what is asked as plain text; empty where nothing is open."""
        return _bare(self.question(item) or "")

    def description(self, line: BillLine) -> str:
        """Return what a line of the bill of materials is, plain."""
        if not line.is_described or line.quantity is None:
            return self.messages.label("bill_open", line.id)
        return self.messages.label("bill", line.id, **line.description.values)

    def group(self, group: Group) -> str:
        """Return the name of a group."""
        return self.messages.label("groups", group.value)

    def kind(self, kind: Kind) -> str:
        """Return the word for what an item weighs."""
        return self.messages.label("kinds", kind.value)

    def state(self, state: State) -> str:
        """Return the word for what stands in an item."""
        return self.messages.label("states", state.value)

    def person(self, person: Person | None) -> str:
        """Return who is asked; empty for nobody."""
        return self.messages.label("people", person.value) if person else ""

    def column(self, code: str) -> str:
        """Return the head of a column."""
        return self.messages.label("columns", code)

    def page(self, code: str, **values: NoteValue) -> str:
        """Return a phrase of the page, plain."""
        return self.messages.label("page", code, **values)


def _bare(text: str) -> str:
    """Return the text without the marks of code."""
    return str(text).replace("`", "")
