"""Working days: from when a proposal is reminded of, and on which days that comes."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.decisions.states import Action
from bot.decisions.waiting import (
    LATE,
    is_due,
    is_weekend,
    proposed_on,
    reminder_days,
    working_day_after,
    working_day_before,
)
from tests.bot.decisions.conftest import event, first
from tests.bot.decisions.test_life import told

# 1 December 2026 is a Tuesday: 4 is a Friday, 5 and 6 the weekend, 7 a Monday.
TUESDAY, FRIDAY = date(2026, 12, 1), date(2026, 12, 4)
SATURDAY, SUNDAY, MONDAY = date(2026, 12, 5), date(2026, 12, 6), date(2026, 12, 7)
DAYS = st.dates(date(2020, 1, 1), date(2040, 1, 1))


def test_the_days_are_what_they_are_called() -> None:
    assert [day.isoweekday() for day in (TUESDAY, FRIDAY, SATURDAY, SUNDAY, MONDAY)] == [
        2, 5, 6, 7, 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("proposed", "days", "due"),
    [
        (TUESDAY, 3, FRIDAY),
        (FRIDAY, 1, MONDAY),
        # Monday, Tuesday, Wednesday.
        (FRIDAY, 3, date(2026, 12, 9)),
        (SATURDAY, 3, date(2026, 12, 9)),
        (SUNDAY, 3, date(2026, 12, 9)),
        (SUNDAY, 1, MONDAY),
        (FRIDAY, 5, date(2026, 12, 11)),
        # Ninety working days are eighteen weeks.
        (FRIDAY, 90, FRIDAY + timedelta(weeks=18)),
    ],
)
def test_weekends_do_not_count(proposed, days, due) -> None:
    assert working_day_after(proposed, days) == due
    assert reminder_days(proposed, None, days=days) == (due,)


@pytest.mark.parametrize(
    ("wanted", "due"),
    [
        # Wanted on Monday, or at the weekend: Friday is the last working day before.
        ("2026-12-07", FRIDAY),
        ("2026-12-06", FRIDAY),
        ("2026-12-05", FRIDAY),
        ("2026-12-08", MONDAY),
        # Never on the day of the proposal, however soon it is wanted.
        ("2026-12-02", date(2026, 12, 2)),
        ("2026-12-01", date(2026, 12, 2)),
        ("2026-11-20", date(2026, 12, 2)),
        ("0001-01-01", date(2026, 12, 2)),
    ],
)
def test_the_day_it_is_wanted_comes_first(wanted, due) -> None:
    waited, before = reminder_days(TUESDAY, wanted, days=30)
    assert before == due
    assert waited > before


def test_a_day_that_is_none_counts_for_nothing() -> None:
    assert reminder_days(TUESDAY, "soon", days=3) == (FRIDAY,)


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        (date(2026, 12, 3), False),
        (FRIDAY, True),
        (SATURDAY, False),
        (SUNDAY, False),
        (MONDAY, True),
        # Thirty days after 4 December is Sunday, 3 January; the last reminder comes on the Friday.
        (date(2027, 1, 1), True),
        (date(2027, 1, 3), False),
        (date(2027, 1, 4), False),
    ],
)
def test_a_reminder_comes_from_its_day_on_for_a_while(today, expected) -> None:
    assert is_due(today, (FRIDAY,)) is expected


def test_thirty_days_are_not_too_late() -> None:
    assert is_due(date(2026, 12, 31), (TUESDAY,))
    assert not is_due(date(2027, 1, 1), (TUESDAY,))


def test_what_waited_for_months_is_reminded_of_when_its_day_comes() -> None:
    reminders = reminder_days(date(2026, 6, 1), "2026-12-07", days=3)
    assert is_due(FRIDAY, reminders)
    assert not is_due(date(2026, 12, 3), reminders)


def test_the_latest_version_counts() -> None:
    events = told(first(), event(Action.PROPOSE), event(Action.REVISE), event(Action.PLACE))
    later = [
        one.model_copy(update={"at": f"2026-12-0{one.sequence}T23:59:59.999Z"}) for one in events
    ]
    assert proposed_on(later) == date(2026, 12, 3)
    assert proposed_on(later[:2]) == date(2026, 12, 2)
    assert proposed_on(later[:1]) is None


def test_the_day_is_that_of_the_bots_clock() -> None:
    late = told(first(), event(Action.PROPOSE))[1]
    assert proposed_on([late.model_copy(update={"at": "2026-12-05T01:00:00+02:00"})]) == FRIDAY


@given(DAYS, st.integers(1, 90))
def test_days_are_counted_one_by_one(day, count) -> None:
    due = working_day_after(day, count)
    between = [day + timedelta(days=one) for one in range(1, (due - day).days + 1)]
    assert sum(not is_weekend(one) for one in between) == count
    assert not is_weekend(due)
    assert working_day_before(working_day_after(due, 1)) == due


@given(DAYS, st.integers(1, 90), st.none() | DAYS.map(date.isoformat), st.integers(0, 200))
def test_no_reminder_comes_on_a_weekend_or_on_its_first_day(day, days, wanted, later) -> None:
    today = day + timedelta(days=later)
    reminders = reminder_days(day, wanted, days=days)
    if is_due(today, reminders):
        assert not is_weekend(today)
        assert today > day
        assert today - max(one for one in reminders if one <= today) <= LATE
