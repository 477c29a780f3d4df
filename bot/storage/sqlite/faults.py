"""Say in our own words what SQLite reports about a log's file."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bot.errors import StorageError
from bot.storage.sqlite.opening import is_busy

LEAST_FREE_BYTES: Final = 64 * 1024
"""Room below which a failed write is taken for a full disk: SQLite also needs it for its index of
the write-ahead log, whose failure it does not call by that name."""

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
        return "log_read_only"
    return "log_full" if name.startswith(_WRITES) and _is_full(path) else "log_failed"


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < LEAST_FREE_BYTES
    except OSError:
        return False
