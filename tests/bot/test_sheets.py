"""Sheets are opened again: every cell is a text or a number, never a formula."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from bot.sheets import MOST_CELL_CHARACTERS, Sheet, safe_cell, to_csv, to_xlsx

AT = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
FORMULAS = [
    "=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://x\")", " =1", "\n=1",
    "=cmd|' /C calc'!A0",
]  # fmt: skip
HARMLESS = ["", "H100", "2 × 32 A", "–", "'quoted", "a=b", "ñ¿?", "1.400", "3 + 4", "#REF!"]
TEXT_OR_NUMBER = {"s", "inlineStr", "n"}


def _read(content, **options):
    return load_workbook(io.BytesIO(content), **options)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_would_be_a_formula_gets_an_apostrophe(text):
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", [*HARMLESS, 0, -5, 2.5, None])
def test_other_values_stay_as_they_are(value):
    assert safe_cell(value) == value


def test_what_a_workbook_cannot_hold_is_replaced():
    assert safe_cell("a\x00b\ud800c") == "a\ufffdb\ufffdc"
    assert len(safe_cell("=" * (MOST_CELL_CHARACTERS + 5))) == MOST_CELL_CHARACTERS


def test_a_workbook_holds_no_formula():
    rows = tuple((text, number) for number, text in enumerate(FORMULAS + HARMLESS))
    book = _read(to_xlsx([Sheet("Offers", ("=Text", "Number"), rows)], at=AT))
    cells = [cell for row in book["Offers"].iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= TEXT_OR_NUMBER
    assert book["Offers"]["A1"].value == "'=Text"
    assert [row[1].value for row in book["Offers"].iter_rows(min_row=2)] == list(range(len(rows)))


@given(
    texts=st.lists(st.one_of(st.text(), st.text(alphabet="=+-@\t\r\n '\"")), min_size=1, max_size=5)
)
def test_no_text_at_all_becomes_a_formula(texts):
    sheet = Sheet("S", ("head",), tuple((text,) for text in texts))
    page = _read(to_xlsx([sheet], at=AT))["S"]
    cells = [cell for row in page.iter_rows() for cell in row]
    assert all(cell.data_type in TEXT_OR_NUMBER for cell in cells)
    for cell in cells:
        assert str(cell.value or "").lstrip()[:1] not in {"=", "+", "-", "@"}


def test_the_head_stays_in_sight_and_the_moment_is_kept():
    sheets = [Sheet("One", ("a", "b"), ((1, "x" * 500),)), Sheet("Two", ("c",), ())]
    book = _read(to_xlsx(sheets, at=AT))
    assert book.sheetnames == ["One", "Two"]
    assert book["One"].freeze_panes == "A2"
    assert book["One"]["A1"].font.bold
    assert book["One"].column_dimensions["B"].width == 80
    assert book.properties.created == datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001 (no zones there)


@pytest.mark.parametrize(("language", "separator"), [("en", ","), ("es", ";")])
def test_csv_of_each_language(language, separator):
    sheet = Sheet("S", ("Name", "Precio"), (("=1", 2), ('a,b;c\n"d"', None)))
    content = to_csv(sheet, language)
    assert content.startswith(b"\xef\xbb\xbf")
    text = content.decode("utf-8-sig")
    assert text.startswith(f"Name{separator}Precio\r\n'=1{separator}2\r\n")
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    assert rows == [["Name", "Precio"], ["'=1", "2"], ['a,b;c\n"d"', ""]]


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="zip"):
        to_xlsx([Sheet("S", ("a", "b"), (("one",),))], at=AT)
