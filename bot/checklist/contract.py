"""The checklist as data: `checklist` and `bill_of_materials` of the JSON contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.checklist.words import ChecklistWords
    from sizing.spec.checklist_records import BillLine, Checklist, ChecklistItem

Json = dict[str, object]


def checklist_contract(checklist: Checklist, words: ChecklistWords) -> Json:
    """Return items and bill of materials, every key always there; sentences as code and text."""
    return {
        "checklist": [_item(item, words) for item in checklist.items],
        "bill_of_materials": [_line(line, words) for line in checklist.bill],
    }


def _item(item: ChecklistItem, words: ChecklistWords) -> Json:
    said = zip(item.lines, words.plain_sentences(item), strict=True)
    return {
        "id": item.id,
        "group": item.group.value,
        "kind": item.kind.value,
        "state": item.state.value,
        "title": words.title(item.id),
        "topics": list(item.topics),
        "lines": [{"code": line.code, "text": text, "values": line.values} for line, text in said],
        "question": words.plain_question(item) or None,
        "asks": item.asks.value if item.asks else None,
    }


def _line(line: BillLine, words: ChecklistWords) -> Json:
    return {
        "id": line.id,
        "group": line.group.value,
        "quantity": line.quantity,
        "description": words.description(line),
    }
