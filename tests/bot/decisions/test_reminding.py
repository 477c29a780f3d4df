"""Proposals that wait are reminded of once for each version, in both kinds of store."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.deciding import Deciding
from bot.decisions.permission import DeniedError
from bot.decisions.records import Decision
from bot.decisions.states import FROM, Action, State
from bot.decisions.store import Sight
from bot.decisions.waiting import is_weekend
from bot.history import History
from bot.reminding import Reminding
from bot.storage.log import StoredLog
from bot.storage.stores import open_log
from tests.bot.decisions.conftest import TENANT, event, first

SIGHT = Sight(tenant=TENANT)
PLACE = {"channel_id": "C1", "message_ts": "1.5"}
TUESDAY, FRIDAY, SATURDAY = date(2026, 12, 1), date(2026, 12, 4), date(2026, 12, 5)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.day = TUESDAY

    def __call__(self) -> datetime:
        return datetime(self.day.year, self.day.month, self.day.day, 11, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgres"])
def log(request, tmp_path, clock) -> Iterator[StoredLog]:
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_schema")
    log = open_log(tmp_path / "gpusize.db", url, clock=clock)
    yield log
    log.close()


def reminding_of(log: StoredLog) -> Reminding:
    return Reminding(log, Deciding(History(log, "0" * 16), log))


@pytest.fixture
def reminding(log) -> Reminding:
    return reminding_of(log)


def added(log, decision: Decision, action: Action, user: str = "U0BEN") -> Decision:
    moved = log.add_event(TENANT, decision.number, event(action, user), follows=decision.sequence)
    assert moved is not None
    return moved


def proposed(log, **details: object) -> Decision:
    return added(log, log.begin_decision(TENANT, first(**{**PLACE, **details})), Action.PROPOSE)


def names(reminding: Reminding, today: date, *, days: int = 3) -> list[str]:
    return [one.decision.name for one in reminding.waiting(today, days=days)]


def test_a_version_is_reminded_of_once(log, reminding, clock) -> None:
    decision = proposed(log)
    assert names(reminding, FRIDAY - timedelta(days=1)) == []
    (waiting,) = reminding.waiting(FRIDAY, days=3)
    assert (waiting.since, waiting.due) == (TUESDAY, FRIDAY)
    clock.day = FRIDAY
    kept = reminding.keep(waiting.decision)
    assert kept.reminded_at == "2026-12-04T11:00:00.000Z"
    assert (kept.state, kept.sequence) == (State.PROPOSED, decision.sequence + 1)
    assert log.events_of(decision.number, SIGHT)[-1].user_id == "gpusize"
    assert names(reminding, FRIDAY) == names(reminding, FRIDAY + timedelta(days=3)) == []
    with pytest.raises(DeniedError, match="reminded_already"):
        reminding.keep(waiting.decision)


def test_a_new_version_begins_anew(log, reminding, clock) -> None:
    clock.day = FRIDAY
    decision = added(log, reminding.keep(proposed(log)), Action.REVISE)
    assert decision.reminded_at is None
    # Monday, Tuesday, Wednesday.
    assert names(reminding, date(2026, 12, 8)) == []
    assert names(reminding, date(2026, 12, 9)) == ["D-1"]


def test_an_older_version_is_not_reminded_of(log, reminding) -> None:
    decision = proposed(log)
    added(log, decision, Action.REVISE)
    with pytest.raises(DeniedError, match="inputs_changed"):
        reminding.keep(decision)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (Action.APPROVE, "already_decided"),
        (Action.REJECT, "already_decided"),
        (Action.WITHDRAW, "already_decided"),
        (Action.ASK_CHANGES, "not_in_state"),
    ],
)
def test_what_moved_on_meanwhile_is_not_reminded_of(log, reminding, action, code) -> None:
    decision = proposed(log)
    added(log, decision, action, "U0ANA")
    assert names(reminding, FRIDAY) == []
    with pytest.raises(DeniedError, match=code):
        reminding.keep(decision)
    assert log.get_decision(1, SIGHT).reminded_at is None


def test_drafts_and_what_has_no_thread_are_left_alone(log, reminding) -> None:
    log.begin_decision(TENANT, first(**PLACE))
    added(log, log.begin_decision(TENANT, first()), Action.PROPOSE)
    assert names(reminding, FRIDAY) == []


def test_what_is_due_longest_comes_first(log, reminding, clock) -> None:
    proposed(log)
    clock.day = TUESDAY - timedelta(days=4)
    for wanted in ("2027-12-01", "2026-12-01"):
        proposed(log, due_on=wanted)
    clock.day = TUESDAY - timedelta(days=60)
    proposed(log)
    # D-4 has been due for more than thirty days: switching reminders on floods nothing.
    assert names(reminding, FRIDAY) == ["D-3", "D-2", "D-1"]
    assert names(reminding, SATURDAY) == []


def test_of_two_replicas_one_reminds(log, reminding, clock) -> None:
    decision = proposed(log)
    barrier, outcomes = threading.Barrier(8), []

    def remind() -> None:
        barrier.wait()
        try:
            reminding.keep(decision)
        except DeniedError as error:
            outcomes.append(error.code)
        else:
            outcomes.append("kept")

    threads = [threading.Thread(target=remind) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(outcomes) == ["kept", *["reminded_already"] * 7]
    actions = [one.action for one in log.events_of(1, SIGHT)]
    assert actions.count(Action.REMIND) == 1


MOVES = st.dictionaries(
    st.integers(0, 40),
    st.sampled_from([Action.APPROVE, Action.REVISE, Action.ASK_CHANGES, Action.WITHDRAW]),
    max_size=6,
)


@pytest.fixture(scope="module")
def walked(tmp_path_factory) -> Iterator[tuple[StoredLog, Clock]]:
    clock = Clock()
    log = open_log(tmp_path_factory.mktemp("walks") / "gpusize.db", clock=clock)
    yield log, clock
    log.close()


@settings(max_examples=30, deadline=None)
@given(
    start=st.dates(date(2026, 1, 1), date(2030, 1, 1)),
    days=st.integers(1, 10),
    wanted=st.none() | st.integers(-5, 30),
    moves=MOVES,
)
def test_whatever_happens_no_version_is_reminded_of_twice(
    walked, start, days, wanted, moves
) -> None:
    """Forty days with a round on each: once a version, in working hours of its life, if at all."""
    log, clock = walked
    reminding, clock.day = reminding_of(log), start
    due_on = None if wanted is None else (start + timedelta(days=wanted)).isoformat()
    decision = proposed(log, due_on=due_on)
    reminded: list[tuple[int, State, date]] = []
    for day in range(41):
        clock.day = start + timedelta(days=day)
        if day in moves and decision.state in FROM[moves[day]]:
            decision = added(log, decision, moves[day], "U0ANA")
        for one in reminding.waiting(clock.day, days=days):
            if one.decision.number == decision.number:
                decision = reminding.keep(one.decision)
                reminded.append((decision.version, decision.state, clock.day))
    assert all(state is State.PROPOSED for _, state, _ in reminded)
    assert not any(is_weekend(day) for _, _, day in reminded)
    versions = [version for version, _, _ in reminded]
    assert len(versions) == len(set(versions))
    if not moves:
        # At most ten working days are sixteen days: what nobody moves on is reminded of.
        assert versions == [1]
