"""What the log promises, kept on real files, by threads and by processes."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.errors import StorageError
from bot.storage import NewAnswer, answer_number
from bot.storage.sqlite import SqliteLog

ROOT = Path(__file__).parents[3]
START = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
ANSWER = NewAnswer(
    team_id="T1",
    user_id="U1",
    user_name="ana",
    channel_id="C1",
    transport="socket",
    language="es",
    question="llama-13b int8",
    request_json='{"model_id":"llama-13b"}',
    answer_json='{"schema":"gpusize/1"}',
    package_version="0.1.0",
    catalogue_digest="0123456789abcdef",
)


class FakeClock:
    """Clock that a test moves."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def log(tmp_path, clock):
    log = SqliteLog(tmp_path / "new" / "folder" / "gpusize.db", clock=clock)
    yield log
    log.close()


def _run(code, path):
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


PREAMBLE = """
import os, sys
from pathlib import Path
import bot.migrations
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog
path = Path(sys.argv[1])
def answer(text):
    return NewAnswer(user_id="U1", transport="terminal", language="en", question=text,
                     answer_json="{}", package_version="0.1.0")
"""


class TestAnswers:
    def test_ids_count_up_from_one(self, log):
        assert [log.record_answer(ANSWER) for _ in range(11)] == [f"A-{n}" for n in range(1, 12)]

    @pytest.mark.parametrize("typed", ["A-1", "a-1", "1", " a1 "])
    def test_an_answer_comes_back_as_it_was_recorded(self, log, typed):
        log.record_answer(ANSWER)
        found = log.get_answer(typed, team_id="T1")
        assert (found.id, found.at) == ("A-1", "2026-11-30T09:30:00.000Z")
        assert {name: getattr(found, name) for name in vars(ANSWER)} == vars(ANSWER)

    @pytest.mark.parametrize("typed", ["A-2", "A-01", "0", "-1", "D-1", "", "1 or 1=1", "9" * 40])
    def test_what_is_no_answer_of_ours_is_none(self, log, typed):
        log.record_answer(ANSWER)
        assert log.get_answer(typed, team_id="T1") is None

    def test_a_workspace_never_sees_another_one(self, log):
        log.record_answer(ANSWER)
        assert log.get_answer("A-1", team_id="T2") is None
        assert log.list_answers(team_id="T2") == ()
        assert log.get_answer("A-1", team_id=None).id == "A-1"

    def test_answers_are_never_changed(self, log, tmp_path):
        log.record_answer(ANSWER)
        with sqlite3.connect(tmp_path / "new" / "folder" / "gpusize.db") as other:
            for statement in ("update answers set question = 'x'", "delete from answers"):
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    other.execute(statement)
        other.close()

    def test_text_that_is_not_unicode_is_kept_readable(self, log):
        """A terminal hands undecodable bytes over as lone surrogates, which SQLite refuses."""
        log.record_answer(replace(ANSWER, question="llama \udcff <!channel> 'ñ'"))
        assert log.get_answer("1", team_id="T1").question == "llama ? <!channel> 'ñ'"


class TestList:
    @pytest.fixture(autouse=True)
    def _answers(self, log):
        for question, model, user in [
            ("llama-13b int8", "llama-13b", "U1"),
            ("7b en 100% fp8", None, "U2"),
            ("Mixtral", "mixtral-8x7b", "U1"),
        ]:
            request = f'{{"model_id":"{model}"}}' if model else "{}"
            log.record_answer(
                replace(ANSWER, question=question, request_json=request, user_id=user)
            )
        log.record_answer(replace(ANSWER, answer_json=None, error_code="unknown_model"))

    @pytest.mark.parametrize(
        ("asked", "ids"),
        [
            ({}, ["A-3", "A-2", "A-1"]),
            ({"limit": 2}, ["A-3", "A-2"]),
            ({"limit": 2, "offset": 2}, ["A-1"]),
            ({"user": "U2"}, ["A-2"]),
            ({"query": "LLAMA"}, ["A-1"]),
            ({"query": "int8 llama"}, ["A-1"]),
            ({"query": "8x7b"}, ["A-3"]),
            ({"query": "100%"}, ["A-2"]),
            ({"query": "1%8"}, []),
            ({"query": "llama_13b"}, []),
            ({"query": "' or 1=1 --"}, []),
            # The same word many times is one word; of many words the first 20 count.
            ({"query": "llama " * 2000}, ["A-1"]),
            ({"query": " ".join(["8x7b"] + ["i" * n for n in range(1, 1100)])}, []),
        ],
    )
    def test_list(self, log, asked, ids):
        """Newest first; errors are kept but not listed; wildcards of SQL are ordinary letters."""
        assert [found.id for found in log.list_answers(team_id="T1", **asked)] == ids

    def test_an_error_is_kept_with_its_code(self, log):
        assert log.get_answer("A-4", team_id="T1").error_code == "unknown_model"


class TestSeen:
    def test_a_delivery_is_new_once(self, log):
        assert [log.first_seen("event:Ev1") for _ in range(3)] == [True, False, False]
        assert log.first_seen("event:Ev2")

    def test_it_is_new_again_when_its_window_is_over(self, log, clock):
        log.first_seen("press", window_s=10)
        clock.now = START + timedelta(seconds=9.999)
        assert not log.first_seen("press", window_s=10)
        clock.now = START + timedelta(seconds=10)
        assert log.first_seen("press", window_s=10)

    def test_old_deliveries_are_purged(self, log, clock, tmp_path):
        for number in range(5):
            log.first_seen(f"event:{number}")
        clock.now = START + timedelta(hours=24)
        log.first_seen("event:5")
        with sqlite3.connect(tmp_path / "new" / "folder" / "gpusize.db") as other:
            assert other.execute("select key from seen").fetchall() == [("event:5",)]
        other.close()

    def test_a_released_delivery_is_tried_again(self, log):
        log.first_seen("event:Ev1")
        log.release_seen("event:Ev1")
        assert log.first_seen("event:Ev1")

    def test_of_many_threads_one_is_first(self, log):
        with ThreadPoolExecutor(16) as pool:
            firsts = list(pool.map(lambda _: log.first_seen("event:Ev1"), range(64)))
        assert sum(firsts) == 1


