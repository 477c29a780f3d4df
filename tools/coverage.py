"""Write docs/coverage.md: what articles and tenders ask for, and what of the product holds it.

`python -m tools.coverage` rewrites the page; the tests compare.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bot.checklist.words import checklist_words
from bot.messages import NOTE_TABLES, read_tables
from sizing.spec.checklist import load_checklist
from sizing.spec.facts import AcceptanceRun, ChecklistFacts

ROOT = Path(__file__).parents[1]

PAGE = ROOT / "docs" / "coverage.md"

HEAD = Path(__file__).with_suffix(".md")
"""What the page says before its tables."""

ROWS = Path(__file__).with_suffix(".toml")

SOURCES = {
    "nim": "Article 1: hardware requirements of NVIDIA NIM",
    "local": "Article 2: hardware for local language models",
    "tenders": "Tenders: 42 items",
}
"""Where rows come from, in the order of the page."""


@dataclass(frozen=True)
class Row:
    """One rule, piece of advice or item."""

    source: str
    """Key in SOURCES."""

    place: str
    """Section of the article, or number of the item."""

    says: str
    """What it says, in our words."""

    held_by: tuple[str, ...]
    """Pointers to what holds it, `kind:name`."""


def read_rows() -> tuple[Row, ...]:
    """Return all rows in order."""
    raw = tomllib.loads(ROWS.read_text(encoding="utf-8"))["row"]
    return tuple(Row(**(row | {"held_by": tuple(row["held_by"])})) for row in raw)


def page() -> str:
    """Return the whole page."""
    return "\n".join((HEAD.read_text(encoding="utf-8"), *_tables())) + "\n"


def shown(pointer: str) -> str:
    """Return how the page names what a pointer leads to; raise LookupError where it is nothing."""
    kind, _, name = pointer.partition(":")
    return _KINDS[kind](name)


def _tables() -> Iterator[str]:
    rows = read_rows()
    for source, title in SOURCES.items():
        yield f"## {title}\n"
        yield "| Where | What it says | Held by |\n|---|---|---|"
        yield from (_line(row) for row in rows if row.source == source)
        yield ""


def _line(row: Row) -> str:
    return f"| {row.place} | {row.says} | {'; '.join(map(shown, row.held_by))} |"


@cache
def _ids() -> dict[str, set[str]]:
    checklist = load_checklist()
    return {
        "item": {item.id for item in checklist.item},
        "bill": {line.id for line in checklist.bill},
        "fact": {*ChecklistFacts.model_fields, *AcceptanceRun.model_fields} - {"runs"},
        "note": {code for table in NOTE_TABLES for code in read_tables("en")[table]},
    }


def _known(kind: str, name: str) -> str:
    if name not in _ids()[kind]:
        raise LookupError(f"{kind}:{name}")
    return name


def _item(name: str) -> str:
    return f"checklist “{checklist_words('en').title(_known('item', name))}”"


def _bill(name: str) -> str:
    words = checklist_words("en").messages.label("bill_open", _known("bill", name))
    return f"bill of materials “{words}”"


def _fact(name: str) -> str:
    return f"figure `{_known('fact', name)}`"


def _note(name: str) -> str:
    return f"sentence `{_known('note', name)}`"


def _code(name: str) -> str:
    module, _, attribute = name.partition(":")
    _attribute(module, attribute)
    return f"`{module.split('.')[-1]}.{attribute}`"


def _field(name: str) -> str:
    """Return `Class.field` of `module:Class.field`, which is a field of a record."""
    module, _, path = name.partition(":")
    kind, _, field = path.partition(".")
    if field not in _attribute(module, kind).model_fields:
        raise LookupError(f"field:{name}")
    return f"`{path}`"


def _attribute(module: str, name: str) -> Any:
    found = getattr(importlib.import_module(module), name, None)
    if found is None:
        raise LookupError(f"{module}:{name}")
    return found


def _page(name: str) -> str:
    if not (ROOT / name).is_file():
        raise LookupError(f"page:{name}")
    return f"[{Path(name).stem}]({Path(name).name})"


_KINDS = {
    "item": _item,
    "bill": _bill,
    "fact": _fact,
    "note": _note,
    "code": _code,
    "field": _field,
    "page": _page,
}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
