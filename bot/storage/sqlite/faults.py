"""Say in our own words what SQLite reports about a log's file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from bot.errors import StorageError

LEAST_ROOM_BYTES: Final = 64 * 1024
"""Room below which a write that failed is taken for a full disk: SQLite calls only some of them so,
neither a quota that is used up nor its index of the write-ahead log."""

_WRITES: Final = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHM", "SQLITE_IOERR_TRUNCATE")


@contextmanager
def worded_file(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file at `path` into StorageError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(fault_code(error, path), path=str(path), detail=str(error)) from error


def fault_code(error: sqlite3.Error, path: Path) -> str:
    """Return the code of the sentence about an error."""
    name = getattr(error, "sqlite_errorname", "")
    if is_busy(error):
        return "log_busy"
    if name.startswith("SQLITE_FULL"):
        return "log_full"
    if name.startswith("SQLITE_READONLY"):
        return "log_file_read_only"
    return "log_full" if name.startswith(_WRITES) and _is_full(path) else "log_failed"


def _is_full(path: Path) -> bool:
    try:
        with TemporaryFile(dir=path.parent) as probe:
            probe.write(bytes(LEAST_ROOM_BYTES))
            probe.flush()
    except OSError:
        return True
    return False


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another writer held the file for too long."""
    return getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
