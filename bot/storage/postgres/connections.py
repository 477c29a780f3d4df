"""Lend connections to the database, each for one transaction."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from bot.storage.postgres.address import Address
from bot.storage.postgres.errors import worded

Connection = psycopg.Connection[tuple[Any, ...]]

MOST_CONNECTIONS = 5
"""Connections of one process; the smallest plans of database hosts allow twenty in all."""

LOCK = (0x67707573, 1)
"""Advisory lock of the one who writes or migrates: the letters `gpus`, and which of our locks."""

STOPPED_S = 60
"""Time after which the server ends a transaction in which nothing happens, s: a process that
hangs while it writes holds up the others no longer."""


class Connections:
    """Connections that are made when they are needed, tried before they are lent, and kept.

    What they are told holds for one transaction at a time, and nothing is prepared on the server,
    so that a pooler between (PgBouncer by transaction) makes no difference.
    """

    def __init__(self, address: Address, *, busy_s: float) -> None:
        self._address = address
        self._busy_s = busy_s
        self._mine = threading.local()
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._read = f"begin isolation level read committed read only; {_limits(busy_s)}"
        self._write = f"begin isolation level read committed; {_limits(busy_s)}; {TAKE_LOCK}"
        self._pool = ConnectionPool(
            kwargs=_arguments(address),
            min_size=0,
            max_size=MOST_CONNECTIONS,
            open=True,
            check=ConnectionPool.check_connection,
            name="gpusize",
            timeout=busy_s,
            reconnect_timeout=busy_s,
        )

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a connection that reads."""
        with self._lent(self._read) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Lend the connection of the only one who writes; what is written is kept at the end."""
        with self._lent(self._write) as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all that this thread reads and writes inside be one transaction."""
        with self._lent(self._write) as connection:
            outer, self._mine.connection = self._own(), connection
            try:
                yield
            finally:
                self._mine.connection = outer

    def close(self) -> None:
        """Let go of all connections."""
        self._pool.close()

    def _own(self) -> Connection | None:
        return getattr(self._mine, "connection", None)

    @contextmanager
    def _lent(self, opening: str) -> Iterator[Connection]:
        own = self._own()
        with worded(self._address):
            if own is not None:
                # A savepoint: what fails inside leaves the rest of the transaction as it was.
                with own.transaction():
                    yield own
                return
            with self._place(), self._taken() as connection:
                connection.execute(opening.encode())
                yield connection
                commit(connection)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Wait until fewer connections than the most are lent."""
        if not self._places.acquire(timeout=self._busy_s):
            raise PoolTimeout("all connections are lent")
        try:
            yield
        finally:
            self._places.release()

    @contextmanager
    def _taken(self) -> Iterator[Connection]:
        """Yield a connection of the pool, or one of its own where the pool has got none.

        After the server was away the pool pauses longer and longer between its attempts, and does
        not tell why they fail: an attempt of our own succeeds at once, or says the reason.
        """
        try:
            connection = self._pool.getconn()
        except PoolTimeout:
            with connect(self._address) as connection:
                yield connection
            return
        try:
            with connection:
                yield connection
        finally:
            self._pool.putconn(connection)


def connect(address: Address) -> Connection:
    """Return a connection of its own, beside the pool."""
    return psycopg.connect(**_arguments(address))


def commit(connection: Connection) -> None:
    """Keep what was written; raise where an error before has already undone it."""
    if connection.info.transaction_status is not TransactionStatus.INTRANS:
        # The server would answer COMMIT with a rollback, and the driver would not mind.
        raise psycopg.errors.InFailedSqlTransaction("the transaction has failed before its end")
    connection.commit()


TAKE_LOCK = f"select pg_advisory_xact_lock({LOCK[0]}, {LOCK[1]})"


def _limits(busy_s: float) -> str:
    wait_ms = max(int(busy_s * 1000), 1)
    return (
        f"set local lock_timeout = {wait_ms}; set local statement_timeout = {2 * wait_ms}; "
        f"set local idle_in_transaction_session_timeout = {STOPPED_S * 1000}"
    )


def _arguments(address: Address) -> dict[str, Any]:
    return {**address.parameters, "autocommit": True, "prepare_threshold": None}
