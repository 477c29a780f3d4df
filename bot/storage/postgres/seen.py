"""Remember in PostgreSQL which deliveries have come."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.storage.postgres.connections import Connection
from bot.storage.values import moment


class PostgresSeen:
    """Deliveries in PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, key: str, *, now: datetime, window_s: float) -> bool:
        """Remember `key` for `window_s` seconds and return whether it is new."""
        self._connection.execute("delete from seen where expires_at <= %s", (moment(now),))
        added = self._connection.execute(
            "insert into seen (key, expires_at) values (%s, %s) on conflict do nothing",
            (key, moment(now + timedelta(seconds=window_s))),
        )
        return added.rowcount == 1

    def drop(self, key: str) -> None:
        """Forget `key`."""
        self._connection.execute("delete from seen where key = %s", (key,))
