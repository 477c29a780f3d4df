"""The articles and the tenders are walked row by row, and each row leads somewhere."""

from __future__ import annotations

import pytest

from sizing.spec.checklist import load_checklist
from tools import coverage

ROWS = coverage.read_rows()

SECTIONS = {
    "nim": [
        "impact of the model",
        "GPU memory",
        "compute",
        "CPU and RAM of the host",
        *(f"practical steps {number}" for number in range(1, 6)),
    ],
    "local": [
        "opening",
        "reasons for local hosting",
        "GPU requirements",
        "RAM and storage",
        "components",
        "heat and power",
        "use of the knowledge",
        "checklist",
        "first steps",
    ],
    "tenders": [str(number) for number in range(1, 43)],
}
"""Sections of the articles and numbers of the items, in order."""

LEAST_ROWS = {"checklist": 6, "components": 6, "practical steps 2": 2}
"""Lists in the articles whose length is known: each of their points has a row."""


def test_the_page_is_up_to_date():
    """`make docs` writes it."""
    assert coverage.PAGE.read_text(encoding="utf-8") == coverage.page()


@pytest.mark.parametrize("source", coverage.SOURCES)
def test_every_section_is_walked_in_order(source):
    places = list(dict.fromkeys(row.place for row in ROWS if row.source == source))
    assert places == SECTIONS[source]


def test_every_row_is_of_a_source():
    assert {row.source for row in ROWS} == coverage.SOURCES.keys()
    for place, least in LEAST_ROWS.items():
        assert sum(row.place == place for row in ROWS) >= least


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.source}: {row.says}"[:60])
def test_a_row_leads_somewhere(row):
    assert row.held_by
    assert all(coverage.shown(pointer) for pointer in row.held_by)


@pytest.mark.parametrize(
    "pointer",
    [
        "item:nothing", "bill:nothing", "fact:nothing", "fact:runs", "note:nothing",
        "code:sizing.rules:nothing", "field:sizing.answer:Memory.nothing",
        "field:sizing.answer:Nothing.total_bytes", "page:docs/nothing.md", "nothing:item",
    ],
)  # fmt: skip
def test_a_pointer_to_nothing_is_an_error(pointer):
    with pytest.raises(LookupError):
        coverage.shown(pointer)


def test_every_item_of_the_checklist_is_asked_for_by_some_row():
    """What nobody asks for would be our own invention."""
    held = {pointer for row in ROWS for pointer in row.held_by}
    asked = {item.id for item in load_checklist().item if f"item:{item.id}" in held}
    assert {item.id for item in load_checklist().item} == asked


def test_rows_say_it_once():
    said = [(row.source, row.says) for row in ROWS]
    assert len(said) == len(set(said))
    assert all("|" not in row.says for row in ROWS)
