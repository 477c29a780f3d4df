"""Keep answers in PostgreSQL, and read those that somebody may see."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from psycopg.rows import dict_row

from bot.storage import LoggedAnswer, NewAnswer
from bot.storage.postgres.connections import Connection
from bot.storage.tables import Place
from bot.storage.values import ANSWER_COLUMNS, answer_row, logged_answer

# The one who writes is alone, so that numbers have no gaps and grow in the order of commits.
_INSERT = (
    f"insert into answers (id, {', '.join(ANSWER_COLUMNS)}) "  # noqa: S608 names of our own fields
    "values ((select coalesce(max(id), 0) + 1 from answers), "
    f"{', '.join(f'%({column})s' for column in ANSWER_COLUMNS)}) returning id"
)
_SELECT = f"select id, {', '.join(ANSWER_COLUMNS)} from answers"  # noqa: S608 names of our own fields
# A workspace that has joined an organisation keeps what it asked before.
_TEAM = (
    "(team_id = %(team)s and (%(viewer)s::text is null or coalesce(enterprise_id, %(enterprise)s) "
    "is not distinct from coalesce(%(enterprise)s, enterprise_id)) "
    "or %(team)s::text is null and (%(viewer)s::text is null or "
    "team_id is null and enterprise_id is not distinct from %(enterprise)s))"
)
_USER = "(%(user)s::text is null or user_id = %(user)s)"
_VIEWER = (
    "(%(viewer)s::text is null or user_id = %(viewer)s "
    "or not is_private and channel_id = %(channel)s)"
)


class PostgresAnswers:
    """Answers in PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, answer: NewAnswer, at: datetime) -> int:
        """Add an answer and return its number, one more than the last."""
        row = self._connection.execute(_INSERT.encode(), answer_row(answer, at)).fetchone()
        return int(cast("tuple[Any, ...]", row)[0])

    def find(self, number: int, place: Place) -> LoggedAnswer | None:
        """Return one answer; None where it is not to be seen from `place`."""
        values = {"number": number, **place}
        found = self._read(f"id = %(number)s and {_TEAM} and {_VIEWER}", values)
        return found[0] if found else None

    def latest(
        self, place: Place, words: Mapping[str, str], *, user: str | None, limit: int, offset: int
    ) -> tuple[LoggedAnswer, ...]:
        """Return answers to be seen from `place`, newest first, that hold every one of `words`."""
        where = [_TEAM, _USER, _VIEWER, "answer_json is not null", *map(_word, words)]
        values = {**place, "user": user, **words}
        return self._read(" and ".join(where), values, limit=limit, offset=offset)

    def _read(
        self, where: str, values: Mapping[str, Any], *, limit: int = 1, offset: int = 0
    ) -> tuple[LoggedAnswer, ...]:
        query = f"{_SELECT} where {where} order by id desc limit %(limit)s offset %(offset)s"
        with self._connection.cursor(row_factory=dict_row) as cursor:
            cursor.execute(query.encode(), {**values, "limit": limit, "offset": offset})
            return tuple(map(logged_answer, cursor))


def _word(name: str) -> str:
    # strpos, not like: a percent sign or an underscore in the query is only itself. By "C", capital
    # letters are those of ASCII, as in SQLite, whatever the database's own language.
    text = "question || ' ' || coalesce(model_id, '')"
    return f'strpos(lower(({text}) collate "C"), lower(%({name})s::text collate "C")) > 0'
