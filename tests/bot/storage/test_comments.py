"""Comments in each kind of store: in whatever order Slack tells of them, and taken out again."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from bot.archive.archive import Archive, answers_of
from bot.archive.lines import CommentLine, DecisionLine
from bot.archive.reading import read_lines
from bot.archive.store import Absorbed
from bot.decisions.records import Details, NewEvent, Rules, Tenant
from bot.decisions.states import Action
from bot.decisions.store import Sight, Wanted
from bot.errors import CodedError
from tests.bot.decisions.test_comments import comment

TENANT, OWNER = Tenant("T1"), Sight(tenant=None)
EDITED = {"edited_ts": "1796090500.000100"}
LATER = {"edited_ts": "1796090600.000100"}


@pytest.fixture
def log(store, clock):
    log = store.open(clock=clock)
    yield log
    log.close()


def texts(log, number: int = 1) -> list[str]:
    return [one.text for one in log.comments_of(number)]


def dropped(log, one) -> bool:
    return log.drop_comment(TENANT, one.channel_id, one.message_ts)


def test_comments_are_read_in_the_order_they_were_written(log) -> None:
    assert log.add_comment(comment("second", message_ts="1796090401.000100"))
    assert log.add_comment(comment("first é \N{PILE OF POO}"))
    assert log.add_comment(comment("elsewhere", decision_id=2, channel_id="C2"))
    assert log.add_comment(comment("of another workspace", tenant="/T2", decision_id=3))
    assert texts(log) == ["first é \N{PILE OF POO}", "second"]
    assert log.comments_of(1)[0] == comment("first é \N{PILE OF POO}")
    assert log.comments_of(9) == ()


def test_the_same_one_again_is_not_kept_again(log, clock) -> None:
    assert log.add_comment(comment("once"))
    assert not log.add_comment(comment("once"))
    # Also when the delivery is no longer remembered.
    clock.now += timedelta(days=3)
    assert not log.add_comment(comment("once"))
    assert texts(log) == ["once"]


def test_only_the_latest_change_counts(log) -> None:
    log.add_comment(comment("a"))
    assert log.change_comment(comment("c", **LATER), adds=True)
    assert not log.change_comment(comment("b", **EDITED), adds=True)
    assert not log.change_comment(comment("c", **LATER), adds=True)
    assert texts(log) == ["c"]


def test_what_was_never_heard_of_is_only_changed_where_comments_are_kept(log) -> None:
    assert not log.change_comment(comment("b", **EDITED), adds=False)
    assert texts(log) == []
    assert log.change_comment(comment("b", **EDITED), adds=True)
    assert texts(log) == ["b"]


def test_a_change_of_an_old_message_makes_no_comment_of_it(log, clock) -> None:
    """A day after it was written nobody can tell whether it was deleted meanwhile."""
    clock.now = datetime(2026, 12, 2, 2, 0, tzinfo=UTC)
    assert not log.change_comment(comment("b", **EDITED), adds=True)
    clock.now -= timedelta(milliseconds=1)
    assert log.change_comment(comment("b", **EDITED), adds=True)
    clock.now += timedelta(days=30)
    assert log.change_comment(comment("c", **LATER), adds=True)
    assert texts(log) == ["c"]


def test_in_whatever_order_slack_tells_a_deleted_one_is_gone(log) -> None:
    """Four deliveries about one message, in all orders, each twice in a row."""
    for number, order in enumerate(permutations(range(4))):
        place = {"message_ts": f"17960{number:05}.000100"}
        one = comment("a", **place)
        steps = [
            lambda one=one: log.add_comment(one),
            lambda place=place: log.change_comment(comment("b", **place, **EDITED), adds=True),
            lambda place=place: log.change_comment(comment("c", **place, **LATER), adds=True),
            lambda one=one: dropped(log, one),
        ]
        for step in order:
            steps[step]()
            steps[step]()
        assert texts(log) == [], order


def test_in_whatever_order_slack_tells_the_last_words_stand(log) -> None:
    for number, order in enumerate(permutations(range(3))):
        place = {"message_ts": f"17960{number:05}.000100", "decision_id": 10 + number}
        steps = [
            lambda place=place: log.add_comment(comment("a", **place)),
            lambda place=place: log.change_comment(comment("b", **place, **EDITED), adds=True),
            lambda place=place: log.change_comment(comment("c", **place, **LATER), adds=True),
        ]
        for step in order:
            steps[step]()
        assert texts(log, 10 + number) == ["c"], order


def test_of_many_at_once_one_is_kept(log) -> None:
    barrier, kept = threading.Barrier(6), []

    def add() -> None:
        barrier.wait()
        kept.append(log.add_comment(comment("once")))

    threads = [threading.Thread(target=add) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(kept) == [False] * 5 + [True]
    assert texts(log) == ["once"]


def test_dropping_touches_no_other(log) -> None:
    one = comment("gone")
    log.add_comment(one)
    log.add_comment(comment("same moment, other place", channel_id="C2"))
    log.add_comment(comment("same place, other workspace", tenant="/T2"))
    assert dropped(log, one)
    assert not dropped(log, one)
    assert sorted(texts(log)) == ["same moment, other place", "same place, other workspace"]


def test_forgetting_somebody_takes_their_comments_out(log) -> None:
    log.add_comment(comment("I, ana, think so"))
    log.add_comment(
        comment("as <@U0ANA|ana> says", user_id="U0BEN", user_name="ben", message_ts="2.5")
    )
    log.add_comment(comment("of another workspace", tenant="/T2", channel_id="C9"))
    told = log.forget("U0ANA", team_id="T1")
    assert told.comments == 2
    other, kept = log.comments_of(1)
    assert other.text == "of another workspace"
    assert kept.text == f"as <@{told.pseudonym}|{told.pseudonym}> says"
    assert kept.user_name == "ben"
    with pytest.raises(CodedError, match="forget_unknown"):
        log.forget("U0ANA", team_id="T1")
    assert log.forget("U0ANA").comments == 1
    assert len(texts(log)) == 1


def decided(log) -> None:
    details = Details(title="Two cards", rules=Rules(users=("U0BEN",)), team_id="T1")
    saved = NewEvent(action=Action.SAVE, user_id="U0ANA", package_version="1", details=details)
    log.begin_decision(TENANT, saved)


def written(log) -> list[bytes]:
    lines = [
        DecisionLine(decision=one, events=log.events_of(one.number, OWNER))
        for one in log.find_decisions(Wanted(), OWNER)
    ]
    comments = [
        CommentLine(**dict(one)) for line in lines for one in log.comments_of(line.decision.number)
    ]
    archive = Archive(tuple(lines), log.kept(answers_of(lines)), tuple(comments))
    return archive.content().splitlines(keepends=True)


@pytest.fixture
def other(store, tmp_path, request):
    url = store.url and request.getfixturevalue("postgres_url")
    other = type(store)(tmp_path / "other.db", url).open()
    yield other
    other.close()


def test_they_come_along_with_their_decision(log, other) -> None:
    decided(log)
    log.add_comment(comment("first", **EDITED))
    log.add_comment(comment("second", message_ts="1796090401.000100"))
    lines = written(log)
    assert [b'"kind":"comment"' in line for line in lines] == [False, True, True]
    read = read_lines([*lines, lines[-1]])
    assert other.absorb(read, dry_run=True).comments == 2
    assert other.absorb(read) == Absorbed(decisions=1, events=1, comments=2, known=1)
    assert written(other) == lines


def test_what_was_deleted_since_does_not_come_back(log) -> None:
    decided(log)
    log.add_comment(comment("gone"))
    lines = written(log)
    dropped(log, comment("gone"))
    assert log.absorb(read_lines(lines)) == Absorbed(known=2)
    assert texts(log) == []


def test_a_comment_on_nothing_is_refused(log, other) -> None:
    decided(log)
    log.add_comment(comment("on what?"))
    with pytest.raises(CodedError) as caught:
        other.absorb(read_lines(written(log)[1:]))
    assert (caught.value.code, caught.value.values["answer"]) == ("import_lacks", "D-1")
