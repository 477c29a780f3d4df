"""Tables and charts: their sizes, their cells, and the text they may hold."""

from __future__ import annotations

from collections.abc import Iterator

from slackblocks import _limits as slack

from bot.limits.rich_text import RICH_TEXT
from bot.limits.rules import (
    Check,
    Problem,
    boolean,
    choice,
    integer,
    length,
    listing,
    number,
    shape,
    string,
    typed,
)

# Reported by bots in live workspaces; the documentation gives no figure for `table`.
TABLE_CONTENT_MAX_LENGTH = 10_000

_CELLS: dict[str, Check] = {
    # An empty cell makes Slack drop the whole message: one space is the shortest.
    "raw_text": shape(
        {"text": string(low=slack.DATA_TABLE_CELL_TEXT_MIN_LENGTH)}, {"emoji": boolean}
    ),
    "raw_number": shape({"value": number(), "text": string(low=1)}),
    "rich_text": RICH_TEXT,
}
_CELL = typed(_CELLS, _CELLS, "a table")
_BLOCK_ID = {"block_id": string(low=1, high=slack.BLOCK_ID_MAX_LENGTH)}


def characters(value: object) -> int:
    """Count the characters of every `text` string inside a value."""
    if isinstance(value, list):
        return sum(map(characters, value))
    if not isinstance(value, dict):
        return 0
    return sum(
        len(item) if key == "text" and isinstance(item, str) else characters(item)
        for key, item in value.items()
    )


def _rectangle(value: object, pointer: str) -> Iterator[Problem]:
    """Check that all rows are as long as the first."""
    rows = _rows(value)
    for index, row in enumerate(rows):
        if isinstance(row, list) and isinstance(rows[0], list) and len(row) != len(rows[0]):
            message = f"has {len(row)} cells where the first row has {len(rows[0])}"
            yield Problem(f"{pointer}/rows/{index}", message)


def _rows(value: object) -> list[object]:
    rows = value.get("rows") if isinstance(value, dict) else None
    return rows if isinstance(rows, list) else []


def _content(high: int) -> Check:
    def check(value: object, pointer: str) -> Iterator[Problem]:
        count = characters(_rows(value))
        yield from length(count, f"{pointer}/rows", high=high, unit="character")

    return check


def _plain_header(value: object, pointer: str) -> Iterator[Problem]:
    header = _rows(value)[:1]
    for index, cell in enumerate(header[0] if header and isinstance(header[0], list) else []):
        if isinstance(cell, dict) and cell.get("type") == "rich_text":
            yield Problem(f"{pointer}/rows/0/{index}", "is rich text in a header row")


def _row_header_exists(value: object, pointer: str) -> Iterator[Problem]:
    index = value.get("row_header_column_index", 0) if isinstance(value, dict) else 0
    header = _rows(value)[:1]
    columns = len(header[0]) if header and isinstance(header[0], list) else 0
    if isinstance(index, int) and columns and index >= columns:
        message = f"is {index} where the table has {columns} columns"
        yield Problem(f"{pointer}/row_header_column_index", message)


TABLE = shape(
    {
        "rows": listing(
            listing(_CELL, low=1, high=slack.TABLE_COLUMNS_MAX_ITEMS, unit="cell"),
            low=1,
            high=slack.TABLE_ROWS_MAX_ITEMS,
            unit="row",
        )
    },
    {
        **_BLOCK_ID,
        "column_settings": listing(
            shape({}, {"align": choice("left", "center", "right"), "is_wrapped": boolean}),
            high=slack.TABLE_COLUMN_SETTINGS_MAX_ITEMS,
        ),
    },
    _rectangle,
    _content(TABLE_CONTENT_MAX_LENGTH),
)

