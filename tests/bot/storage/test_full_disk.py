"""A log whose disk is full or can only be read: it says so, and loses nothing it has promised."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing, suppress
from functools import partial

import pytest

from bot.decisions.life import replayed
from bot.decisions.records import Details, NewEvent, Tenant
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted
from bot.errors import StorageError
from bot.messages import load_messages
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog
from bot.storage.sqlite.faults import fault_code

LONG = "x" * 20_000


def answer(question=LONG):
    return NewAnswer(
        user_id="U1", transport="terminal", language="en", question=question,
        answer_json="{}", package_version="0.1",
    )  # fmt: skip


def mount(*arguments):
    return subprocess.run(["mount", *arguments], capture_output=True).returncode == 0


@pytest.fixture
def disk(tmp_path):
    """A disk of one MiB, where this account may make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)):
        pytest.skip("mounting a small disk is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def refusal(work, *arguments):
    with pytest.raises(StorageError) as caught:
        work(*arguments)
    return caught.value.code


def record_together(log):
    with log.together():
        for _ in range(3):
            log.record_answer(answer())


def fill(log, question=LONG):
    """Record answers until one is refused; return the ids of those before."""
    kept = []
    with suppress(StorageError):
        while True:
            kept.append(log.record_answer(answer(question)))
    return kept


def test_a_full_disk_is_said_and_what_was_kept_stays(disk):
    with closing(SqliteLog(disk / "gpusize.db")) as log:
        kept = fill(log)
        assert len(kept) > 5
        # Where a long one finds no room, a short one still may.
        short = fill(log, "x")
        assert refusal(log.record_answer, answer()) == "log_full"
        assert refusal(log.first_seen, "trigger") == "log_full"
        assert all(log.get_answer(one, team_id=None).question == LONG for one in kept)
        with closing(SqliteLog(disk / "gpusize.db")) as other:
            assert other.get_answer(kept[-1], team_id=None) is not None
        assert refusal(SqliteLog, disk / "another.db") == "log_full"
        assert mount("-o", "remount,size=4m", str(disk))
        assert log.record_answer(answer()) == f"A-{len(kept) + len(short) + 1}"


def test_a_disk_that_can_only_be_read(disk):
    SqliteLog(disk / "gpusize.db").close()
    assert mount("-o", "remount,ro", str(disk))
    assert refusal(SqliteLog, disk / "gpusize.db") == "log_file_read_only"


def test_without_room_for_a_page_nothing_is_half_kept(tmp_path):
    """SQLite's own limit stands for the disk, where no disk can be made."""
    with closing(SqliteLog(tmp_path / "gpusize.db")) as log:
        first = log.record_answer(answer())
        [pages] = log._connection.execute("pragma page_count").fetchone()
        log._connection.execute(f"pragma max_page_count = {pages}")
        assert refusal(record_together, log) == "log_full"
        assert [one.id for one in log.list_answers(team_id=None)] == [first]
        log._connection.execute("pragma max_page_count = 1000000")
        assert log.record_answer(answer()) == "A-2"


def test_a_decision_keeps_every_event_that_was_acknowledged(tmp_path):
    tenant = Tenant("T1")
    sight = Sight(tenant=tenant)
    with closing(SqliteLog(tmp_path / "gpusize.db")) as log:
        log.begin_decision(tenant, event(Action.SAVE))
        [pages] = log._connection.execute("pragma page_count").fetchone()
        log._connection.execute(f"pragma max_page_count = {pages + 10}")
        told = 1
        with suppress(StorageError):
            while log.add_event(tenant, 1, event(Action.ACTUAL), follows=told):
                told += 1
        assert told > 1
        add = partial(log.add_event, tenant, 1, event(Action.ACTUAL), follows=told)
        assert refusal(add) == "log_full"
        assert log.get_decision(1, sight) == replayed(log.events_of(1, sight))
        assert len(log.events_of(1, sight)) == told
        log._connection.execute("pragma max_page_count = 1000000")
        assert add().sequence == told + 1
        assert log.find_decisions(Wanted(text=f"word{LAST}"), sight)[0].sequence == told + 1


LAST = 300


def event(action):
    details = Details(title="Two cards", team_id="T1") if action is Action.SAVE else Details()
    reason = " ".join(f"word{number}" for number in range(LAST + 1))
    return NewEvent(action=action, user_id="U1", package_version="0.1", reason=reason,
                    answer_id="A-1", details=details)  # fmt: skip


def test_a_connection_that_may_only_read(tmp_path):
    path = tmp_path / "gpusize.db"
    SqliteLog(path).close()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        with pytest.raises(sqlite3.OperationalError) as caught:
            db.execute("delete from seen")
        assert fault_code(caught.value, path) == "log_file_read_only"


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("code", ["log_full", "log_file_read_only"])
def test_the_sentence_names_the_file_and_nothing_else(language, code):
    text = load_messages(language).error(StorageError(code, path="/var/gpusize.db", detail="x"))
    assert "/var/gpusize.db" in text
    assert "{" not in text
