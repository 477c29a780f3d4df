"""What every store promises about decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.decisions.comments import Comment
    from bot.decisions.measured import Actual, NewActual
    from bot.decisions.records import Decision, Event, NewEvent, Tenant
    from bot.decisions.states import State


LATEST = 2000
"""Decisions with a project that are looked through for the projects in use: the latest ones."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """Whose view of a log it is."""

    tenant: Tenant | None
    """Workspace; None for the owner of the machine, who sees every one."""

    viewer: str | None = None
    """Person; None for the owner of the machine, who sees all of the workspace."""

    channel_id: str | None = None
    """Conversation they ask in: what was decided there is open to them."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which decisions are looked for."""

    text: str = ""
    """Words that all have to stand in them, or begin one that does."""

    states: frozenset[State] = frozenset()
    """States; none for all."""

    project: str | None = None
    """Project, in any case of letters."""

    model: str | None = None
    """Catalogue id of a model."""

    requester_id: str | None = None
    """Who asked for them."""

    waiting_for: frozenset[str] = frozenset()
    """Names that rules know a person by: their id, their groups, their conversations.

    Only proposals are found that one of these may approve, and that the person has not yet.
    """

    limit: int = 20
    """At most so many."""

    offset: int = 0
    """So many are passed over."""


@dataclass(frozen=True)
class Found:
    """One page of decisions."""

    decisions: tuple[Decision, ...]
    """Those of the page, the newest first."""

    has_more: bool
    """Whether another page follows."""


class DecisionStore(Protocol):
    """Append-only log of decisions; every method may be called from any thread."""

    def begin_decision(self, tenant: Tenant, event: NewEvent) -> Decision:
        """Keep a first event, under a new number; once this returns, no crash loses it."""
        ...

    def add_event(
        self, tenant: Tenant, number: int, event: NewEvent, *, follows: int
    ) -> Decision | None:
        """Keep an event that follows the `follows`-th one, and return where that leads.

        None where another event came first, or there is no such decision: nothing is kept then.
        """
        ...

    def get_decision(self, number: int, sight: Sight) -> Decision | None:
        """Return one decision; None where there is none to be seen."""
        ...

    def events_of(self, number: int, sight: Sight) -> tuple[Event, ...]:
        """Return all events of a decision, oldest first; none where there is none to be seen."""
        ...

    def find_decisions(self, wanted: Wanted, sight: Sight) -> tuple[Decision, ...]:
        """Return decisions, the newest number first."""
        ...

    def decision_at(self, tenant: Tenant, channel_id: str, message_ts: str) -> Decision | None:
        """Return the decision whose thread begins with that message."""
        ...

    def projects(self, sight: Sight, *, limit: int = 100) -> tuple[str, ...]:
        """Return the names of projects in use, the latest used first."""
        ...

    def add_actual(self, tenant: Tenant, actual: NewActual) -> Actual:
        """Keep a measurement; once this returns, no crash loses it."""
        ...

    def actuals_of(
        self, tenant: Tenant | None, *, answer_id: str | None = None, limit: int = 1000
    ) -> tuple[Actual, ...]:
        """Return measurements, newest first; who may see their answers is for the caller to ask.

        Without a `tenant` those of every workspace, without `answer_id` those of all answers.
        """
        ...

    def add_comment(self, comment: Comment) -> bool:
        """Keep a comment; return whether it was new, and not deleted before it came."""
        ...

    def change_comment(self, comment: Comment, *, adds: bool) -> bool:
        """Keep what a comment says since its last change; return whether that was news.

        One that has not come yet, and was not deleted, is kept as it is now if it `adds`.
        """
        ...

    def drop_comment(self, tenant: Tenant, channel_id: str, message_ts: str) -> bool:
        """Take a comment out, also one that comes later; return whether it was there."""
        ...

    def comments_of(self, number: int) -> tuple[Comment, ...]:
        """Return the comments on a decision, oldest first; who may see them is for the caller."""
        ...

    def keep_thread(self, tenant: Tenant, channel_id: str, message_ts: str, subject: str) -> None:
        """Keep what the thread below a message is about, `A-12`; what was said before is gone."""
        ...

    def thread_subject(self, tenant: Tenant, channel_id: str, message_ts: str) -> str | None:
        """Return what the thread below a message is about; None where nothing is known of it."""
        ...
