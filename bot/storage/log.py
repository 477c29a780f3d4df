"""The log over any store: what a method does, and in which kind of transaction."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from bot.storage import SEEN_FOR_S, LoggedAnswer, NewAnswer, answer_id, answer_number
from bot.storage.archiving import ArchivedLog
from bot.storage.tables import Tables
from bot.storage.values import Clock, moment, place_of, storable, unicode_text, words_of

if TYPE_CHECKING:
    from bot.decisions.comments import Comment
    from bot.decisions.measured import Actual, NewActual
    from bot.decisions.records import Decision, Event, NewEvent, Tenant
    from bot.decisions.store import Sight, Wanted
    from bot.ticks import Tick, TickClick


class StoredLog(ArchivedLog, ABC):
    """Log over a store that reads in one transaction and writes in another."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Tables]:
        """Return a context that reads the store at one moment."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Tables]:
        """Return a context that is the only one to write, and keeps all at its end or nothing."""

    @abstractmethod
    def together(self) -> AbstractContextManager[None]:
        """Return a context in which what is recorded is kept at its end, all or none."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the store."""

    def record_answer(self, answer: NewAnswer) -> str:
        """Keep `answer` and return its id; once this returns, no crash loses it."""
        with self._writing() as tables:
            return answer_id(tables.answers.add(answer, self._clock()))

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
        with self._reading() as tables:
            return tables.answers.find(number, place_of(team_id, enterprise_id, viewer, channel))

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
        place, words = place_of(team_id, enterprise_id, viewer, channel), words_of(query)
        by = user and unicode_text(user)
        with self._reading() as tables:
            return tables.answers.latest(place, words, user=by, limit=limit, offset=offset)

    def first_seen(self, key: str, *, window_s: float = SEEN_FOR_S) -> bool:
        """Return True the first time `key` comes within `window_s` seconds, False after that."""
        with self._writing() as tables:
            return tables.seen.add(unicode_text(key), now=self._clock(), window_s=window_s)

    def release_seen(self, key: str) -> None:
        """Forget `key`, so that a delivery whose work failed can be tried again."""
        with self._writing() as tables:
            tables.seen.drop(unicode_text(key))

    def ticks_of(self, answer_id: str) -> tuple[Tick, ...]:
        """Return all changes of an answer's checklist, oldest first."""
        number = answer_number(answer_id)
        if number is None:
            return ()
        with self._reading() as tables:
            return tables.ticks.read(number)

    def record_ticks(self, click: TickClick) -> tuple[Tick, ...]:
        """Keep what a click changes and return all changes of that checklist, oldest first."""
        number = answer_number(click.answer_id)
        if number is None:
            return ()
        with self._writing() as tables:
            tables.ticks.add(number, click, self._clock())
            return tables.ticks.read(number)

    def begin_decision(self, tenant: Tenant, event: NewEvent) -> Decision:
        """Keep a first event, under a new number; once this returns, no crash loses it."""
        from bot.storage.decision_rows import change_of, numbered

        at = moment(self._clock())
        with self._writing() as tables:
            number = tables.decisions.highest() + 1
            change = change_of(None, "", numbered(storable(event), number, 1, at))
            tables.decisions.put(storable(tenant), change)
        return change.decision

    def add_event(
        self, tenant: Tenant, number: int, event: NewEvent, *, follows: int
    ) -> Decision | None:
        """Keep an event that follows the `follows`-th one; None where another came first."""
        from bot.storage.decision_rows import change_of, numbered

        at = moment(self._clock())
        with self._writing() as tables:
            found = tables.decisions.current(storable(tenant), number)
            if found is None or found[0].sequence != follows:
                return None
            change = change_of(*found, numbered(storable(event), number, follows + 1, at))
            tables.decisions.put(storable(tenant), change)
        return change.decision

    def get_decision(self, number: int, sight: Sight) -> Decision | None:
        """Return one decision; None where there is none to be seen."""
        with self._reading() as tables:
            return tables.decisions.read(number, storable(sight))

    def events_of(self, number: int, sight: Sight) -> tuple[Event, ...]:
        """Return all events of a decision, oldest first; none where there is none to be seen."""
        with self._reading() as tables:
            is_there = tables.decisions.read(number, storable(sight)) is not None
            return tables.decisions.events(number) if is_there else ()

    def find_decisions(self, wanted: Wanted, sight: Sight) -> tuple[Decision, ...]:
        """Return decisions, the newest number first."""
        with self._reading() as tables:
            return tables.decisions.find(storable(wanted), storable(sight))

    def decision_at(self, tenant: Tenant, channel_id: str, message_ts: str) -> Decision | None:
        """Return the decision whose thread begins with that message."""
        with self._reading() as tables:
            return tables.decisions.at(*storable((tenant, channel_id, message_ts)))

    def projects(self, sight: Sight, *, limit: int = 100) -> tuple[str, ...]:
        """Return the names of projects in use, the latest used first."""
        with self._reading() as tables:
            return tables.decisions.projects(storable(sight), limit)

    def add_actual(self, tenant: Tenant, actual: NewActual) -> Actual:
        """Keep a measurement; once this returns, no crash loses it."""
        from bot.decisions.measured import Actual

        now = self._clock()
        with self._writing() as tables:
            number = tables.decisions.add_actual(storable(tenant), storable(actual), now)
        return Actual(**dict(storable(actual)), number=number, at=moment(now))

    def actuals_of(
        self, tenant: Tenant | None, *, answer_id: str | None = None, limit: int = 1000
    ) -> tuple[Actual, ...]:
        """Return measurements, newest first."""
        with self._reading() as tables:
            return tables.decisions.actuals(*storable((tenant, answer_id)), limit)

    def add_comment(self, comment: Comment) -> bool:
        """Keep a comment; return whether it was new, and not deleted before it came."""
        from bot.storage.commenting import Commenting

        with self._writing() as tables:
            return Commenting(tables, self._clock()).add(comment)

    def change_comment(self, comment: Comment, *, adds: bool) -> bool:
        """Keep what a comment says since its last change; return whether that was news."""
        from bot.storage.commenting import Commenting

        with self._writing() as tables:
            is_news = Commenting(tables, self._clock()).change(comment, adds=adds)
        self._settle()
        return is_news

    def drop_comment(self, tenant: Tenant, channel_id: str, message_ts: str) -> bool:
        """Take a comment out, also one that comes later; return whether it was there."""
        from bot.storage.commenting import Commenting

        with self._writing() as tables:
            was_there = Commenting(tables, self._clock()).drop(tenant, channel_id, message_ts)
        self._settle()
        return was_there

    def comments_of(self, number: int) -> tuple[Comment, ...]:
        """Return the comments on a decision, oldest first."""
        from bot.storage.commenting import comments_of

        with self._reading() as tables:
            return comments_of(tables, number)

    def keep_thread(self, tenant: Tenant, channel_id: str, message_ts: str, subject: str) -> None:
        """Keep what the thread below a message is about, `A-12`."""
        with self._writing() as tables:
            tables.decisions.keep_thread(*storable((tenant, channel_id, message_ts, subject)))

    def thread_subject(self, tenant: Tenant, channel_id: str, message_ts: str) -> str | None:
        """Return what the thread below a message is about; None where nothing is known of it."""
        with self._reading() as tables:
            return tables.decisions.thread_subject(*storable((tenant, channel_id, message_ts)))
