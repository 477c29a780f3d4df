"""The buyer's workbook, opened again."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from openpyxl import load_workbook

from bot.checklist.sheets import sheets_of
from bot.checklist.words import checklist_words
from bot.sheets import to_csv, to_xlsx
from bot.ticks import Tick
from sizing.spec.checklist import checklist_of

AT = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
TICK = Tick(
    number=1,
    at="2026-11-30T09:30:00.000Z",
    item_id="circuits",
    user_id="U1",
    user_name="=Ana()",
    is_on=True,
)


def opened(checklist, language, ticks=()):
    sheets = sheets_of(checklist, checklist_words(language), ticks)
    return load_workbook(io.BytesIO(to_xlsx(sheets, at=AT)))


def rows(page):
    return [tuple(cell.value for cell in row) for row in page.iter_rows(min_row=2)]


@pytest.mark.parametrize(
    ("language", "names"),
    [
        (
            "en",
            [
                "Server specification",
                "Procurement checklist",
                "Bill of materials",
                "Open questions",
            ],
        ),
        (
            "es",
            [
                "Especificación del servidor",
                "Lista de compra",
                "Lista de materiales",
                "Preguntas abiertas",
            ],
        ),
    ],
)
def test_the_sheets_of_the_workbook(filled, language, names):
    assert opened(filled, language).sheetnames == names
    assert all(len(name) <= 31 for name in names)


def test_every_item_and_every_question_has_its_row(filled, language):
    spec, items, bill, questions = opened(filled, language).worksheets
    assert items.max_row - 1 == len(filled.items)
    assert questions.max_row - 1 == len(filled.questions)
    assert bill.max_row - 1 == len(filled.bill)
    said = sum(bool(line.values) for item in filled.items for line in item.lines)
    assert spec.max_row - 1 == said


def test_no_cell_is_a_formula(filled, empty, language):
    for checklist in (filled, empty):
        for page in opened(checklist, language, [TICK]).worksheets:
            assert all(
                cell.data_type in ("s", "inlineStr", "n")
                and not str(cell.value or "").startswith("=")
                for row in page.iter_rows()
                for cell in row
            )


def test_other_peoples_words_are_no_formula_either(facts):
    hostile = facts.model_copy(update={"platform": "=HYPERLINK('x')", "gpu": "@SUM(A1)"})
    _, _, bill, _ = opened(checklist_of(hostile), "en").worksheets
    descriptions = [row[2] for row in rows(bill)]
    assert "'@SUM(A1)" in descriptions
    assert "'=HYPERLINK('x'), for 8 GPU each" in descriptions


def test_quantities_are_numbers_and_offers_are_empty(filled):
    _, _, bill, _ = opened(filled, "en").worksheets
    by_name = {row[2]: row for row in rows(bill)}
    assert by_name["H100 SXM 80 GB"][1] == 24
    assert by_name["Spare parts on site: GPU, power supply, fan, disk"][1] == "to be stated"
    assert {cell for row in rows(bill) for cell in row[3:]} == {None}


def test_figures_stand_in_the_first_sheet(filled):
    spec = opened(filled, "es").worksheets[0]
    assert (
        "Energía",
        "Circuitos, alimentaciones y enchufes",
        "Circuitos: 2 × 32 A 230 V por alimentación, 2 alimentaciones, cada una capaz de sostener "
        "5,1 kW por sí sola.",
    ) in rows(spec)


def test_ticks_say_who_and_when(filled):
    items = opened(filled, "en", [TICK]).worksheets[1]
    done = {row[1]: row[7] for row in rows(items)}
    assert done["Circuits, feeds and plugs"] == "'=Ana() · 2026-11-30 09:30 UTC"
    assert {value for name, value in done.items() if name != "Circuits, feeds and plugs"} == {None}


def test_each_sheet_is_a_file_of_its_own_as_well(filled, language):
    for sheet in sheets_of(filled, checklist_words(language)):
        lines = to_csv(sheet, language).decode("utf-8-sig").split("\r\n")
        assert len(lines) >= len(sheet.rows) + 2
