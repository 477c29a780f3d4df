"""A person who is taken out of the log, and answers that are too old."""

from __future__ import annotations

import re
import sqlite3

import pytest

from bot.decisions.life import replayed
from bot.decisions.store import Sight, Wanted
from bot.errors import CodedError, StorageError
from bot.storage.sqlite import SqliteLog
from tests.bot.decisions.archives import filled, lines_of, opened
from tests.bot.decisions.conftest import BEN, TENANT

OWNER = Sight(tenant=None)
LATE = "9999-01-01T00:00:00.000Z"


@pytest.fixture
def log(tmp_path):
    """A file: the tests look into it."""
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def full(service, log):
    filled(service, log)
    with opened(log) as db:
        db.execute("insert into preferences values ('/T1', 'U0ANA', '{\"language\": \"es\"}')")
    log.first_seen("home:U0ANA")
    return service


def bytes_of(log):
    files = log._path.parent.glob(f"{log._path.name}*")
    return b"".join(path.read_bytes() for path in files)


class TestForget:
    def test_no_byte_of_the_name_is_left(self, full, log):
        """`ana` as a word of its own: Spanish words and names of models may hold the letters."""
        named = re.compile(rb"u0ana|\bana\b", re.IGNORECASE)
        assert named.search(bytes_of(log))
        log.forget("U0ANA", team_id="T1")
        assert not named.search(bytes_of(log))

    def test_it_says_where_the_person_stood(self, full, log):
        """Two actions of hers, a title that names her, her tick, measurement and settings."""
        told = log.forget("U0ANA")
        assert re.fullmatch("person-[0-9a-f]{8}", told.pseudonym)
        assert (told.ticks, told.actuals, told.preferences) == (1, 1, 1)
        assert told.events == 3

    def test_what_happened_stays(self, full, log):
        before = log.events_of(1, OWNER)
        told = log.forget("U0ANA")
        after = log.events_of(1, OWNER)
        kept = [(one.sequence, one.at, one.action, one.answer_hash) for one in before]
        assert [(one.sequence, one.at, one.action, one.answer_hash) for one in after] == kept
        assert (after[2].user_id, after[2].user_name) == (told.pseudonym, told.pseudonym)
        assert log.get_decision(1, OWNER) == replayed(after)
        assert log.get_decision(2, OWNER).approvals == (told.pseudonym,)
        assert log.get_decision(1, OWNER).title == f"Two cards for {told.pseudonym}"

    def test_words_find_the_pseudonym_and_not_the_name(self, full, log):
        told = log.forget("U0ANA")
        number = told.pseudonym.removeprefix("person-")
        assert [one.number for one in log.find_decisions(Wanted(text="ana"), OWNER)] == []
        assert [one.number for one in log.find_decisions(Wanted(text=number), OWNER)] == [2, 1]

    def test_the_lines_are_still_whole(self, full, log, tmp_path):
        from bot.archive.reading import read_lines

        log.forget("U0ANA")
        other = SqliteLog(tmp_path / "other.db")
        assert other.absorb(read_lines(lines_of(full))).decisions == 3
        other.close()

    def test_other_workspaces_keep_theirs(self, full, log):
        with pytest.raises(CodedError, match="forget_unknown"):
            log.forget("U0ANA", team_id="T2")
        assert log.get_decision(2, OWNER).approvals == ("U0ANA",)

    def test_rows_can_still_not_be_changed(self, full, log):
        log.forget("U0ANA")
        for table in ("answers", "ticks", "decision_events", "actuals"):
            with opened(log) as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(f"delete from {table}")  # noqa: S608

    def test_of_a_failure_half_way_nothing_is_left(self, full, log, monkeypatch):
        before = lines_of(full)
        monkeypatch.setattr("bot.storage.forgetting.put_events", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            log.forget("U0ANA")
        assert lines_of(full) == before
        with opened(log) as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute("delete from answers")

    def test_a_reader_in_the_way_is_said_and_a_second_try_helps(self, full, log):
        log._busy_s = 0.1
        with opened(log) as db:
            db.execute("begin")
            db.execute("select count(*) from answers").fetchone()
            with pytest.raises(StorageError, match="log_not_wiped"):
                log.forget("U0ANA")
        with pytest.raises(CodedError, match="forget_unknown"):
            log.forget("U0ANA")
        assert b"U0ANA" not in bytes_of(log)


class TestPrune:
    def test_only_answers_that_nothing_rests_on(self, full, log):
        """A-3 is free; A-4, the last one, keeps its number from being given again."""
        full.handle("llama-70b int4", BEN, None)
        told = log.prune(LATE)
        assert (told.answers, told.ticks, told.actuals) == (1, 0, 0)
        found = [one.id for one in log.list_answers(team_id=None)]
        assert found == ["A-4", "A-2", "A-1"]
        assert full.handle("llama-70b int8", BEN, None).answer_id == "A-5"

    def test_what_hangs_on_them_goes_along(self, full, log):
        full.handle("llama-70b int4", BEN, None)
        with opened(log) as db:
            db.execute(
                "insert into ticks (at, answer_id, item_id, follows, user_id, is_on) "
                "values ('2026', 3, 'gpu', 0, 'U0BEN', 1)"
            )
            db.execute("insert into threads values ('/T1', 'C1', '9.9', 'A-3')")
        assert log.prune(LATE).ticks == 1
        assert log.thread_subject(TENANT, "C1", "9.9") is None
        assert b"qwen2.5-7b" not in bytes_of(log)

    def test_younger_ones_stay(self, full, log):
        full.handle("llama-70b int4", BEN, None)
        assert log.prune("2020-01-01T00:00:00.000Z").answers == 0
