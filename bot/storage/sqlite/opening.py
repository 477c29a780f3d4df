"""Open the log's file: make it, recognise it, bring its schema up to date."""

from __future__ import annotations

import errno
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import StorageError
from bot.log_schema import APPLICATION_ID, SCHEMA_VERSION
from bot.storage.sqlite.faults import fault_code, is_busy
from bot.storage.sqlite.library import database_over

if TYPE_CHECKING:
    from sqlite_utils import Database

_REFUSED: Final = {
    errno.ENOSPC: "log_full",
    errno.EDQUOT: "log_full",
    errno.EROFS: "log_file_read_only",
}
"""Codes of the sentences about a file that the system does not make."""


def open_database(path: Path, *, busy_s: float) -> sqlite3.Connection:
    """Return a connection to the log at `path`; raise StorageError with what is wrong with it."""
    try:
        _make_file(path)
        connection = sqlite3.connect(
            path, timeout=busy_s, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        code = _REFUSED.get(getattr(error, "errno", None) or 0, "log_unreadable")
        raise StorageError(code, path=str(path), detail=str(error)) from error
    try:
        _prepare(connection, path, busy_s)
    except sqlite3.Error as error:
        connection.close()
        raise StorageError(_code(error, path), path=str(path), detail=str(error)) from error
    except StorageError:
        connection.close()
        raise
    return connection


def _make_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # What people asked is theirs: no other account of the machine reads it.
    path.touch(mode=0o600, exist_ok=True)


def _prepare(connection: sqlite3.Connection, path: Path, busy_s: float) -> None:
    # Not every build overwrites what is deleted, or moved to another page, unless told to.
    connection.execute("pragma secure_delete = on").fetchone()
    connection.execute("begin")
    try:
        is_current = _found_version(connection, path) == SCHEMA_VERSION
    finally:
        connection.rollback()
    if not is_current:
        db = database_over(connection)
        _write_ahead(db, time.monotonic() + busy_s)
        _migrate(db, connection, path)
    # FULL: a commit is on the disk before the reply is sent, even when the power fails.
    connection.execute("pragma synchronous = full")


def _write_ahead(db: Database, deadline_s: float) -> None:
    """Switch the file to a write-ahead log; SQLite never waits for this lock by itself."""
    while True:
        try:
            db.enable_wal()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline_s:
                raise
            time.sleep(0.01)
        else:
            return


def _migrate(db: Database, connection: sqlite3.Connection, path: Path) -> None:
    from bot.migrations import apply_migrations

    connection.execute("begin immediate")
    # Another process may have done it while this one waited for the lock.
    if _found_version(connection, path) != SCHEMA_VERSION:
        apply_migrations(db)
    connection.commit()


def _found_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the file's schema version; raise StorageError where it is not for this program.

    The caller holds a transaction: the header and the tables must be of one moment.
    """
    if _pragma(connection, "application_id") != APPLICATION_ID:
        if connection.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise StorageError("log_not_a_log", path=str(path))
        return 0
    version = _pragma(connection, "user_version")
    if version > SCHEMA_VERSION:
        raise StorageError("log_newer", path=str(path), found=version, known=SCHEMA_VERSION)
    return version


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"pragma {name}").fetchone()[0])


def _code(error: sqlite3.Error, path: Path) -> str:
    if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
        return "log_not_a_log"
    code = fault_code(error, path)
    return "log_unreadable" if code == "log_failed" else code
