"""Write sheets that people open in a spreadsheet: CSV and XLSX, with no formula in any cell."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

Cell = str | int | float | None

MOST_CELL_CHARACTERS = 32_767
"""Characters that Excel keeps of one cell."""

_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet read a text as a formula."""

# Spaces before the sign do not help: some programs cut them off when they read the file.
_FORMULA = re.compile(rf"^\s*[{re.escape(''.join(_STARTS))}]|^[\t\r]")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]")
_SEPARATORS = {"en": ",", "es": ";"}
"""What spreadsheets of a language expect between cells: where a comma is the decimal sign, `;`."""

_WIDEST = 80
_NARROWEST = 8


@dataclass(frozen=True)
class Sheet:
    """One table with a head."""

    name: str
    """Name people read, at most 31 characters."""

    head: tuple[str, ...]
    """Names of the columns."""

    rows: tuple[tuple[Cell, ...], ...]
    """Cells, each row as long as the head."""


def safe_cell(value: Cell) -> Cell:
    """Return what may stand in a cell: a text that would be a formula gets an apostrophe."""
    if not isinstance(value, str):
        return value
    text = _NOT_IN_XML.sub("\ufffd", value)[: MOST_CELL_CHARACTERS - 1]
    return f"'{text}" if _FORMULA.match(text) else text


def to_csv(sheet: Sheet, language: str) -> bytes:
    """Return a sheet as CSV that the spreadsheets of a language open with a double click."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=_SEPARATORS[language], lineterminator="\r\n")
    writer.writerows([_safe_row(row) for row in (sheet.head, *sheet.rows)])
    # With the mark that says UTF-8: without it Excel takes the system's old code page.
    return text.getvalue().encode("utf-8-sig")


def to_xlsx(sheets: Sequence[Sheet], *, at: datetime) -> bytes:
    """Return a workbook of sheets, made at a moment; its cells hold texts and numbers alone."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    # A workbook knows no time zones: its moments are UTC.
    book.properties.created = book.properties.modified = at.replace(tzinfo=None)
    book.properties.creator = "gpusize"
    for sheet in sheets:
        _fill(book.create_sheet(sheet.name), sheet)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _fill(page: Worksheet, sheet: Sheet) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    for row in (sheet.head, *sheet.rows):
        page.append(_safe_row(row))
    for cells in page.iter_rows():
        for cell in cells:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if isinstance(cell.value, str):
                # A text such as #REF! is no error of the workbook's own.
                cell.data_type = "s"
    for cell in page[1]:
        cell.font = Font(bold=True)
    page.freeze_panes = "A2"
    for number, width in enumerate(_widths(sheet), start=1):
        page.column_dimensions[get_column_letter(number)].width = width


def _safe_row(row: Sequence[Cell]) -> list[Cell]:
    return [safe_cell(cell) for cell in row]


def _widths(sheet: Sheet) -> list[int]:
    """Return the width of each column, characters: as wide as its longest cell, within reason."""
    columns = zip(sheet.head, *sheet.rows, strict=True)
    longest = (max(len(str(cell or "")) for cell in column) for column in columns)
    return [min(_WIDEST, max(_NARROWEST, width + 2)) for width in longest]
