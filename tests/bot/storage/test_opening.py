"""What happens when the log's file is missing, old, newer, or somebody else's."""

import sqlite3
from pathlib import Path
from threading import Timer

import pytest
from sqlite_utils import Database

from bot.errors import StorageError
from bot.log_schema import SCHEMA_VERSION
from bot.migrations import LOG_MIGRATIONS
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog

SNAPSHOTS = sorted((Path(__file__).parent / "schemas").glob("*.sql"))
ANSWER = NewAnswer(
    user_id="U1", transport="terminal", language="en", question="7b", package_version="9.9.9"
)


def _schema(path):
    with sqlite3.connect(path) as db:
        rows = db.execute("select type, name, sql from sqlite_master order by name").fetchall()
        pragmas = [
            db.execute(f"pragma {name}").fetchone()[0]
            for name in ("application_id", "user_version", "journal_mode")
        ]
    db.close()
    return rows, pragmas


def _refusal(path):
    with pytest.raises(StorageError) as caught:
        SqliteLog(path)
    assert caught.value.values["path"] == str(path)
    return caught.value.code


@pytest.fixture
def fresh(tmp_path):
    path = tmp_path / "fresh.db"
    SqliteLog(path).close()
    return path


def test_a_new_file_is_private_and_written_ahead(fresh):
    assert fresh.stat().st_mode & 0o777 == 0o600
    assert _schema(fresh)[1] == [0x67707573, 6, "wal"]


def test_a_commit_waits_for_the_disk(fresh):
    log = SqliteLog(fresh)
    full = 2
    assert log._connection.execute("pragma synchronous").fetchone() == (full,)
    log.close()


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.stem)
def test_every_released_log_opens(snapshot, fresh, tmp_path):
    """A released schema is brought to today's, its answers are read, and new ones are added."""
    path = tmp_path / "old.db"
    old = sqlite3.connect(path)
    old.executescript(snapshot.read_text(encoding="utf-8"))
    old.execute("pragma journal_mode = wal")
    old.close()
    log = SqliteLog(path)
    assert log.get_answer("A-1", team_id="T1").question == "llama-13b int8"
    assert log.record_answer(ANSWER) == "A-2"
    log.close()
    assert _schema(path) == _schema(fresh)


def test_the_released_steps_are_what_they_were():
    """Names recorded in databases in use; new ones are added at the end."""
    with Database(memory=True) as empty:
        steps = LOG_MIGRATIONS.pending(empty)
    released = ["001_answers", "002_answers_append_only", "003_seen"]
    assert [step.name for step in steps][: len(released)] == released
    assert len(steps) == SCHEMA_VERSION


def test_a_failed_step_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "gpusize.db"

    def broken(db):
        raise sqlite3.OperationalError("disk I/O error")

    steps = [*LOG_MIGRATIONS._migrations, LOG_MIGRATIONS._Migration("999_broken", broken)]
    monkeypatch.setattr(LOG_MIGRATIONS, "_migrations", steps)
    assert _refusal(path) == "log_unreadable"
    assert _schema(path)[0] == []


def test_a_file_being_made_by_another_process_is_waited_for(tmp_path):
    """Switching to the write-ahead log fails at once while another holds the file."""
    path = tmp_path / "gpusize.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("begin immediate")
    release = Timer(0.2, other.rollback)
    release.start()
    SqliteLog(path).close()
    release.join()
    other.close()
    assert _schema(path)[1] == [0x67707573, 6, "wal"]


def test_a_newer_log_is_left_alone(fresh):
    with sqlite3.connect(fresh) as db:
        db.execute(f"pragma user_version = {SCHEMA_VERSION + 1}")
    db.close()
    before = _schema(fresh)
    assert _refusal(fresh) == "log_newer"
    assert _schema(fresh) == before


def test_somebody_elses_database_is_left_alone(tmp_path):
    path = tmp_path / "places.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("create table bookmarks (url text)")
    db.close()
    before = path.read_bytes()
    assert _refusal(path) == "log_not_a_log"
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("GPUs to buy\n" * 100)
    assert _refusal(path) == "log_not_a_log"
    assert path.read_text() == "GPUs to buy\n" * 100


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path):
    assert _refusal(tmp_path) == "log_unreadable"


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "file").touch()
    assert _refusal(tmp_path / "file" / "gpusize.db") == "log_unreadable"
