"""Keep answers in SQLite, and read those that somebody may see."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from bot.storage import LoggedAnswer, NewAnswer
from bot.storage.tables import Place
from bot.storage.values import ANSWER_COLUMNS, answer_row, logged_answer

if TYPE_CHECKING:
    from sqlite_utils import Database

_INSERT = (
    f"insert into answers ({', '.join(ANSWER_COLUMNS)}) "  # noqa: S608 names of our own fields
    f"values ({', '.join(f':{column}' for column in ANSWER_COLUMNS)})"
)
# A workspace that has joined an organisation keeps what it asked before.
_TEAM = (
    "(team_id = :team and (:viewer is null "
    "or coalesce(enterprise_id, :enterprise) is coalesce(:enterprise, enterprise_id)) "
    "or :team is null and "
    "(:viewer is null or team_id is null and enterprise_id is :enterprise))"
)
_USER = "(:user is null or user_id = :user)"
_VIEWER = "(:viewer is null or user_id = :viewer or not is_private and channel_id = :channel)"


class SqliteAnswers:
    """Answers in SQLite; `db` is asked for only where the methods of sqlite-utils are needed."""

    def __init__(self, connection: sqlite3.Connection, db: Callable[[], Database]) -> None:
        self._connection = connection
        self._db = db

    def add(self, answer: NewAnswer, at: datetime) -> int:
        """Add an answer and return its number, one more than the last."""
        return cast("int", self._connection.execute(_INSERT, answer_row(answer, at)).lastrowid)

    def find(self, number: int, place: Place) -> LoggedAnswer | None:
        """Return one answer; None where it is not to be seen from `place`."""
        values = {"number": number, **place}
        found = self._read(f"id = :number and {_TEAM} and {_VIEWER}", values)
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
        answers = self._db().table("answers")
        rows = answers.rows_where(
            where, dict(values), order_by="id desc", limit=limit, offset=offset
        )
        return tuple(map(logged_answer, rows))


def _word(name: str) -> str:
    # instr, not like: a percent sign or an underscore in the query is only itself.
    text = "question || ' ' || coalesce(json_extract(request_json, '$.model_id'), '')"
    return f"instr(lower({text}), lower(:{name})) > 0"
