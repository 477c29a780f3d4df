"""What every store writes alike: moments, text, rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from bot.storage import MOST_WORDS, LoggedAnswer, NewAnswer, answer_id
from bot.ticks import Tick, changes_of, latest_ticks

if TYPE_CHECKING:
    from bot.ticks import TickClick

Clock = Callable[[], datetime]

V = TypeVar("V")

ANSWER_COLUMNS = ("at", *(column.name for column in fields(NewAnswer)))
"""Columns of an answer beside its number."""

TICK_COLUMNS = ("id", "at", "item_id", "user_id", "user_name", "is_on")
"""Columns of a change that are read."""


def utc_now() -> datetime:
    """Return the present moment, UTC."""
    return datetime.now(UTC)


def moment(at: datetime) -> str:
    """Word a moment so that the order of the texts is the order of the moments."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def unicode_text(text: str) -> str:
    """Replace what no store takes: bytes that a terminal could not decode, and NUL."""
    return text.encode(errors="replace").decode().replace("\0", "?")


def storable(value: V) -> V:
    """Return a record, or what stands in one, with texts that every store takes."""
    return _storable_any(value)  # type: ignore[no-any-return]


def _storable_any(value: Any) -> Any:  # noqa: ANN401 (whatever a record holds)
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return unicode_text(value)
    if isinstance(value, tuple | list | frozenset):
        return type(value)(map(_storable_any, value))
    if isinstance(value, dict):
        return {unicode_text(name): _storable_any(one) for name, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        changed = {one.name: _storable_any(getattr(value, one.name)) for one in fields(value)}
        return replace(value, **changed)
    if hasattr(value, "model_copy"):
        return value.model_copy(update={name: _storable_any(one) for name, one in value})
    return value


def answer_row(answer: NewAnswer, at: datetime) -> dict[str, Any]:
    """Return what is kept of an answer, by column."""
    return {name: _storable(value) for name, value in asdict(answer).items()} | {"at": moment(at)}


def logged_answer(row: Mapping[str, Any]) -> LoggedAnswer:
    """Return the answer of a row."""
    known = {"id": answer_id(row["id"]), "is_private": bool(row["is_private"])}
    return LoggedAnswer(**(dict(row) | known))


def place_of(
    team_id: str | None, enterprise_id: str | None, viewer: str | None, channel: str | None
) -> dict[str, str | None]:
    """Return the values of the conditions on who sees what."""
    named = {"team": team_id, "enterprise": enterprise_id, "viewer": viewer, "channel": channel}
    return {name: value and unicode_text(value) for name, value in named.items()}


def words_of(query: str) -> dict[str, str]:
    """Return the different words of a query, by the name of their value."""
    # Databases refuse expressions as deep as a long paste would make them.
    different = list(dict.fromkeys(unicode_text(query).split()))[:MOST_WORDS]
    return {f"word{index}": word for index, word in enumerate(different)}


def tick_rows(
    answer: int, click: TickClick, history: tuple[Tick, ...], *, at: datetime
) -> list[dict[str, Any]]:
    """Return what is kept of a click after `history`; each change names the one it follows."""
    latest = latest_ticks(history)
    return [
        {
            "at": moment(at),
            "answer": answer,
            "item": item,
            "follows": latest[item].number if item in latest else 0,
            "user": click.user_id,
            "name": _storable(click.user_name),
            "is_on": is_on,
        }
        for item, is_on in changes_of(click, history).items()
    ]


def read_tick(row: tuple[int, str, str, str, str | None, int]) -> Tick:
    """Return the change of a row of TICK_COLUMNS."""
    number, at, item_id, user_id, user_name, is_on = row
    return Tick(
        number=number,
        at=at,
        item_id=item_id,
        user_id=user_id,
        user_name=user_name,
        is_on=bool(is_on),
    )


def _storable(value: str | bool | None) -> str | bool | None:  # noqa: FBT001 (a column)
    return unicode_text(value) if isinstance(value, str) else value
