"""Read and change rows of SQLite as they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

MOST_VALUES: Final = 500
"""Values of one statement: builds of SQLite take 999 or more."""


class SqliteRecords:
    """Rows of SQLite; the names of tables and columns come from our own code alone."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read(
        self,
        table: str,
        columns: Sequence[str],
        *,
        by: str | None = None,
        values: Sequence[int | str] = (),
    ) -> list[dict[str, Any]]:
        """Return rows in the order of the first column: all, or those whose `by` is in `values`."""
        select = f"select {', '.join(columns)} from {table}"  # noqa: S608
        if by is None:
            return self._rows(f"{select} order by {columns[0]}", columns, ())
        found: list[dict[str, Any]] = []
        for some in _portions(sorted(set(values), key=str)):
            found += self._rows(f"{select} where {_among(by, some)}", columns, some)
        return sorted(found, key=lambda row: row[columns[0]])

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """Add a row, with the number that it says."""
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        self._connection.execute(
            f"insert into {table} ({names}) values ({marks})",  # noqa: S608
            list(row.values()),
        )

    def change(self, table: str, key: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """Put other values into the row of a key."""
        values = ", ".join(f"{name} = ?" for name in row)
        where = " and ".join(f"{name} = ?" for name in key)
        self._connection.execute(
            f"update {table} set {values} where {where}",  # noqa: S608
            [*row.values(), *key.values()],
        )

    def drop(self, table: str, key: Mapping[str, Any]) -> None:
        """Take out the row of a key."""
        where = " and ".join(f"{name} = ?" for name in key)
        self._connection.execute(
            f"delete from {table} where {where}",  # noqa: S608
            list(key.values()),
        )

    def remove(self, table: str, by: str, values: Sequence[int | str]) -> int:
        """Take out the rows whose `by` is in `values`, and return how many."""
        return sum(
            self._connection.execute(
                f"delete from {table} where {_among(by, some)}",  # noqa: S608
                some,
            ).rowcount
            for some in _portions(values)
        )

    @contextmanager
    def unlocked(self) -> Iterator[None]:
        """Lift the triggers that refuse changes, inside the transaction, and put them back."""
        triggers = self._connection.execute(
            "select name, sql from sqlite_master where type = 'trigger' "
            "and (name like '%_no_update' or name like '%_no_delete') order by name"
        ).fetchall()
        for name, _ in triggers:
            self._connection.execute(f"drop trigger {name}")
        yield
        # Where something fails, the transaction is undone, and with it this.
        for _, sql in triggers:
            self._connection.execute(sql)

    def _rows(
        self, statement: str, columns: Sequence[str], values: Sequence[int | str]
    ) -> list[dict[str, Any]]:
        rows = self._connection.execute(statement, values)
        return [dict(zip(columns, row, strict=True)) for row in rows]


def _among(column: str, values: Sequence[int | str]) -> str:
    return f"{column} in ({', '.join('?' * len(values))})"


def _portions(values: Sequence[int | str]) -> Iterator[Sequence[int | str]]:
    for start in range(0, len(values), MOST_VALUES):
        yield values[start : start + MOST_VALUES]
