"""Read and change rows of PostgreSQL as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from psycopg import sql

from bot.storage.postgres.connections import Connection

_LOCKED: Final = b"""
select c.relname, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
where c.relnamespace = current_schema()::regnamespace and t.tgname like '%\\_append\\_only'
order by c.relname
"""


class PostgresRecords:
    """Rows of PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection) -> None:
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
        query = sql.SQL("select {} from {}").format(_names(columns), sql.Identifier(table))
        if by is not None:
            query += sql.SQL(" where {} = any(%s)").format(sql.Identifier(by))
        query += sql.SQL(" order by {}").format(sql.Identifier(columns[0]))
        given = None if by is None else [list(values)]
        if by is not None and not values:
            return []
        rows = self._connection.execute(query, given)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """Add a row, with the number that it says."""
        marks = sql.SQL(", ").join(sql.Placeholder() * len(row))
        statement = sql.SQL("insert into {} ({}) values ({})")
        named = statement.format(sql.Identifier(table), _names(row), marks)
        self._connection.execute(named, list(row.values()))

    def change(self, table: str, key: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """Put other values into the row of a key."""
        statement = sql.SQL("update {} set {} where {}").format(
            sql.Identifier(table), _equal(row, ", "), _equal(key, " and ")
        )
        self._connection.execute(statement, [*row.values(), *key.values()])

    def drop(self, table: str, key: Mapping[str, Any]) -> None:
        """Take out the row of a key."""
        statement = sql.SQL("delete from {} where {}")
        named = statement.format(sql.Identifier(table), _equal(key, " and "))
        self._connection.execute(named, list(key.values()))

    def remove(self, table: str, by: str, values: Sequence[int | str]) -> int:
        """Take out the rows whose `by` is in `values`, and return how many."""
        if not values:
            return 0
        statement = sql.SQL("delete from {} where {} = any(%s)")
        named = statement.format(sql.Identifier(table), sql.Identifier(by))
        return self._connection.execute(named, [list(values)]).rowcount

    @contextmanager
    def unlocked(self) -> Iterator[None]:
        """Lift the triggers that refuse changes, inside the transaction, and put them back."""
        triggers = self._connection.execute(_LOCKED).fetchall()
        self._switch(triggers, "disable")
        yield
        # Where something fails, the transaction is undone, and with it this.
        self._switch(triggers, "enable")

    def _switch(self, triggers: Sequence[tuple[str, str]], word: str) -> None:
        for table, trigger in triggers:
            statement = sql.SQL("alter table {} {} trigger {}").format(
                sql.Identifier(table), sql.SQL(word), sql.Identifier(trigger)
            )
            self._connection.execute(statement)


def _names(columns: Sequence[str] | Mapping[str, Any]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))


def _equal(row: Mapping[str, Any], between: str) -> sql.Composed:
    pairs = (sql.SQL("{} = %s").format(sql.Identifier(name)) for name in row)
    return sql.SQL(between).join(pairs)
