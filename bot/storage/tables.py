"""What each store does in one transaction of its own, table by table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from bot.storage import LoggedAnswer, NewAnswer

if TYPE_CHECKING:
    from bot.decisions.measured import Actual, NewActual
    from bot.decisions.records import Decision, Event, Tenant
    from bot.decisions.store import Sight, Wanted
    from bot.storage.decision_rows import Change
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


class Decisions(Protocol):
    """Decisions: their events, which are added and never changed, and where these lead."""

    def highest(self) -> int:
        """Return the highest number in use, 0 without any."""
        ...

    def current(self, tenant: Tenant, number: int) -> tuple[Decision, str] | None:
        """Return where a decision stands and the words it is found by."""
        ...

    def put(self, tenant: Tenant, change: Change) -> None:
        """Add an event, and put where it leads in the place of what was."""
        ...

    def read(self, number: int, sight: Sight) -> Decision | None:
        """Return one decision; None where there is none to be seen."""
        ...

    def events(self, number: int) -> tuple[Event, ...]:
        """Return all events of a decision, oldest first."""
        ...

    def at(self, tenant: Tenant, channel_id: str, message_ts: str) -> Decision | None:
        """Return the decision whose thread begins with a message."""
        ...

    def find(self, wanted: Wanted, sight: Sight) -> tuple[Decision, ...]:
        """Return decisions, the newest number first."""
        ...

    def projects(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Return the names of projects in use, the latest used first."""
        ...

    def keep_thread(self, tenant: Tenant, channel_id: str, message_ts: str, subject: str) -> None:
        """Keep what the thread below a message is about, in the place of what was known."""
        ...

    def thread_subject(self, tenant: Tenant, channel_id: str, message_ts: str) -> str | None:
        """Return what the thread below a message is about."""
        ...

    def add_actual(self, tenant: Tenant, actual: NewActual, at: datetime) -> int:
        """Add a measurement and return its number, one more than the last."""
        ...

    def actuals(
        self, tenant: Tenant | None, answer_id: str | None, limit: int
    ) -> tuple[Actual, ...]:
        """Return measurements of a workspace, or of all, newest first; of one answer or of all."""
        ...


class Records(Protocol):
    """Rows of any table, for what reads or changes the log as a whole; names are our own."""

    def read(
        self,
        table: str,
        columns: Sequence[str],
        *,
        by: str | None = None,
        values: Sequence[int | str] = (),
    ) -> list[dict[str, Any]]:
        """Return rows in the order of the first column: all, or those whose `by` is in `values`."""
        ...

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """Add a row, with the number that it says."""
        ...

    def change(self, table: str, key: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """Put other values into the row of a key."""
        ...

    def drop(self, table: str, key: Mapping[str, Any]) -> None:
        """Take out the row of a key."""
        ...

    def remove(self, table: str, by: str, values: Sequence[int | str]) -> int:
        """Take out the rows whose `by` is in `values`, and return how many."""
        ...

    def unlocked(self) -> AbstractContextManager[None]:
        """Return a context in which rows that are only added may be changed and removed."""
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

    open_decisions: Callable[[], Decisions]
    """Returns the decisions, whose code is loaded with the first one: few processes have any."""

    open_records: Callable[[], Records]
    """Returns the rows as they are, for what few processes do."""

    @property
    def records(self) -> Records:
        """Return the rows as they are."""
        return self.open_records()

    @property
    def decisions(self) -> Decisions:
        """Return the decisions."""
        return self.open_decisions()
