"""Open the log's file: make it, recognise it, bring its schema up to date."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import StorageError
from bot.storage.library import database_class

if TYPE_CHECKING:
    from sqlite_utils import Database


def open_database(path: Path, *, busy_s: float) -> Database:
    """Return a connection to the log at `path`; raise StorageError with what is wrong with it."""
    try:
        _make_file(path)
        db = _connect(path, busy_s)
    except (OSError, sqlite3.Error) as error:
        raise StorageError("log_unreadable", path=str(path), detail=str(error)) from error
    try:
        _prepare(db, path, busy_s)
    except sqlite3.Error as error:
        db.close()
        raise StorageError(_code(error), path=str(path), detail=str(error)) from error
    except StorageError:
        db.close()
        raise
    return db


def _make_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # What people asked is theirs: no other account of the machine reads it.
    path.touch(mode=0o600, exist_ok=True)


def _connect(path: Path, busy_s: float) -> Database:
    # Loaded late: `--version` opens no log.
    database = database_class()
    connection = sqlite3.connect(
        path, timeout=busy_s, isolation_level=None, check_same_thread=False
    )
    try:
        # Plug-ins belong to the sqlite-utils command line, not to this file.
        return database(connection, execute_plugins=False)
    except sqlite3.Error:
        connection.close()
        raise


def _prepare(db: Database, path: Path, busy_s: float) -> None:
    from bot.migrations import schema_version

    newest = schema_version()
    with db.atomic():
        current = _found_version(db, path, newest) == newest
    if not current:
        _write_ahead(db, time.monotonic() + busy_s)
        _migrate(db, path, newest)
    # FULL: a commit is on the disk before the reply is sent, even when the power fails.
    db.execute("pragma synchronous = full")


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


def _migrate(db: Database, path: Path, newest: int) -> None:
    from bot.migrations import apply_migrations

    db.execute("begin immediate")
    # Another process may have done it while this one waited for the lock.
    if _found_version(db, path, newest) != newest:
        apply_migrations(db)
    db.commit()


def _found_version(db: Database, path: Path, newest: int) -> int:
    """Return the file's schema version; raise StorageError where it is not for this program.

    The caller holds a transaction: the header and the tables must be of one moment.
    """
    from bot.migrations import APPLICATION_ID

    if _pragma(db, "application_id") != APPLICATION_ID:
        if db.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise StorageError("log_not_a_log", path=str(path))
        return 0
    version = _pragma(db, "user_version")
    if version > newest:
        raise StorageError("log_newer", path=str(path), found=version, known=newest)
    return version


def _pragma(db: Database, name: str) -> int:
    return int(db.execute(f"pragma {name}").fetchone()[0])


def _code(error: sqlite3.Error) -> str:
    if is_busy(error):
        return "log_busy"
    not_a_database = getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB"
    return "log_not_a_log" if not_a_database else "log_unreadable"


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another writer held the file for too long."""
    return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
