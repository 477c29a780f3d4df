"""Keep the ticks of a checklist in PostgreSQL: changes are added, never rewritten."""

from __future__ import annotations

from datetime import datetime

from bot.storage.postgres.connections import Connection
from bot.storage.values import TICK_COLUMNS, read_tick, tick_rows
from bot.ticks import Tick, TickClick

_SELECT = (
    f"select {', '.join(TICK_COLUMNS)} from ticks "  # noqa: S608 names of our own columns
    "where answer_id = %s order by id"
)
_INSERT = (
    "insert into ticks (id, at, answer_id, item_id, follows, user_id, user_name, is_on) "
    "select (select coalesce(max(id), 0) + 1 from ticks), %(at)s, id, %(item)s, %(follows)s, "
    "%(user)s, %(name)s, %(is_on)s from answers where id = %(answer)s"
)


class PostgresTicks:
    """Changes of checklists in PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def read(self, answer: int) -> tuple[Tick, ...]:
        """Return all changes of one answer's checklist, oldest first."""
        rows = self._connection.execute(_SELECT.encode(), (answer,))
        return tuple(read_tick(row) for row in rows)

    def add(self, answer: int, click: TickClick, at: datetime) -> None:
        """Add what a click changes; the caller lets nobody come between."""
        for row in tick_rows(answer, click, self.read(answer), at=at):
            self._connection.execute(_INSERT.encode(), row)
