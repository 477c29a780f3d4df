"""Keep the log in one SQLite file that several threads and processes write."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

from bot.errors import StorageError
from bot.storage import (
    MOST_WORDS,
    SEEN_FOR_S,
    LoggedAnswer,
    NewAnswer,
    answer_id,
    answer_number,
)
from bot.storage.library import database_over
from bot.storage.opening import is_busy, open_database
from bot.storage.ticks import add_ticks, read_ticks
from bot.ticks import Tick, TickClick

if TYPE_CHECKING:
    from sqlite_utils import Database

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the present moment, UTC."""
    return datetime.now(UTC)


class SqliteLog:
    """Log in the SQLite file at `path`, made and migrated when needed.

    One connection behind one lock: SQLite lets a single writer in at a time anyway, and one
    connection closes in one place. Raise StorageError, whatever goes wrong with the file.
    """

    def __init__(self, path: Path, *, clock: Clock = utc_now, busy_s: float = 10.0) -> None:
        self._path = path
        self._clock = clock
        self._lock = RLock()
        self._is_grouped = False
        self._connection = open_database(path, busy_s=busy_s)

    @cached_property
    def _db(self) -> Database:
        """Return the log with the methods of sqlite-utils; keeping an answer needs none of them."""
        return database_over(self._connection)

    def record_answer(self, answer: NewAnswer) -> str:
        """Keep `answer` and return its id; once this returns, no crash loses it."""
        row = {name: _storable(value) for name, value in asdict(answer).items()}
        row["at"] = _moment(self._clock())
        with self._writing():
            number = cast("int", self._connection.execute(_INSERT, row).lastrowid)
        return answer_id(number)

    def get_answer(
        self,
        answer_id: str,
        *,
        team_id: str | None,
        enterprise_id: str | None = None,
        viewer: str | None = None,
        channel: str | None = None,
    ) -> LoggedAnswer | None:
        """Return one answer, `A-12`, `a-12` or `12`; None where there is none to be seen."""
        number = answer_number(answer_id)
        if number is None:
            return None
        values = {"number": number} | _place(team_id, enterprise_id, viewer, channel)
        found = self._read(f"id = :number and {_TEAM} and {_VIEWER}", values)
        return found[0] if found else None

    def list_answers(
        self,
        *,
        team_id: str | None,
        enterprise_id: str | None = None,
        query: str = "",
        user: str | None = None,
        viewer: str | None = None,
        channel: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> tuple[LoggedAnswer, ...]:
        """Return answers, newest first, whose question or model holds every word of `query`."""
        # SQLite refuses expressions as deep as a long paste would make them.
        different = list(dict.fromkeys(query.split()))[:MOST_WORDS]
        words = {f"word{index}": word for index, word in enumerate(different)}
        where = [_TEAM, _USER, _VIEWER, "answer_json is not null", *(_word(name) for name in words)]
        values = _place(team_id, enterprise_id, viewer, channel) | {"user": user} | words
        return self._read(" and ".join(where), values, limit=limit, offset=offset)

    def first_seen(self, key: str, *, window_s: float = SEEN_FOR_S) -> bool:
        """Return True the first time `key` comes within `window_s` seconds, False after that."""
        now = self._clock()
        row = {"key": key, "expires_at": _moment(now + timedelta(seconds=window_s))}
        with self._writing():
            seen = self._db.table("seen")
            seen.delete_where("expires_at <= ?", [_moment(now)])
            known = seen.count_where("key = ?", [key])
            seen.insert(row, pk="key", ignore=True)
        return not known

    def release_seen(self, key: str) -> None:
        """Forget `key`, so that a delivery whose work failed can be tried again."""
        with self._writing():
            self._db.table("seen").delete_where("key = ?", [key])

    def ticks_of(self, answer_id: str) -> tuple[Tick, ...]:
        """Return all changes of an answer's checklist, oldest first."""
        number = answer_number(answer_id)
        with self._lock, _worded(self._path):
            return () if number is None else read_ticks(self._connection, number)

    def record_ticks(self, click: TickClick) -> tuple[Tick, ...]:
        """Keep what a click changes and return all changes of that checklist, oldest first."""
        number = answer_number(click.answer_id)
        if number is None:
            return ()
        with self._writing():
            add_ticks(self._connection, number, click, at=_moment(self._clock()))
            return read_ticks(self._connection, number)

    def close(self) -> None:
        """Let go of the file; the write-ahead log is folded into it."""
        with self._lock:
            self._connection.close()

    def _read(
        self, where: str, values: Mapping[str, Any], *, limit: int = 1, offset: int = 0
    ) -> tuple[LoggedAnswer, ...]:
        with self._lock, _worded(self._path):
            rows = self._db.table("answers").rows_where(
                where, dict(values), order_by="id desc", limit=limit, offset=offset
            )
            return tuple(_logged(row) for row in rows)

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
    def _writing(self) -> Iterator[None]:
        """Hold the file's write lock from the first statement to the commit."""
        with self._lock, _worded(self._path):
            if self._is_grouped:
                yield
                return
            self._connection.execute("begin immediate")
            try:
                yield
                self._connection.commit()
            except BaseException:
                self._connection.rollback()
                raise


_COLUMNS = ("at", *(column.name for column in fields(NewAnswer)))
_INSERT = (
    f"insert into answers ({', '.join(_COLUMNS)}) "  # noqa: S608 names of our own fields
    f"values ({', '.join(f':{column}' for column in _COLUMNS)})"
)


_TEAM = (
    "(team_id = :team or :team is null and "
    "(:viewer is null or team_id is null and enterprise_id is :enterprise))"
)
_USER = "(:user is null or user_id = :user)"
_VIEWER = "(:viewer is null or user_id = :viewer or not is_private and channel_id = :channel)"


def _place(
    team_id: str | None, enterprise_id: str | None, viewer: str | None, channel: str | None
) -> dict[str, str | None]:
    """Return the values of the conditions on who sees what."""
    return {"team": team_id, "enterprise": enterprise_id, "viewer": viewer, "channel": channel}


def _word(name: str) -> str:
    # instr, not like: a percent sign or an underscore in the query is only itself.
    text = "question || ' ' || coalesce(json_extract(request_json, '$.model_id'), '')"
    return f"instr(lower({text}), lower(:{name})) > 0"


def _logged(row: Mapping[str, Any]) -> LoggedAnswer:
    known = {"id": answer_id(row["id"]), "is_private": bool(row["is_private"])}
    return LoggedAnswer(**(dict(row) | known))


def _storable(value: str | bool | None) -> str | bool | None:  # noqa: FBT001 (a column)
    """Replace what is no Unicode text, such as bytes a terminal could not decode."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


def _moment(at: datetime) -> str:
    """Word a moment so that the order of the texts is the order of the moments."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def _worded(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = "log_busy" if is_busy(error) else "log_failed"
        raise StorageError(code, path=str(path), detail=str(error)) from error
