"""Copies of a log's file: made while it is written, put back, refused where they do harm."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from threading import Event, Thread

import pytest

from bot.errors import StorageError
from bot.log_schema import SCHEMA_VERSION
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog
from bot.storage.sqlite.copies import back_up, restore

AT = datetime(2026, 11, 30, 22, 15, tzinfo=UTC)


def answer(question="7b"):
    return NewAnswer(
        user_id="U1", transport="terminal", language="en", question=question,
        answer_json="{}", package_version="0.1",
    )  # fmt: skip


@pytest.fixture
def log(tmp_path):
    log = SqliteLog(tmp_path / "gpusize.db")
    log.record_answer(answer("first"))
    yield log
    log.close()


def questions(path):
    with closing(SqliteLog(path)) as log:
        return [one.question for one in log.list_answers(team_id=None)][::-1]


def refusal(work, *arguments, **named):
    with pytest.raises(StorageError) as caught:
        work(*arguments, **named)
    return caught.value.code


def test_a_copy_is_whole_and_private(log, tmp_path):
    """What stands only in the write-ahead log is in it; beside it nothing is left."""
    copied = back_up(log._path, tmp_path / "copies.db")
    assert (copied.answers, copied.decisions) == (1, 0)
    assert copied.path.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.glob("copies*")) == ["copies.db"]
    assert questions(copied.path) == ["first"]


def test_a_copy_while_the_bot_writes(log, tmp_path):
    stop = Event()

    def write():
        while not stop.is_set():
            log.record_answer(answer("later " * 100))

    writer = Thread(target=write)
    writer.start()
    try:
        copies = [back_up(log._path, tmp_path / f"{number}.db") for number in range(3)]
    finally:
        stop.set()
        writer.join()
    counts = [copied.answers for copied in copies]
    assert counts == sorted(counts)
    assert [len(questions(copied.path)) for copied in copies] == [min(20, one) for one in counts]


def test_a_file_that_is_there_is_left_alone(log, tmp_path):
    there = tmp_path / "there.db"
    there.write_text("mine")
    assert refusal(back_up, log._path, there) == "backup_exists"
    assert there.read_text() == "mine"


def test_a_log_that_is_not_there_is_not_made(tmp_path):
    assert refusal(back_up, tmp_path / "no.db", tmp_path / "copy.db") == "backup_missing"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_said(log, tmp_path):
    assert refusal(back_up, log._path, tmp_path / "no" / "copy.db") == "backup_unwritable"


class TestRestore:
    @pytest.fixture
    def copy(self, log, tmp_path):
        back_up(log._path, tmp_path / "copy.db")
        log.record_answer(answer("second"))
        log.close()
        return tmp_path / "copy.db"

    def test_the_log_of_before_is_kept_aside(self, copy, log):
        restored = restore(copy, log._path, at=AT)
        assert questions(log._path) == ["first"]
        assert restored.aside.name == "gpusize.db.before-20261130T221500Z"
        assert questions(restored.aside) == ["first", "second"]
        assert questions(copy) == ["first"]

    def test_it_is_a_log_like_any_other(self, copy, log):
        restore(copy, log._path, at=AT)
        assert log._path.stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(log._path)) as db:
            assert db.execute("pragma journal_mode").fetchone() == ("wal",)

    def test_what_was_put_aside_can_be_put_back(self, copy, log):
        aside = restore(copy, log._path, at=AT).aside
        restore(aside, log._path, at=AT.replace(hour=23))
        assert questions(log._path) == ["first", "second"]

    def test_where_there_was_none(self, copy, tmp_path):
        restored = restore(copy, tmp_path / "new" / "gpusize.db", at=AT)
        assert restored.aside is None
        assert questions(tmp_path / "new" / "gpusize.db") == ["first"]

    def test_not_while_somebody_holds_the_log(self, copy, log):
        with closing(SqliteLog(log._path)) as other:
            assert refusal(restore, copy, log._path, at=AT, busy_s=0.1) == "backup_in_use"
            other.record_answer(answer("third"))
        assert questions(log._path) == ["first", "second", "third"]
        assert sorted(log._path.parent.glob("*before*")) == []

    def test_of_two_at_the_same_second_the_first_is_kept(self, copy, log):
        restore(copy, log._path, at=AT)
        assert refusal(restore, copy, log._path, at=AT) == "backup_unwritable"
        with closing(sqlite3.connect(log._path)) as db:
            assert db.execute("pragma journal_mode").fetchone() == ("wal",)

    def test_what_a_lost_file_has_left_is_not_taken_for_the_new_one(self, copy, log):
        log._path.with_name("gpusize.db-wal").write_bytes(b"of another file" * 1000)
        log._path.unlink()
        restore(copy, log._path, at=AT)
        assert questions(log._path) == ["first"]

    @pytest.mark.parametrize("harm", ["truncated", "overwritten", "foreign", "newer", "text"])
    def test_a_file_that_is_no_whole_copy_is_refused(self, copy, log, harm):
        codes = {"foreign": "log_not_a_log", "text": "log_not_a_log", "newer": "log_newer"}
        before = log._path.read_bytes()
        HARMS[harm](copy)
        assert refusal(restore, copy, log._path, at=AT) == codes.get(harm, "backup_broken")
        assert log._path.read_bytes() == before
        assert sorted(log._path.parent.glob("*part*")) == []


def overwrite(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)
    path.write_bytes(content)


def pragma(text):
    def change(path):
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"pragma {text}")

    return change


HARMS = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[: 5 * 4096]),
    "overwritten": overwrite,
    "foreign": pragma("application_id = 7"),
    "newer": pragma(f"user_version = {SCHEMA_VERSION + 1}"),
    "text": lambda path: path.write_text("GPUs to buy\n" * 100),
}
