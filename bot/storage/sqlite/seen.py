"""Remember in SQLite which deliveries have come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.storage.values import moment

if TYPE_CHECKING:
    from sqlite_utils import Database


class SqliteSeen:
    """Deliveries in SQLite."""

    def __init__(self, db: Callable[[], Database]) -> None:
        self._db = db

    def add(self, key: str, *, now: datetime, window_s: float) -> bool:
        """Remember `key` for `window_s` seconds and return whether it is new."""
        seen = self._db().table("seen")
        seen.delete_where("expires_at <= ?", [moment(now)])
        known = seen.count_where("key = ?", [key])
        row = {"key": key, "expires_at": moment(now + timedelta(seconds=window_s))}
        seen.insert(row, pk="key", ignore=True)
        return not known

    def drop(self, key: str) -> None:
        """Forget `key`."""
        self._db().table("seen").delete_where("key = ?", [key])
