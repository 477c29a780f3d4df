"""What the checklist's page shows: groups, items, who ticked them, the bill of materials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.checklist.words import ChecklistWords, checklist_words
from bot.ticks import Tick, shown_ticks
from sizing.spec.checklist_records import Group

if TYPE_CHECKING:
    from bot.markup import Md
    from sizing.spec.checklist_records import Checklist, ChecklistItem


@dataclass(frozen=True)
class ItemView:
    """One item, worded."""

    title: str
    """Short name."""

    kind: str
    """What it weighs."""

    sentences: tuple[Md, ...]
    """What stands in it."""

    question: Md | None
    """What is asked; None where nothing is open."""

    asks: str
    """Who is asked."""

    tick: Tick | None
    """Who ticked it, and when; None where it is not done."""


@dataclass(frozen=True)
class GroupView:
    """Items of one group, worded."""

    name: str
    """Name of the group."""

    items: tuple[ItemView, ...]
    """Its items, in order."""


@dataclass(frozen=True)
class BillView:
    """Line of the bill of materials, worded."""

    quantity: int | None
    """Pieces; None where it is not known."""

    description: str
    """What it is."""


class ChecklistView:
    """A checklist as its page shows it."""

    def __init__(self, checklist: Checklist, language: str, ticks: Iterable[Tick] = ()) -> None:
        self._checklist = checklist
        self._words = checklist_words(language)
        self._ticked = shown_ticks(ticks)

    @property
    def total(self) -> int:
        """Return how many items there are."""
        return len(self._checklist.items)

    @property
    def done(self) -> int:
        """Return how many of them are ticked."""
        return sum(item.id in self._ticked for item in self._checklist.items)

    @property
    def open(self) -> int:
        """Return how many of them somebody has to answer."""
        return len(self._checklist.questions)

    @property
    def groups(self) -> tuple[GroupView, ...]:
        """Return the groups in order."""
        return tuple(
            GroupView(self._words.group(group), tuple(map(self._item, items)))
            for group, items in by_group(self._checklist)
        )

    def items_in(self, group: Group) -> tuple[ItemView, ...]:
        """Return the items of one group."""
        return tuple(self._item(item) for item in self._checklist.items if item.group is group)

    @property
    def bill(self) -> tuple[BillView, ...]:
        """Return the bill of materials."""
        return tuple(
            BillView(line.quantity, self._words.description(line)) for line in self._checklist.bill
        )

    def _item(self, item: ChecklistItem) -> ItemView:
        return item_view(item, self._words, self._ticked.get(item.id))


def item_view(item: ChecklistItem, words: ChecklistWords, tick: Tick | None) -> ItemView:
    """Return an item, worded."""
    return ItemView(
        title=words.title(item.id),
        kind=words.kind(item.kind),
        sentences=words.sentences(item),
        question=words.question(item),
        asks=words.person(item.asks),
        tick=tick,
    )


def by_group(checklist: Checklist) -> tuple[tuple[Group, tuple[ChecklistItem, ...]], ...]:
    """Return the groups that have items, in order, each with its items."""
    found = {
        group: tuple(item for item in checklist.items if item.group is group) for group in Group
    }
    return tuple((group, items) for group, items in found.items() if items)