class TestTogether:
    def test_a_crash_right_after_the_reply_loses_nothing(self, tmp_path):
        path = tmp_path / "gpusize.db"
        crash = (
            PREAMBLE + "print(SqliteLog(path).record_answer(answer('x')), flush=True)\nos._exit(9)"
        )
        child = _run(crash, path)
        assert child.communicate(timeout=30)[0] == "A-1\n"
        assert child.returncode == 9
        log = SqliteLog(path)
        assert log.get_answer("A-1", team_id=None).question == "x"
        log.close()

    def test_a_crash_in_the_middle_of_a_write_leaves_no_half(self, tmp_path):
        path = tmp_path / "gpusize.db"
        crash = PREAMBLE + (
            "log = SqliteLog(path)\nwith log.together():\n    log.first_seen('k')\n    os._exit(9)"
        )
        child = _run(crash, path)
        assert child.communicate(timeout=30) == ("", None)
        assert child.returncode == 9
        log = SqliteLog(path)
        assert log.first_seen("k")
        log.close()

    def test_processes_that_open_and_write_at_once_lose_nothing(self, tmp_path):
        """Four processes make the same new file and write 100 answers each."""
        path = tmp_path / "gpusize.db"
        write = PREAMBLE + (
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            "log = SqliteLog(path)\n"
            "for n in range(100):\n"
            "    print(log.record_answer(answer(f'{os.getpid()} {n}')))\n"
        )
        children = [_run(write, path) for _ in range(4)]
        assert [child.stdout.readline() for child in children] == ["ready\n"] * 4
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        ids = [line for child in children for line in child.communicate(timeout=60)[0].split()]
        assert [child.returncode for child in children] == [0, 0, 0, 0]
        assert sorted(map(answer_number, ids)) == list(range(1, 401))
        log = SqliteLog(path)
        kept = log.list_answers(team_id=None, limit=1000)
        assert {answer.question for answer in kept} == {
            f"{child.pid} {n}" for child in children for n in range(100)
        }
        log.close()

    def test_threads_share_one_log(self, log):
        with ThreadPoolExecutor(16) as pool:
            ids = list(pool.map(lambda _: log.record_answer(ANSWER), range(200)))
        assert sorted(map(answer_number, ids)) == list(range(1, 201))

    def test_a_file_that_stays_locked_is_named(self, tmp_path):
        path = tmp_path / "gpusize.db"
        log = SqliteLog(path, busy_s=0.05)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("begin immediate")
        with pytest.raises(StorageError) as caught:
            log.record_answer(ANSWER)
        other.close()
        assert (caught.value.code, caught.value.values["path"]) == ("log_busy", str(path))
        assert log.record_answer(ANSWER) == "A-1"
        log.close()


def test_private_answers_are_for_their_asker(tmp_path):
    log = SqliteLog(tmp_path / "gpusize.db")
    private = log.record_answer(replace(ANSWER, user_id="U1", is_private=True))
    public = log.record_answer(replace(ANSWER, user_id="U1"))
    for viewer, seen in (("U1", [public, private]), ("U2", [public]), (None, [public, private])):
        found = log.list_answers(team_id=ANSWER.team_id, viewer=viewer, channel="C1")
        assert [answer.id for answer in found] == seen
    assert log.get_answer(private, team_id=ANSWER.team_id, viewer="U2", channel="C1") is None
    assert log.get_answer(private, team_id=ANSWER.team_id, viewer="U1").is_private
    log.close()


@pytest.mark.parametrize(
    ("viewer", "channel", "sees"),
    [
        ("U1", "C1", True),
        ("U1", "C2", True),
        ("U1", None, True),
        ("U2", "C1", True),
        ("U2", "C2", False),
        ("U2", None, False),
        (None, None, True),
    ],
)
def test_others_see_an_answer_in_its_channel_alone(log, viewer, channel, sees):
    log.record_answer(ANSWER)
    place = {"team_id": "T1", "viewer": viewer, "channel": channel}
    assert (log.get_answer("A-1", **place) is not None) is sees
    assert (len(log.list_answers(**place)) == 1) is sees


@pytest.mark.parametrize(
    ("team", "enterprise", "viewer", "ids"),
    [
        ("T1", None, "U1", ["A-1"]),
        ("T1", "E1", "U1", ["A-1"]),
        (None, "E1", "U1", ["A-2"]),
        (None, "E2", "U1", []),
        (None, None, "U1", ["A-3"]),
        (None, None, None, ["A-3", "A-2", "A-1"]),
    ],
)
def test_without_a_workspace_only_the_owner_sees_all(log, team, enterprise, viewer, ids):
    log.record_answer(ANSWER)
    log.record_answer(replace(ANSWER, team_id=None, enterprise_id="E1"))
    log.record_answer(replace(ANSWER, team_id=None))
    place = {"team_id": team, "enterprise_id": enterprise, "viewer": viewer, "channel": "C1"}
    assert [found.id for found in log.list_answers(**place)] == ids
    for number in ("A-1", "A-2", "A-3"):
        assert (log.get_answer(number, **place) is not None) is (number in ids)
