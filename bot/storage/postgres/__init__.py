"""Keep the log in a PostgreSQL database that several processes and machines write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache

from bot.storage.log import StoredLog
from bot.storage.postgres.address import read_address
from bot.storage.postgres.answers import PostgresAnswers
from bot.storage.postgres.connections import Connection, Connections
from bot.storage.postgres.opening import prepare_database
from bot.storage.postgres.seen import PostgresSeen
from bot.storage.postgres.ticks import PostgresTicks
from bot.storage.tables import Decisions, Records, Tables
from bot.storage.values import Clock, utc_now


class PostgresLog(StoredLog):
    """Log in the PostgreSQL database at `url`, whose tables are made and migrated when needed.

    One writer at a time, by an advisory lock: numbers have no gaps, even when a transaction is
    undone, and come in the order in which answers can be read. Raise StorageError, whatever goes
    wrong with the database; after it was away, the next call connects again.
    """

    def __init__(self, url: str, *, clock: Clock = utc_now, busy_s: float = 10.0) -> None:
        """Connect, and wait at most `busy_s` seconds for another writer or a free connection."""
        super().__init__(clock)
        address = read_address(url)
        prepare_database(address)
        self._connections = Connections(address, busy_s=busy_s)

    def together(self) -> AbstractContextManager[None]:
        """Return a context whose thread writes in one transaction; other writers wait."""
        return self._connections.together()

    def close(self) -> None:
        """Let go of all connections."""
        self._connections.close()

    @contextmanager
    def _reading(self) -> Iterator[Tables]:
        with self._connections.reading() as connection:
            yield _tables(connection)

    @contextmanager
    def _writing(self) -> Iterator[Tables]:
        with self._connections.writing() as connection:
            yield _tables(connection)

    def _settle(self) -> None:
        """Leave it to the server, which clears dead rows by itself (`vacuum`)."""

    def _wipe(self) -> None:
        """Leave it to the server, which clears dead rows by itself (`vacuum`)."""


def _tables(connection: Connection) -> Tables:
    @cache
    def decisions() -> Decisions:
        from bot.storage.postgres.decisions import PostgresDecisions

        return PostgresDecisions(connection)

    @cache
    def records() -> Records:
        from bot.storage.postgres.records import PostgresRecords

        return PostgresRecords(connection)

    return Tables(
        PostgresAnswers(connection),
        PostgresSeen(connection),
        PostgresTicks(connection),
        decisions,
        records,
    )
