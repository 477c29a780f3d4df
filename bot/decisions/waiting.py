"""When a proposal that waits is reminded of: working days, UTC, and no weekend."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final

from bot.decisions.records import Event
from bot.decisions.states import Action

WORKING_DAYS: Final = 5
"""Working days of a week: Monday to Friday."""

LATE: Final = timedelta(days=30)
"""How late a reminder still comes: what has waited for longer is left alone."""

_DAY, _NOW = timedelta(days=1), timedelta(0)


def is_weekend(day: date) -> bool:
    """Return whether a day is a Saturday or a Sunday."""
    return day.weekday() >= WORKING_DAYS


def working_day_after(day: date, count: int) -> date:
    """Return the working day that is the `count`-th one after a day; count from 1."""
    for _ in range(count):
        day += _DAY
        while is_weekend(day):
            day += _DAY
    return day


def working_day_before(day: date) -> date:
    """Return the last working day before a day."""
    day -= _DAY
    while is_weekend(day):
        day -= _DAY
    return day


def proposed_on(events: Iterable[Event]) -> date | None:
    """Return the day, UTC, on which the latest version was put before those who may approve."""
    moments = [one.at for one in events if one.action in {Action.PROPOSE, Action.REVISE}]
    return datetime.fromisoformat(moments[-1]).astimezone(UTC).date() if moments else None


def reminder_days(proposed: date, due_on: str | None, *, days: int) -> tuple[date, ...]:
    """Return the days from which a proposal may be reminded of: each of them is enough.

    It has waited `days` working days, or the day by which it is wanted is the next working day;
    never on the day of the proposal itself.
    """
    waited = working_day_after(proposed, days)
    wanted = _day(due_on)
    if wanted is None:
        return (waited,)
    first = working_day_after(proposed, 1)
    return (waited, max(first, working_day_before(wanted)) if wanted > proposed else first)


def is_due(today: date, reminders: Iterable[date]) -> bool:
    """Return whether a reminder that may come from one of these days on comes today."""
    return not is_weekend(today) and any(_NOW <= today - day <= LATE for day in reminders)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None
