"""Whole pages are compared with files beside this one: `pytest --snapshot-update` writes them."""

from __future__ import annotations

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.checklist_page import checklist_page
from bot.ticks import Tick

TICK = Tick(
    number=3,
    at="2026-11-30T09:30:00.000Z",
    item_id="circuits",
    user_id="U1",
    user_name="Ana *López*",
    is_on=True,
)


class MarkdownFile(SingleFileSnapshotExtension):
    """Keeps each page in a file of its own, readable in a review."""

    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def page(snapshot):
    return snapshot.use_extension(MarkdownFile)


def test_filled(filled, language, page):
    assert checklist_page(filled, language, [TICK]) == page


def test_empty(empty, language, page):
    assert checklist_page(empty, language) == page


def test_each_item_has_one_box(filled, language):
    text = checklist_page(filled, language, [TICK])
    boxes = [line for line in text.splitlines() if line.startswith("- [")]
    assert len(boxes) == len(filled.items)
    assert sum(line.startswith("- [x] ") for line in boxes) == 1


def test_a_tick_names_who_and_when_and_other_peoples_words_are_escaped(filled):
    assert r"✅ Ana \*López\*, 2026-11-30T09:30:00.000Z" in checklist_page(filled, "en", [TICK])


def test_a_box_that_was_cleared_is_empty(filled):
    cleared = Tick(**(vars(TICK) | {"number": 4, "is_on": False}))
    assert "[x]" not in checklist_page(filled, "en", [cleared, TICK])


def test_spanish_has_no_decimal_points(filled):
    """Points in Spanish numbers group thousands; names and versions keep theirs."""
    text = checklist_page(filled, "es")
    for words in ("5,1 kW", "12,5 %", "30,6 kW", "104.407 BTU/h"):
        assert words in text
    assert "5.1 kW" not in text
