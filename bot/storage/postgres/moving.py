"""Move a log from its SQLite file into a PostgreSQL database, table by table, without loss."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import sql

from bot.errors import StorageError
from bot.storage.postgres.address import Address, read_address
from bot.storage.postgres.connections import TAKE_LOCK, Connection, commit, connect
from bot.storage.postgres.errors import worded
from bot.storage.postgres.opening import prepare_database
from bot.storage.sqlite.faults import worded_file
from bot.storage.sqlite.opening import open_database
from bot.storage.values import unicode_text

ROWS_AT_ONCE = 500
"""Rows that are read back from the database at a time."""

_NAMES = "select name, sql like 'create virtual table%' from sqlite_master where type = 'table'"
_COLUMNS = """
select column_name, data_type from information_schema.columns
where table_schema = current_schema() and table_name = %s and is_generated = 'NEVER'
order by ordinal_position
"""

Types = Mapping[str, str]
"""Types that PostgreSQL gives the columns of a table, by name, generated columns left out."""


@dataclass(frozen=True)
class MovedTable:
    """What was found of one table on both sides."""

    name: str
    """Table."""

    rows: int
    """Rows."""

    digest: str
    """Digest of all of them, whatever their order: SHA-256 of each, added up."""


def move_log(path: Path, url: str, *, busy_s: float = 10.0) -> tuple[MovedTable, ...]:
    """Copy all tables of the file at `path` into the empty database at `url`, all or none.

    Nobody writes to either meanwhile, and what arrived is read back and compared before it is
    kept. The file stays as it was. Raise StorageError where one of them cannot be used, where the
    database already holds something, or where they differ in the end.
    """
    address = read_address(url)
    if not path.is_file():
        raise StorageError("move_no_file", path=str(path))
    prepare_database(address)
    with (
        closing(open_database(path, busy_s=busy_s)) as source,
        worded_file(path),
        worded(address),
        connect(address) as target,
    ):
        source.execute("begin immediate")
        target.execute(f"begin isolation level read committed; {TAKE_LOCK}".encode())
        moved = _move(source, target, address)
        commit(target)
    return moved


def source_tables(source: sqlite3.Connection) -> tuple[str, ...]:
    """Return the tables of a log that hold what was written, each after those it refers to."""
    found = dict(source.execute(_NAMES).fetchall())
    # A virtual table keeps what it indexes in tables that begin with its name.
    derived = ("sqlite_", "_sqlite_", *(name for name in found if found[name]))
    names = sorted(name for name in found if not name.startswith(derived))
    needs = {name: _referred(source, name) - {name} for name in names}
    ordered: list[str] = []
    while needs:
        ready = [name for name in needs if needs[name] <= set(ordered)]
        ordered += ready
        needs = {name: needs[name] for name in needs if name not in ready}
    return tuple(ordered)


def target_types(target: Connection, table: str) -> Types:
    """Return the columns of a table that are written, with their types."""
    return dict(target.execute(_COLUMNS.encode(), (table,)).fetchall())


def _referred(source: sqlite3.Connection, table: str) -> set[str]:
    return {name for (name,) in source.execute(_REFERRED, (table,))}


_REFERRED = 'select "table" from pragma_foreign_key_list(?)'


def _move(
    source: sqlite3.Connection, target: Connection, address: Address
) -> tuple[MovedTable, ...]:
    types = {table: target_types(target, table) for table in source_tables(source)}
    if any(_count(target, table) for table in types):
        raise StorageError("move_not_empty", path=address.shown)
    sent = [_send(source, target, table, types[table]) for table in types]
    arrived = [_summary(table, _read_back(target, table, types[table])) for table in types]
    if sent != arrived:
        differing = [one.name for one, other in zip(sent, arrived, strict=True) if one != other]
        raise StorageError("move_differs", path=address.shown, table=", ".join(differing))
    return tuple(arrived)


def _send(source: sqlite3.Connection, target: Connection, table: str, types: Types) -> MovedTable:
    """Copy one table and return what was sent."""
    names = sql.SQL(", ").join(map(sql.Identifier, types))
    statement = sql.SQL("copy {} ({}) from stdin").format(sql.Identifier(table), names)
    with target.cursor() as cursor, cursor.copy(statement) as copy:

        def sent() -> Iterator[tuple[Any, ...]]:
            for row in _read(source, table, types):
                copy.write_row(row)
                yield row

        return _summary(table, sent())


def _read(source: sqlite3.Connection, table: str, types: Types) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the file as the database takes them."""
    columns = ", ".join(f'"{name}"' for name in types)
    for row in source.execute(f'select {columns} from "{table}"'):  # noqa: S608 names of our tables
        yield tuple(map(_converted, row, types.values()))


def _converted(value: Any, kind: str) -> Any:  # noqa: ANN401 (a column)
    if isinstance(value, str):
        return unicode_text(value)
    return bool(value) if kind == "boolean" and value is not None else value


def _read_back(target: Connection, table: str, types: Types) -> Iterator[tuple[Any, ...]]:
    names = sql.SQL(", ").join(map(sql.Identifier, types))
    query = sql.SQL("select {} from {}").format(names, sql.Identifier(table))
    with target.cursor("moved") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        cursor.execute(query)
        yield from cursor


def _count(target: Connection, table: str) -> int:
    query = sql.SQL("select count(*) from (select from {} limit 1) as one")
    (row,) = target.execute(query.format(sql.Identifier(table))).fetchall()
    return int(row[0])


def _summary(table: str, rows: Iterable[tuple[Any, ...]]) -> MovedTable:
    """Return count and digest of rows; the digests of rows are added up, so that order is free."""
    count, total = 0, 0
    for row in rows:
        count += 1
        line = json.dumps(row, ensure_ascii=False).encode()
        total += int.from_bytes(hashlib.sha256(line).digest(), "big")
    return MovedTable(table, count, f"{total % 2**256:064x}")
