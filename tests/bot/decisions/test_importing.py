"""Lines of a log read into another one: identical, or refused whole."""

from __future__ import annotations

import json
import sqlite3

import pytest

from bot.archive.reading import read_lines
from bot.archive.store import Absorbed
from bot.decisions.store import Sight, Wanted
from bot.errors import CodedError
from bot.render import Renderer
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from tests.bot.decisions.archives import filled, lines_of, opened
from tests.bot.decisions.conftest import BEN

TABLES = ("decisions", "decision_events", "decision_people", "decision_models", "answers", "ticks",
           "actuals")  # fmt: skip
OWNER = Sight(tenant=None)


@pytest.fixture
def log(tmp_path):
    """A file: the tests look into it."""
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def lines(service, log):
    filled(service, log)
    return lines_of(service)


@pytest.fixture
def other(tmp_path):
    other = SqliteLog(tmp_path / "other.db")
    yield other
    other.close()


def rows(log, table):
    with opened(log) as db:
        return db.execute(f"select * from {table} order by 1, 2").fetchall()  # noqa: S608


def absorb(log, lines, **how):
    return log.absorb(read_lines(lines), **how)


def edited(line, **changes):
    return json.dumps(json.loads(line) | changes).encode()


def refusal(log, lines):
    before = {table: rows(log, table) for table in TABLES}
    with pytest.raises(CodedError) as caught:
        absorb(log, lines)
    assert {table: rows(log, table) for table in TABLES} == before
    return caught.value


def test_an_empty_log_becomes_identical(lines, other, catalogue, log):
    assert absorb(other, lines) == Absorbed(
        answers=2, ticks=1, decisions=3, events=7, actuals=1, known=0
    )
    assert lines_of(Service(catalogue, other, Renderer(catalogue))) == lines
    for table in ("decisions", "decision_events", "decision_people", "decision_models"):
        assert rows(other, table) == rows(log, table)


def test_words_find_what_was_imported(lines, other):
    absorb(other, lines)
    assert [one.number for one in other.find_decisions(Wanted(text="64k"), OWNER)] == [1]


def test_the_next_ones_go_on_from_the_highest_number(lines, other, catalogue):
    absorb(other, lines)
    service = Service(catalogue, other, Renderer(catalogue))
    assert service.handle("llama-13b int8", BEN, None).answer_id == "A-3"
    assert service.handle("save A-3", BEN, None).decision.number == 4


def test_twice_is_once(lines, other):
    absorb(other, lines)
    assert absorb(other, lines) == Absorbed(known=7)
    assert absorb(other, lines + lines) == Absorbed(known=14)


def test_a_log_that_has_gone_on_keeps_its_events(lines, service, log):
    service.handle("withdraw D-1", BEN, None)
    assert absorb(log, lines).events == 0
    assert log.get_decision(1, OWNER).state == "withdrawn"


def test_a_file_that_has_gone_on_adds_its_events(lines, service, other):
    absorb(other, lines)
    service.handle("withdraw D-1", BEN, None)
    added = absorb(other, lines_of(service))
    assert (added.decisions, added.events) == (0, 1)
    assert other.get_decision(1, OWNER).state == "withdrawn"


def test_a_dry_run_writes_nothing(lines, other):
    assert absorb(other, lines, dry_run=True).decisions == 3
    assert rows(other, "decisions") == rows(other, "answers") == []


@pytest.mark.parametrize(
    ("place", "changes", "name"),
    [
        (0, {"question": "another"}, "A-1"),
        (2, {"is_on": False}, "tick 1"),
        (6, {"note": "x"}, "actual 1"),
    ],
)
def test_other_content_under_the_same_number_is_refused_whole(lines, log, place, changes, name):
    error = refusal(log, [edited(lines[place], **changes)])
    assert (error.code, error.values["names"]) == ("import_clash", (name,))


def test_another_decision_under_the_same_number_is_refused_whole(lines, other, catalogue):
    service = Service(catalogue, other, Renderer(catalogue))
    for text in ("llama-13b int8", "save A-1 mine"):
        service.handle(text, BEN, None)
    error = refusal(other, lines)
    assert error.values["names"] == ("A-1", "D-1")


BROKEN = [
    (0, b"{", "import_not_json"),
    (0, b"[]", "import_not_json"),
    (0, b'{"schema":"gpusize-log/1","kind":"dog"}', "import_malformed"),
    (0, b'{"schema":"gpusize-log/1","kind":"answer"}', "import_malformed"),
    (0, b'{"schema":"gpusize-log/2","kind":"answer"}', "import_newer"),
    (0, b'{"schema":"gpusize/1"}', "import_not_ours"),
    (0, b"\xff\xfe", "import_not_json"),
    (0, b"Decision,State,Title", "import_not_json"),
    (0, b"PK\x03\x04\x14\x00", "import_not_json"),
    (0, b'{"schema":"gpusize-log/1","kind":"\\u0000"}', "import_nul"),
    (6, b'{"schema":"gpusize-log/1","kind":"answer","id":', "import_not_json"),
]


@pytest.mark.parametrize(("place", "text", "code"), BROKEN)
def test_a_broken_line_is_refused_with_its_number(lines, other, place, text, code):
    lines[place] = text
    error = refusal(other, lines)
    assert (error.code, error.values["line"]) == (code, place + 1)


class TestWholeness:
    def decision(self, lines):
        return json.loads(lines[3])

    def test_events_that_do_not_add_up(self, lines, other):
        told = self.decision(lines)
        told["decision"]["state"] = "approved"
        lines[3] = json.dumps(told).encode()
        assert refusal(other, lines).values == {"line": 4, "decision": "D-1"}

    def test_a_missing_event(self, lines, other):
        told = self.decision(lines)
        del told["events"][1]
        lines[3] = json.dumps(told).encode()
        assert refusal(other, lines).code == "import_order"

    @pytest.mark.parametrize("name", ["answer_json", "request_json"])
    def test_an_answer_that_was_changed(self, lines, other, name):
        text = json.loads(lines[0])[name]
        lines[0] = edited(lines[0], **{name: text.replace("13", "14", 1)})
        error = refusal(other, lines)
        assert (error.code, error.values["line"]) == ("import_hash", 4)

    def test_an_answer_that_is_nowhere(self, lines, other):
        error = refusal(other, lines[1:])
        assert error.code == "import_lacks"
        assert error.values["answer"] == "A-1"


def test_a_row_that_the_database_refuses_undoes_the_rest(lines, other):
    """Two ticks that follow the same one: the key of the table refuses the second."""
    lines.insert(3, edited(lines[2], id=2))
    with pytest.raises(CodedError) as caught:
        absorb(other, lines)
    assert isinstance(caught.value.__cause__, sqlite3.IntegrityError)
    assert rows(other, "answers") == []
