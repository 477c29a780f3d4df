"""The checklist as sheets for the buyer: figures, items, bill of materials, open questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bot.sheets import Cell, Sheet
from bot.ticks import Tick, shown_ticks
from sizing.spec.checklist_records import State

if TYPE_CHECKING:
    from bot.checklist.words import ChecklistWords
    from sizing.spec.checklist_records import BillLine, Checklist, ChecklistItem

OFFERS = ("offer_1", "offer_2", "offer_3")
"""Columns that the buyer fills in."""


def sheets_of(
    checklist: Checklist, words: ChecklistWords, ticks: Iterable[Tick] = ()
) -> tuple[Sheet, ...]:
    """Return the sheets of a workbook in order: spec, checklist, bill of materials, questions."""
    return (
        _spec(checklist, words),
        _items(checklist, words, ticks),
        _bill(checklist, words),
        _questions(checklist, words),
    )


def _sheet(words: ChecklistWords, name: str, head: str, rows: Iterable[tuple[Cell, ...]]) -> Sheet:
    columns = tuple(words.column(code) for code in head.split())
    return Sheet(words.page(name), columns, tuple(rows))


def _spec(checklist: Checklist, words: ChecklistWords) -> Sheet:
    return _sheet(words, "spec", "section name value", _figures(checklist, words))


def _figures(checklist: Checklist, words: ChecklistWords) -> Iterator[tuple[Cell, ...]]:
    """Yield each sentence that holds figures of the plan."""
    for item in checklist.items:
        sentences = zip(item.lines, words.plain_sentences(item), strict=True)
        for line, sentence in sentences:
            if line.values:
                yield words.group(item.group), words.title(item.id), sentence


def _items(checklist: Checklist, words: ChecklistWords, ticks: Iterable[Tick]) -> Sheet:
    done = shown_ticks(ticks)
    rows = (_item(item, words, done.get(item.id)) for item in checklist.items)
    return _sheet(words, "title", "group item kind state text question asks done", rows)


def _item(item: ChecklistItem, words: ChecklistWords, tick: Tick | None) -> tuple[Cell, ...]:
    return (
        words.group(item.group),
        words.title(item.id),
        words.kind(item.kind),
        words.state(item.state),
        "\n".join(words.plain_sentences(item)),
        words.plain_question(item),
        words.person(item.asks),
        _ticked(tick, words) if tick else None,
    )


def _ticked(tick: Tick, words: ChecklistWords) -> str:
    """Return who ticked an item, and when to the minute."""
    at = tick.at[:16].replace("T", " ")
    return words.page("ticked", user=tick.user_name or tick.user_id, at=at)


def _bill(checklist: Checklist, words: ChecklistWords) -> Sheet:
    head = " ".join(("group", "quantity", "description", "part_number", "lead_time", *OFFERS))
    return _sheet(words, "bill", head, (_bill_row(line, words) for line in checklist.bill))


def _bill_row(line: BillLine, words: ChecklistWords) -> tuple[Cell, ...]:
    quantity = words.page("unknown") if line.quantity is None else line.quantity
    empty = (None,) * (2 + len(OFFERS))
    return words.group(line.group), quantity, words.description(line), *empty


def _questions(checklist: Checklist, words: ChecklistWords) -> Sheet:
    rows = (
        (
            words.group(item.group),
            words.title(item.id),
            words.plain_question(item),
            words.person(item.asks),
            None,
        )
        for item in checklist.items
        if item.state is State.OPEN
    )
    return _sheet(words, "questions", "group item question asks answer", rows)
