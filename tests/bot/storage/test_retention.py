"""Old answers that nothing rests on, taken out while the log is in use."""

from __future__ import annotations

import sqlite3
from datetime import timedelta

import pytest

from bot.archive.store import Pruned
from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
from bot.retention import MOST_AT_ONCE, before, retention
from bot.storage import NewAnswer
from bot.storage.stores import open_log
from bot.ticks import TickClick

TENANT = Tenant("T1")
HOUR = timedelta(hours=1)


def asked(log, question: str = "7b") -> str:
    answer = NewAnswer(
        team_id="T1", user_id="U0ANA", transport="slack", language="en", question=question,
        request_json="{}", answer_json='{"told": "word for word"}', package_version="1",
    )  # fmt: skip
    return log.record_answer(answer)


def numbers(log) -> list[str]:
    return [one.id for one in log.list_answers(team_id=None, limit=100)]


@pytest.fixture
def log(store, clock):
    log = store.open(clock=clock)
    yield log
    log.close()


def test_the_age_is_counted_in_whole_days_of_24_hours(log, clock) -> None:
    start = clock.now
    for hours in (0, 24, 48):
        clock.now = start + hours * HOUR
        asked(log)
    take_out = retention(2, log)
    # Answers from before the moment that is two days ago: not the one of that very moment.
    take_out(start + 48 * HOUR)
    assert numbers(log) == ["A-3", "A-2", "A-1"]
    take_out(start + 48 * HOUR + timedelta(milliseconds=1))
    assert numbers(log) == ["A-3", "A-2"]
    take_out(start + 1000 * HOUR)
    # The last one stays: its number is not given to another answer.
    assert numbers(log) == ["A-3"]
    assert asked(log) == "A-4"


def test_decisions_keep_what_they_rest_on(log, clock) -> None:
    for question in ("7b", "13b", "70b"):
        asked(log, question)
    saved = NewEvent(
        action=Action.SAVE, user_id="U0ANA", package_version="1", answer_id="A-1",
        details=Details(title="Two cards", rules=Rules(users=("U0BEN",)), team_id="T1"),
    )  # fmt: skip
    log.begin_decision(TENANT, saved)
    gpu = frozenset({"gpu"})
    for answer in ("A-1", "A-2"):
        log.record_ticks(TickClick(answer_id=answer, items=gpu, chosen=gpu, seen=0, user_id="U1"))
    log.keep_thread(TENANT, "C1", "1.5", "A-2")
    retention(1, log)(clock.now + 100 * HOUR)
    assert numbers(log) == ["A-3", "A-1"]
    assert (len(log.ticks_of("A-1")), len(log.ticks_of("A-2"))) == (1, 0)
    assert log.thread_subject(TENANT, "C1", "1.5") is None


def test_the_oldest_go_first_and_so_many_at_once(log, clock) -> None:
    for _ in range(6):
        asked(log)
    bound = before(clock.now + 48 * HOUR, timedelta(days=1))
    assert log.prune_some(bound, most=2) == Pruned(answers=2, ticks=0, actuals=0)
    assert numbers(log) == ["A-6", "A-5", "A-4", "A-3"]
    assert log.prune_some(bound, most=100).answers == 3
    assert log.prune_some(bound, most=100).answers == 0


def test_a_round_goes_on_until_nothing_old_is_left(log, clock, monkeypatch) -> None:
    monkeypatch.setattr("bot.retention.MOST_AT_ONCE", 2)
    assert MOST_AT_ONCE > 2
    for _ in range(7):
        asked(log)
    retention(1, log)(clock.now + 48 * HOUR)
    assert numbers(log) == ["A-7"]


def test_answers_still_cannot_be_deleted_by_others(store, log, clock) -> None:
    asked(log)
    retention(1, log)(clock.now + 48 * HOUR)
    with pytest.raises(store.refusals):
        store.execute("delete from answers")


class TestFile:
    """What only a file has: bytes that stay behind, and readers in the way."""

    @pytest.fixture
    def file_log(self, tmp_path, clock, monkeypatch):
        connect = sqlite3.connect

        def plain(*given, **named):
            """Connect as builds of SQLite do that leave deleted bytes where they are."""
            connection = connect(*given, **named)
            connection.execute("pragma secure_delete = off").fetchone()
            return connection

        monkeypatch.setattr("sqlite3.connect", plain)
        log = open_log(tmp_path / "gpusize.db", clock=clock, busy_s=30)
        yield log
        log.close()

    def everything(self, folder) -> bytes:
        return b"".join(one.read_bytes() for one in folder.glob("gpusize.db*"))

    def test_no_byte_of_what_was_taken_out_is_left(self, file_log, clock, tmp_path) -> None:
        for number in range(40):
            asked(file_log, f"unforgettable-{number}-" * 50)
        asked(file_log, "kept")
        assert b"unforgettable-7-" in self.everything(tmp_path)
        retention(1, file_log)(clock.now + 48 * HOUR)
        assert b"unforgettable" not in self.everything(tmp_path)
        assert b"kept" in self.everything(tmp_path)

    def test_a_reader_in_the_way_is_not_waited_for(self, file_log, clock, tmp_path) -> None:
        for question in ("unforgettable", "kept"):
            asked(file_log, question)
        reader = sqlite3.connect(tmp_path / "gpusize.db")
        reader.execute("begin")
        assert reader.execute("select count(*) from answers").fetchone() == (2,)
        # With the reader's view open, thirty seconds would go by.
        retention(1, file_log)(clock.now + 48 * HOUR)
        assert numbers(file_log) == ["A-2"]
        assert reader.execute("select count(*) from answers").fetchone() == (2,)
        reader.close()
        assert file_log._connection.execute("pragma busy_timeout").fetchone() == (30_000,)
        retention(1, file_log)(clock.now + 48 * HOUR)
        assert b"unforgettable" not in self.everything(tmp_path)
