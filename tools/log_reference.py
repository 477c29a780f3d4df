"""Write docs/log-tables.md: every table and column of a log with its meaning.

`python -m tools.log_reference` rewrites the page; the tests compare.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import tomli

from bot.storage.sqlite import SqliteLog

PAGE = Path(__file__).parent.parent / "docs" / "log-tables.md"

HEAD = Path(__file__).with_suffix(".md")
"""What the page says before its tables."""

MEANINGS = Path(__file__).with_suffix(".toml")
"""What tables and columns mean; that of a table has no name."""

OTHERS = ("sqlite_", "_sqlite_migrations", "decisions_fts")
"""Starts of the names of tables that SQLite and its libraries keep for themselves."""


def reference() -> str:
    """Return the page; raise KeyError where a table or a column has no meaning, or one too many."""
    meanings = tomli.loads(MEANINGS.read_text(encoding="utf-8"))
    found = tables()
    if meanings.keys() != found.keys():
        raise KeyError(*sorted(meanings.keys() ^ found.keys()))
    return HEAD.read_text(encoding="utf-8") + "".join(
        _section(name, found[name], meanings[name]) for name in meanings
    )


def tables() -> dict[str, dict[str, str]]:
    """Return the tables and views of a new log with the types of their columns."""
    return dict(_tables())


def _tables() -> Iterator[tuple[str, dict[str, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gpusize.db"
        SqliteLog(path).close()
        with closing(sqlite3.connect(path)) as db:
            names = db.execute("select name from sqlite_master where type in ('table', 'view')")
            for (name,) in names.fetchall():
                if not name.startswith(OTHERS):
                    columns = db.execute(f"select name, type from pragma_table_info('{name}')")  # noqa: S608
                    yield name, dict(columns.fetchall())


def _section(name: str, columns: dict[str, str], meanings: dict[str, str]) -> str:
    if meanings.keys() - {""} != columns.keys():
        raise KeyError(name, *sorted((meanings.keys() - {""}) ^ columns.keys()))
    rows = (f"| `{one}` | {kind.lower()} | {meanings[one]} |\n" for one, kind in columns.items())
    head = f"\n## `{name}`\n\n{meanings['']}\n\n| Column | Type | Meaning |\n|---|---|---|\n"
    return head + "".join(rows)


def main() -> int:
    """Write the page."""
    PAGE.write_text(reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
