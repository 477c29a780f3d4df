"""Leave no byte of what was taken out of a log's file."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from bot.errors import StorageError
from bot.storage.sqlite.faults import is_busy


def wipe(connection: sqlite3.Connection, path: Path, *, busy_s: float) -> None:
    """Write the file anew without free pages, and fold its write-ahead log into it.

    Raise StorageError where others read it all the while.
    """
    deadline_s = time.monotonic() + busy_s
    # The index of words keeps those of deleted rows until it is built again.
    connection.execute("insert into decisions_fts (decisions_fts) values ('rebuild')")
    while not (_vacuumed(connection) and _folded(connection)):
        if time.monotonic() >= deadline_s:
            raise StorageError("log_not_wiped", path=str(path))
        time.sleep(0.05)


def _vacuumed(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("vacuum")
    except sqlite3.OperationalError as error:
        if is_busy(error) or getattr(error, "sqlite_errorname", "") == "SQLITE_LOCKED":
            return False
        raise
    return True


def fold_now(connection: sqlite3.Connection, *, busy_s: float) -> None:
    """Fold the write-ahead log into the file, unless somebody reads it: nobody waits for that.

    `busy_s` is how long the connection waits for others otherwise.
    """
    connection.execute("pragma busy_timeout = 0")
    try:
        _folded(connection)
    finally:
        connection.execute(f"pragma busy_timeout = {round(busy_s * 1000)}")


def _folded(connection: sqlite3.Connection) -> bool:
    busy, _, _ = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
    return not busy
