"""Proposals that wait: which of them are reminded of today, and that it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from bot.deciding import Move
from bot.decisions.states import Action, State
from bot.decisions.waiting import is_due, is_weekend, proposed_on, reminder_days
from bot.unattended import SEES_ALL, all_in, own_asker

if TYPE_CHECKING:
    from bot.deciding import Deciding
    from bot.decisions.records import Decision
    from bot.storage import Log


@dataclass(frozen=True)
class Waiting:
    """A proposal that is to be reminded of."""

    decision: Decision
    """The decision."""

    since: date
    """Day of the proposal, UTC."""

    due: date
    """Day from which it may be reminded of, UTC."""


class Reminding:
    """Finds the proposals that are reminded of, each version once, and keeps that they were."""

    def __init__(self, log: Log, deciding: Deciding) -> None:
        self._log = log
        self._deciding = deciding

    def waiting(self, today: date, *, days: int) -> tuple[Waiting, ...]:
        """Return what is to be reminded of today, what is due longest first; none at weekends."""
        if is_weekend(today):
            return ()
        found = self._found(today, days)
        return tuple(sorted(found, key=lambda one: (one.due, one.decision.number)))

    def keep(self, decision: Decision) -> Decision:
        """Keep that this version is reminded of; raise CodedError where it is no more to be.

        It is kept before anything is sent: a reminder may be lost, and never comes twice.
        """
        move = Move(action=Action.REMIND, version=decision.version)
        return self._deciding.note(decision.number, move, own_asker(decision))

    def _found(self, today: date, days: int) -> Iterator[Waiting]:
        for decision in all_in(State.PROPOSED, self._log):
            if decision.reminded_at is not None or decision.message_ts is None:
                continue
            since = proposed_on(self._log.events_of(decision.number, SEES_ALL))
            if since is None:
                continue
            reminders = reminder_days(since, decision.due_on, days=days)
            if is_due(today, reminders):
                yield Waiting(decision, since, min(reminders))
