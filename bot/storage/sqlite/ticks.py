"""Keep the ticks of a checklist in SQLite: changes are added, never rewritten."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from bot.storage.values import TICK_COLUMNS, read_tick, tick_rows
from bot.ticks import Tick, TickClick

_SELECT = (
    f"select {', '.join(TICK_COLUMNS)} from ticks "  # noqa: S608 names of our own columns
    "where answer_id = ? order by id"
)
_INSERT = (
    "insert into ticks (at, answer_id, item_id, follows, user_id, user_name, is_on) "
    "select :at, id, :item, :follows, :user, :name, :is_on from answers where id = :answer"
)


class SqliteTicks:
    """Changes of checklists in SQLite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def read(self, answer: int) -> tuple[Tick, ...]:
        """Return all changes of one answer's checklist, oldest first."""
        return tuple(map(read_tick, self._connection.execute(_SELECT, [answer])))

    def add(self, answer: int, click: TickClick, at: datetime) -> None:
        """Add what a click changes; the caller lets nobody come between."""
        rows = tick_rows(answer, click, self.read(answer), at=at)
        self._connection.executemany(_INSERT, rows)
