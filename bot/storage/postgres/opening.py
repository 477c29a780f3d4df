"""Open the log's database: recognise it, bring its schema up to date."""

from __future__ import annotations

from typing import Any

from bot.errors import StorageError
from bot.storage.postgres import migrations
from bot.storage.postgres.address import Address
from bot.storage.postgres.connections import TAKE_LOCK, Connection, commit, connect
from bot.storage.postgres.errors import worded

OLDEST_SERVER = 120_000
"""Oldest release of the server that has what the schema uses, as it numbers itself: 12.0."""

_BEGIN = f"begin isolation level read committed; set local lock_timeout = '60s'; {TAKE_LOCK}"
# One statement, so that both answers are of one moment.
_TABLES = """
select coalesce(bool_or(relname = 'gpusize_schema'), false), count(*)
from pg_class
where relnamespace = (select oid from pg_namespace where nspname = current_schema())
and relkind in ('r', 'p', 'v', 'm', 'f')
and not exists (
    select from pg_depend
    where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
)
"""
_VERSION = "select coalesce(max(number), 0) from gpusize_schema"


def prepare_database(address: Address) -> None:
    """Bring the database up to date; raise StorageError with what is wrong with it.

    Of several processes that start at once, one runs the steps while the others wait.
    """
    with worded(address), connect(address) as connection:
        _check_server(connection, address)
        if _found_version(connection, address) == len(migrations.STEPS):
            return
        connection.execute(_BEGIN.encode())
        # Another process may have done it while this one waited for the lock.
        found = _found_version(connection, address)
        if found < len(migrations.STEPS):
            migrations.apply_steps(connection, found)
        commit(connection)


def _check_server(connection: Connection, address: Address) -> None:
    if connection.info.server_version < OLDEST_SERVER:
        version = str(connection.info.parameter_status("server_version"))
        raise StorageError("log_old_server", path=address.shown, found=version)
    encoding = str(connection.info.parameter_status("server_encoding"))
    if encoding != "UTF8":
        raise StorageError("log_encoding", path=address.shown, found=encoding)


def _found_version(connection: Connection, address: Address) -> int:
    """Return the schema's version; raise StorageError where it is not for this program."""
    has_steps, count = _row(connection, _TABLES)
    if not has_steps:
        if count:
            raise StorageError("log_strange_tables", path=address.shown)
        return 0
    (version,) = _row(connection, _VERSION)
    known = len(migrations.STEPS)
    if version > known:
        raise StorageError("log_newer", path=address.shown, found=version, known=known)
    return int(version)


def _row(connection: Connection, query: str) -> tuple[Any, ...]:
    (row,) = connection.execute(query.encode()).fetchall()
    return row