DATA_TABLE = shape(
    {
        "caption": string(low=1),
        "rows": listing(
            listing(
                _CELL,
                low=slack.DATA_TABLE_COLUMNS_MIN_ITEMS,
                high=slack.DATA_TABLE_COLUMNS_MAX_ITEMS,
                unit="cell",
            ),
            low=slack.DATA_TABLE_ROWS_MIN_ITEMS,
            high=slack.DATA_TABLE_ROWS_MAX_ITEMS,
            unit="row",
        ),
    },
    {
        **_BLOCK_ID,
        "page_size": integer(
            low=slack.DATA_TABLE_PAGE_SIZE_MIN, high=slack.DATA_TABLE_PAGE_SIZE_MAX
        ),
        "row_header_column_index": integer(low=slack.DATA_TABLE_ROW_HEADER_COLUMN_INDEX_MIN),
    },
    _rectangle,
    _plain_header,
    _row_header_exists,
    _content(slack.DATA_TABLE_CONTENT_MAX_LENGTH),
)


def _one_point_per_category(value: object, pointer: str) -> Iterator[Problem]:
    """Check that series have unique names and one point for each category, in any order."""
    if not isinstance(value, dict):
        return
    config = value.get("axis_config")
    categories = config.get("categories") if isinstance(config, dict) else None
    series = [item for item in value.get("series") or [] if isinstance(item, dict)]
    names = [item.get("name") for item in series]
    if any(names.count(name) > 1 for name in names):
        yield Problem(f"{pointer}/series", "has two series of one name")
    for index, item in enumerate(series):
        labels = [point.get("label") for point in item.get("data") or [] if isinstance(point, dict)]
        if isinstance(categories, list) and sorted(map(str, labels)) != sorted(
            map(str, categories)
        ):
            yield Problem(f"{pointer}/series/{index}/data", "needs one point for each category")


_SEGMENT = shape(
    {
        "label": string(low=1, high=slack.DATA_VISUALIZATION_SEGMENT_LABEL_MAX_LENGTH),
        "value": number(above=slack.DATA_VISUALIZATION_SEGMENT_VALUE_EXCLUSIVE_MIN),
    }
)
_POINT = shape(
    {
        "label": string(low=1, high=slack.DATA_VISUALIZATION_POINT_LABEL_MAX_LENGTH),
        "value": number(),
    }
)
_SERIES = shape(
    {
        "name": string(low=1, high=slack.DATA_VISUALIZATION_SERIES_NAME_MAX_LENGTH),
        "data": listing(
            _POINT,
            low=slack.DATA_VISUALIZATION_DATA_MIN_ITEMS,
            high=slack.DATA_VISUALIZATION_DATA_MAX_ITEMS,
        ),
    }
)
_AXIS = shape(
    {
        "categories": listing(
            string(low=1, high=slack.DATA_VISUALIZATION_CATEGORY_LABEL_MAX_LENGTH),
            low=slack.DATA_VISUALIZATION_CATEGORIES_MIN_ITEMS,
            high=slack.DATA_VISUALIZATION_CATEGORIES_MAX_ITEMS,
        )
    },
    {
        "x_label": string(high=slack.DATA_VISUALIZATION_AXIS_LABEL_MAX_LENGTH),
        "y_label": string(high=slack.DATA_VISUALIZATION_AXIS_LABEL_MAX_LENGTH),
    },
)
_AXIS_CHART = shape(
    {
        "series": listing(
            _SERIES,
            low=slack.DATA_VISUALIZATION_SERIES_MIN_ITEMS,
            high=slack.DATA_VISUALIZATION_SERIES_MAX_ITEMS,
        ),
        "axis_config": _AXIS,
    },
    {},
    _one_point_per_category,
)
_PIE = shape(
    {
        "segments": listing(
            _SEGMENT,
            low=slack.DATA_VISUALIZATION_SEGMENTS_MIN_ITEMS,
            high=slack.DATA_VISUALIZATION_SEGMENTS_MAX_ITEMS,
        )
    }
)
_CHARTS = {"bar": _AXIS_CHART, "line": _AXIS_CHART, "area": _AXIS_CHART, "pie": _PIE}

DATA_VISUALIZATION = shape(
    {
        "title": string(low=1, high=slack.DATA_VISUALIZATION_TITLE_MAX_LENGTH),
        "chart": typed(_CHARTS, _CHARTS, "a chart"),
    },
    _BLOCK_ID,
)
