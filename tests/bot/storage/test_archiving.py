"""What every store does to a log as a whole: written out, read in, people and age taken out."""

from __future__ import annotations

import hashlib

import pytest

from bot.archive.archive import Archive
from bot.archive.lines import DecisionLine
from bot.archive.reading import read_lines
from bot.archive.store import Absorbed, Pruned
from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted
from bot.errors import CodedError, StorageError
from bot.storage import NewAnswer
from bot.ticks import TickClick

TENANT, OWNER = Tenant("T1"), Sight(tenant=None)
LATE = "9999-01-01T00:00:00.000Z"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def event(action, user, **values):
    return NewEvent(
        action=action, user_id=f"U0{user.upper()}", user_name=user, package_version="1", **values
    )


@pytest.fixture
def log(store):
    """Two decisions, one on each of two answers; a third answer that is free; a tick."""
    log = store.open()
    for question in ("7b", "13b é", "70b"):
        log.record_answer(
            NewAnswer(
                team_id="T1", user_id="U0ANA", user_name="ana", transport="slack", language="en",
                question=question, request_json="{}", answer_json='{"é":1}', package_version="1",
            )
        )  # fmt: skip
    for number, user in ((1, "ana"), (2, "ben")):
        details = Details(title=f"For {user}", rules=Rules(users=("U0ANA",)), team_id="T1")
        hashes = {"request_hash": sha256("{}"), "answer_hash": sha256('{"é":1}')}
        saved = event(Action.SAVE, user, answer_id=f"A-{number}", details=details, **hashes)
        log.begin_decision(TENANT, saved)
    log.add_event(TENANT, 2, event(Action.PROPOSE, "ben"), follows=1)
    gpu = frozenset({"gpu"})
    log.record_ticks(TickClick(answer_id="A-1", items=gpu, chosen=gpu, seen=0, user_id="U0BEN"))
    yield log
    log.close()


def written(log):
    decisions = log.find_decisions(Wanted(limit=100), OWNER)
    lines = [
        DecisionLine(decision=one, events=log.events_of(one.number, OWNER)) for one in decisions
    ]
    return Archive(tuple(lines), log.kept([1, 2])).content().splitlines(keepends=True)


@pytest.fixture
def other(store, tmp_path, request):
    """A second log of the same kind of store, empty."""
    url = store.url and request.getfixturevalue("postgres_url")
    other = type(store)(tmp_path / "other.db", url).open()
    yield other
    other.close()


def test_an_empty_log_becomes_identical(log, other):
    lines = written(log)
    counts = other.absorb(read_lines(lines))
    assert counts == Absorbed(answers=2, ticks=1, decisions=2, events=3)
    assert written(other) == lines
    assert other.absorb(read_lines(lines)) == Absorbed(known=5)
    found = other.find_decisions(Wanted(waiting_for=frozenset({"U0ANA"})), OWNER)
    assert [one.number for one in found] == [2]
    other.record_answer(NewAnswer(user_id="U1", transport="t", language="en", question="q",
                                  answer_json="{}", package_version="1"))  # fmt: skip
    assert other.list_answers(team_id=None)[0].id == "A-3"


def test_what_contradicts_it_is_refused_whole(log, other):
    lines = written(log)
    other.absorb(read_lines(lines[1:2]))
    with pytest.raises(CodedError) as caught:
        other.absorb(read_lines([lines[0], lines[1].replace(b"13b", b"14b"), *lines[2:]]))
    assert caught.value.values["names"] == ("A-2",)
    assert [one.id for one in other.list_answers(team_id=None)] == ["A-2"]


@pytest.mark.parametrize("line", [0, 3])
def test_a_text_that_not_every_store_takes_is_refused(log, other, line):
    """No log keeps NUL: a file that has one was not written by any."""
    lines = written(log)
    lines[line] = lines[line].replace(b'"ana"', rb'"a\u0000"')
    with pytest.raises(CodedError) as caught:
        other.absorb(read_lines(lines))
    assert caught.value.values["line"] == line + 1


def test_a_name_that_is_not_unicode_is_nobodys(log):
    with pytest.raises(CodedError, match="forget_unknown"):
        log.forget("\udcff")


def test_a_person_is_forgotten(log, store):
    before = written(log)
    told = log.forget("U0ANA", team_id="T1")
    assert (told.answers, told.ticks, told.events) == (3, 0, 2)
    after = b"".join(written(log))
    assert b"ana" not in after
    assert b"U0ANA" not in after
    assert after.count(told.pseudonym.encode()) == b"".join(before).lower().count(b"u0ana") + (
        b"".join(before).count(b'"ana"') + b"".join(before).count(b"For ana")
    )
    [waiting] = log.find_decisions(Wanted(waiting_for=frozenset({told.pseudonym})), OWNER)
    assert waiting.number == 2
    with pytest.raises(store.refusals):
        store.execute("delete from answers")


def test_a_failure_leaves_everything_as_it_was(log, store, monkeypatch):
    before = written(log)
    monkeypatch.setattr("bot.storage.forgetting.put_events", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        log.forget("U0ANA")
    assert written(log) == before
    with pytest.raises(store.refusals):
        store.execute("delete from answers")


def test_old_answers_that_nothing_rests_on_are_taken_out(log):
    """A-3 is free, and stays as long as it is the last one."""
    assert log.prune(LATE) == Pruned(answers=0, ticks=0, actuals=0)
    fourth = NewAnswer(user_id="U1", transport="t", language="en", question="q",
                       answer_json="{}", package_version="1")  # fmt: skip
    log.record_answer(fourth)
    assert log.prune("2000-01-01T00:00:00.000Z").answers == 0
    assert log.prune(LATE).answers == 1
    assert [one.id for one in log.list_answers(team_id=None)] == ["A-4", "A-2", "A-1"]


def test_a_tick_that_the_store_refuses_undoes_the_rest(log, other):
    lines = written(log)
    lines.insert(3, lines[2].replace(b'"tick","id":1', b'"tick","id":2'))
    with pytest.raises(StorageError):
        other.absorb(read_lines(lines))
    assert other.list_answers(team_id=None) == ()
