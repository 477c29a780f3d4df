"""Work of a day: done once, by one replica, and never in the way of the bot."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from bot.rounds import Job, Rounds

MORNING = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


class Log:
    """Claims as the log keeps them, of all replicas."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def first_seen(self, key: str, *, window_s: float) -> bool:
        assert window_s > 24 * 3600
        is_new = key not in self.keys
        self.keys.add(key)
        return is_new


def rounds(log: Log, jobs, clock) -> Rounds:
    return Rounds(jobs, log.first_seen, clock=clock, pause_s=0.001)


def test_each_job_is_done_once_a_day_by_one_replica() -> None:
    log, done, now = Log(), [], [MORNING]
    jobs = (Job("one", done.append),)
    replicas = [rounds(log, jobs, lambda: now[0]) for _ in range(3)]
    for hours in (0, 1, 17):
        now[0] = MORNING + timedelta(hours=hours)
        for replica in replicas:
            replica.look()
    assert done == [MORNING]
    now[0] = MORNING + timedelta(days=1)
    assert [replica.look() for replica in replicas] == [("one",), (), ()]


def test_nothing_is_done_before_its_hour() -> None:
    done = []
    early = MORNING - timedelta(minutes=1)
    assert rounds(Log(), (Job("one", done.append),), lambda: early).look() == ()
    assert done == []


def test_a_job_that_fails_stops_no_other(caplog) -> None:
    done = []

    def fails(_now: datetime) -> None:
        raise RuntimeError("no disk")

    jobs = (Job("bad", fails), Job("good", done.append))
    assert rounds(Log(), jobs, lambda: MORNING).look() == ("bad", "good")
    assert done == [MORNING]
    assert "no disk" in caplog.text


def test_the_thread_works_and_stops_with_the_bot() -> None:
    worked = threading.Event()
    running = rounds(Log(), (Job("one", lambda _now: worked.set()),), lambda: MORNING)
    running.start()
    assert worked.wait(10)
    running.stop()
    assert not any(thread.name == "rounds" for thread in threading.enumerate())


def test_what_is_stopped_begins_nothing() -> None:
    done = []
    stopped = rounds(Log(), (Job("one", done.append),), lambda: MORNING)
    stopped.stop()
    assert stopped.look() == ()
    assert done == []


def test_without_jobs_there_is_no_thread() -> None:
    idle = rounds(Log(), (), lambda: MORNING)
    idle.start()
    assert not any(thread.name == "rounds" for thread in threading.enumerate())
    idle.stop()
