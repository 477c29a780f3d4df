"""Keep the log in one SQLite file that several threads and processes write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from threading import RLock

from bot.storage.log import StoredLog
from bot.storage.sqlite.answers import SqliteAnswers
from bot.storage.sqlite.faults import worded_file
from bot.storage.sqlite.library import database_over
from bot.storage.sqlite.opening import open_database
from bot.storage.sqlite.seen import SqliteSeen
from bot.storage.sqlite.ticks import SqliteTicks
from bot.storage.tables import Decisions, Records, Tables
from bot.storage.values import Clock, utc_now


class SqliteLog(StoredLog):
    """Log in the SQLite file at `path`, made and migrated when needed.

    One connection behind one lock: SQLite lets a single writer in at a time anyway, and one
    connection closes in one place. Raise StorageError, whatever goes wrong with the file.
    """

    def __init__(self, path: Path, *, clock: Clock = utc_now, busy_s: float = 10.0) -> None:
        super().__init__(clock)
        self._path = path
        self._busy_s = busy_s
        self._lock = RLock()
        self._is_grouped = False
        self._connection = open_database(path, busy_s=busy_s)
        self._tables = _tables(self._connection)

    def close(self) -> None:
        """Let go of the file; the write-ahead log is folded into it."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep what is recorded inside in one transaction; other threads and writers wait."""
        with self._writing():
            self._is_grouped = True
            try:
                yield
            finally:
                self._is_grouped = False

    @contextmanager
    def _reading(self) -> Iterator[Tables]:
        with self._lock, worded_file(self._path):
            yield self._tables

    @contextmanager
    def _writing(self) -> Iterator[Tables]:
        """Hold the file's write lock from the first statement to the commit."""
        with self._lock, worded_file(self._path):
            if self._is_grouped:
                yield self._tables
                return
            self._connection.execute("begin immediate")
            try:
                yield self._tables
                self._connection.commit()
            except BaseException:
                self._connection.rollback()
                raise

    def _settle(self) -> None:
        from bot.storage.sqlite.wiping import fold_now

        with self._lock, worded_file(self._path):
            fold_now(self._connection, busy_s=self._busy_s)

    def _wipe(self) -> None:
        from bot.storage.sqlite.wiping import wipe

        with self._lock, worded_file(self._path):
            wipe(self._connection, self._path, busy_s=self._busy_s)


def _tables(connection: sqlite3.Connection) -> Tables:
    # Keeping an answer needs none of the methods of sqlite-utils, which take time to load.
    library = cache(partial(database_over, connection))

    @cache
    def decisions() -> Decisions:
        from bot.storage.sqlite.decisions import SqliteDecisions

        return SqliteDecisions(connection)

    @cache
    def records() -> Records:
        from bot.storage.sqlite.records import SqliteRecords

        return SqliteRecords(connection)

    return Tables(
        SqliteAnswers(connection, library),
        SqliteSeen(library),
        SqliteTicks(connection),
        decisions,
        records,
    )
