"""Open the log in the store that is asked for; the driver of the other one is never loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.storage.values import Clock, utc_now

if TYPE_CHECKING:
    from bot.storage.log import StoredLog


def open_log(
    path: Path, url: str | None = None, *, clock: Clock = utc_now, busy_s: float = 10.0
) -> StoredLog:
    """Return the log in the PostgreSQL database at `url`, without one in the SQLite file at `path`.

    It waits `busy_s` seconds for others who write. Raise StorageError where it cannot be opened.
    """
    if url is not None:
        from bot.storage.postgres import PostgresLog

        return PostgresLog(url, clock=clock, busy_s=busy_s)
    from bot.storage.sqlite import SqliteLog

    return SqliteLog(path, clock=clock, busy_s=busy_s)
