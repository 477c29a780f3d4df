"""Writers that are killed, and a server that dies: what was acknowledged is there, once."""

import re
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.storage.stores import open_log
from tools.postgres_server import program
from tools.soak.check import UnkeptError, check
from tools.soak.warm import NOBODY, sample_answer
from tools.soak.writer import Kept, Place

ROOT = Path(__file__).parents[3]
ROUNDS = 15


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_acknowledged_is_lost(kind, request):
    """`make soak` does the same for longer; the seed of a round that fails is printed."""
    if kind == "postgres" and program("initdb") is None:
        request.getfixturevalue("postgres")
    done = subprocess.run(
        [sys.executable, "-m", "tools.soak", kind, "--rounds", str(ROUNDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    acknowledged = re.search(r"([0-9]+) events acknowledged", done.stdout)
    # Each writer has told of its first event before any is killed.
    assert int(acknowledged[1]) >= ROUNDS * 8


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path / "log.db", None)


@pytest.fixture
def log(place):
    with closing(open_log(place.path)) as log:
        yield log


class TestWhatTheCheckFinds:
    def test_an_answer_that_is_lost(self, place, log):
        sample_answer(log)
        lost = Kept("answer", "one more", (2,), 0.1)
        with pytest.raises(UnkeptError, match=r"one more was kept as \(2,\), is None"):
            check(place, log, [lost])

    def test_an_answer_under_another_number(self, place, log):
        sample = sample_answer(log)
        log.record_answer(replace(sample, question="second"))
        assert check(place, log, [Kept("answer", "second", (2,), 0.1)]) == 2
        with pytest.raises(UnkeptError, match="was kept as"):
            check(place, log, [Kept("answer", "second", (1,), 0.1)])

    def test_an_answer_that_stands_twice(self, place, log):
        log.record_answer(sample_answer(log))
        with pytest.raises(UnkeptError, match="stands 2 times"):
            check(place, log, [])

    def test_a_gap_between_numbers(self, place, log, execute):
        sample = sample_answer(log)
        log.record_answer(replace(sample, question="second"))
        execute("drop trigger answers_no_delete; delete from answers where id = 1")
        with pytest.raises(UnkeptError, match="numbers of answer have gaps"):
            check(place, log, [])

    def test_a_decision_that_is_not_what_its_events_say(self, place, log, execute):
        from bot.deciding import Deciding, Proposal
        from bot.history import History

        sample_answer(log)
        Deciding(History(log, ""), log).save("A-1", Proposal(title="Two cards"), NOBODY)
        check(place, log, [Kept("event", "Two cards", (1, 1), 0.1)])
        execute(
            "update decisions set decision_json = replace(decision_json, '\"draft\"', "
            "'\"approved\"')"
        )
        with pytest.raises(UnkeptError, match="D-1 is not what its 1 events lead to"):
            check(place, log, [])


@pytest.fixture
def execute(place):
    import sqlite3

    def run(script):
        with closing(sqlite3.connect(place.path)) as other:
            other.executescript(script)

    return run
