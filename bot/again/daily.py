"""Approved decisions, re-checked when their last check is some days old."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.decisions.states import Action, State
from bot.errors import CodedError
from bot.unattended import SEES_ALL, all_in, own_asker
from sizing.errors import SizingError

if TYPE_CHECKING:
    from bot.again.checked import Checked
    from bot.again.rechecking import Rechecking
    from bot.decisions.records import Decision, Event
    from bot.storage import Log

logger = logging.getLogger(__name__)

MOST_A_ROUND: Final = 50
"""Decisions that one daily round computes; the rest wait for the next day."""

Post = Callable[["Decision", str], None]
"""Tells a page in the thread of a decision."""


@dataclass(frozen=True)
class Found:
    """What one re-check of a round found."""

    decision: Decision
    """The decision."""

    checked: Checked | None
    """What it is today; None where that could not be computed."""

    is_important: bool = False
    """Whether somebody has to know."""

    problem: str = ""
    """Code of why it could not be computed."""


class Daily:
    """Re-checks decisions that nobody has re-checked for some days, of every workspace."""

    def __init__(self, log: Log, rechecking: Rechecking) -> None:
        self._log = log
        self._rechecking = rechecking

    def round(
        self, now: datetime, *, days: int, post: Post | None = None, most: int | None = None
    ) -> tuple[Found, ...]:
        """Re-check what is due, and `post` what somebody has to know; return what was found."""
        found: list[Found] = []
        for decision, told in self._due(now - timedelta(days=days)):
            if most is not None and len(found) == most:
                break
            found.append(self._checked(decision, told, post))
        return tuple(found)

    def _due(self, before: datetime) -> Iterator[tuple[Decision, Event | None]]:
        """Yield approved decisions last checked, or approved, `before`; with that re-check."""
        for decision in all_in(State.APPROVED, self._log):
            events = self._log.events_of(decision.number, SEES_ALL)
            told = _last(events, Action.RECHECK)
            since = told or _last(events, Action.APPROVE)
            if since is not None and _moment(since) <= before:
                yield decision, told

    def _checked(self, decision: Decision, told: Event | None, post: Post | None) -> Found:
        try:
            checked, page = self._rechecking.checked(decision, decision.language)
            self._rechecking.kept(decision, checked, own_asker(decision))
        except (CodedError, SizingError) as error:
            logger.warning("%s was not re-checked: %s", decision.name, error)
            return Found(decision, None, problem=error.code)
        is_important = checked.is_important(told.details.data if told else None)
        if is_important and post is not None:
            post(decision, page)
        return Found(decision, checked, is_important)


def _last(events: tuple[Event, ...], action: Action) -> Event | None:
    return next((one for one in reversed(events) if one.action is action), None)


def _moment(event: Event) -> datetime:
    return datetime.fromisoformat(event.at).astimezone(UTC)
