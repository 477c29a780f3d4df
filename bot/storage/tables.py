"""What each store does in one transaction of its own, table by table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from bot.storage import LoggedAnswer, NewAnswer

if TYPE_CHECKING:
    from bot.ticks import Tick, TickClick

Place = Mapping[str, str | None]
"""Who looks, and from where: the values of the conditions on who sees what."""


class Answers(Protocol):
    """Answers, which are added and never changed."""

    def add(self, answer: NewAnswer, at: datetime) -> int:
        """Add an answer and return its number, one more than the last."""
        ...

    def find(self, number: int, place: Place) -> LoggedAnswer | None:
        """Return one answer; None where it is not to be seen from `place`."""
        ...

    def latest(
        self, place: Place, words: Mapping[str, str], *, user: str | None, limit: int, offset: int
    ) -> tuple[LoggedAnswer, ...]:
        """Return answers to be seen from `place`, newest first, that hold every one of `words`."""
        ...


class Seen(Protocol):
    """Deliveries that have come, each until its window is over."""

    def add(self, key: str, *, now: datetime, window_s: float) -> bool:
        """Remember `key` for `window_s` seconds and return whether it is new."""
        ...

    def drop(self, key: str) -> None:
        """Forget `key`."""
        ...


class Ticks(Protocol):
    """Changes of checklists, which are added and never changed."""

    def read(self, answer: int) -> tuple[Tick, ...]:
        """Return all changes of one answer's checklist, oldest first."""
        ...

    def add(self, answer: int, click: TickClick, at: datetime) -> None:
        """Add what a click changes; the caller lets nobody come between."""
        ...


@dataclass(frozen=True)
class Tables:
    """All tables of a store, within one transaction."""

    answers: Answers
    """Answers."""

    seen: Seen
    """Deliveries."""

    ticks: Ticks
    """Changes of checklists."""
