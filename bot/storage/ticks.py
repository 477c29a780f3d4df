"""Keep the ticks of a checklist: changes are added, never rewritten."""

from __future__ import annotations

import sqlite3

from bot.ticks import Tick, TickClick, changes_of, latest_ticks

_COLUMNS = "id, at, item_id, user_id, user_name, is_on"
_INSERT = (
    "insert into ticks (at, answer_id, item_id, follows, user_id, user_name, is_on) "
    "select :at, id, :item, :follows, :user, :name, :is_on from answers where id = :answer"
)


def read_ticks(connection: sqlite3.Connection, answer: int) -> tuple[Tick, ...]:
    """Return all changes of one answer's checklist, oldest first."""
    rows = connection.execute(
        f"select {_COLUMNS} from ticks where answer_id = ? order by id",  # noqa: S608 our own names
        [answer],
    )
    return tuple(_tick(row) for row in rows)


def add_ticks(connection: sqlite3.Connection, answer: int, click: TickClick, *, at: str) -> None:
    """Add what a click changes; the caller holds the write lock, so that nobody comes between."""
    history = read_ticks(connection, answer)
    latest = latest_ticks(history)
    connection.executemany(
        _INSERT,
        [
            {
                "at": at,
                "answer": answer,
                "item": item,
                "follows": latest[item].number if item in latest else 0,
                "user": click.user_id,
                "name": click.user_name and _unicode(click.user_name),
                "is_on": is_on,
            }
            for item, is_on in changes_of(click, history).items()
        ],
    )


def _unicode(text: str) -> str:
    """Replace what is no Unicode text, which SQLite refuses."""
    return text.encode(errors="replace").decode()


def _tick(row: tuple[int, str, str, str, str | None, int]) -> Tick:
    number, at, item_id, user_id, user_name, is_on = row
    return Tick(
        number=number,
        at=at,
        item_id=item_id,
        user_id=user_id,
        user_name=user_name,
        is_on=bool(is_on),
    )
