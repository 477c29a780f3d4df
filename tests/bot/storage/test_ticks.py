"""Ticks of a checklist in real stores: by several people, threads and processes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.storage import NewAnswer
from bot.ticks import TickClick, changes_of, last_number, shown_ticks

ANSWER = NewAnswer(
    user_id="U1", transport="slack", language="en", question="spec", package_version="9.9.9"
)
GROUP = frozenset({"circuits", "outlets", "ups"})


class Ticking:
    """Clock that goes on by a minute with each look."""

    def __init__(self):
        self.now = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
def log(store):
    log = store.open(clock=Ticking())
    log.record_answer(ANSWER)
    yield log
    log.close()


def click(*chosen, seen=0, user="U1", answer="A-1", items=GROUP):
    return TickClick(
        answer_id=answer, items=items, chosen=frozenset(chosen), seen=seen, user_id=user,
        user_name=f"name of {user}",
    )  # fmt: skip


def test_a_tick_says_who_and_when(log):
    (tick,) = log.record_ticks(click("circuits"))
    # The clock went on once for the answer and once for the tick.
    assert (tick.item_id, tick.is_on, tick.at) == ("circuits", True, "2026-11-30T09:32:00.000Z")
    assert (tick.user_id, tick.user_name) == ("U1", "name of U1")
    assert log.ticks_of("A-1") == (tick,)


def test_a_name_that_is_not_unicode_is_kept_readable(log):
    odd = replace(click("ups"), user_name="ana \ud800")
    assert log.record_ticks(odd)[0].user_name == "ana ?"


def test_the_same_click_twice_changes_nothing_more(log):
    first = log.record_ticks(click("circuits"))
    assert log.record_ticks(click("circuits")) == first


def test_clearing_is_a_change_of_its_own(log):
    seen = last_number(log.record_ticks(click("circuits")))
    history = log.record_ticks(click(seen=seen, user="U2"))
    assert [(tick.item_id, tick.is_on, tick.user_id) for tick in history] == [
        ("circuits", True, "U1"),
        ("circuits", False, "U2"),
    ]
    assert shown_ticks(history) == {}


def test_two_people_who_click_at_once_keep_each_others_ticks(log):
    """Both screens were drawn empty: the second one does not show the first one's tick."""
    log.record_ticks(click("circuits", user="U1"))
    history = log.record_ticks(click("ups", user="U2"))
    assert shown_ticks(history).keys() == {"circuits", "ups"}


def test_a_click_about_a_state_that_is_gone_changes_nothing(log):
    """U2 saw it ticked; U1 cleared and U3 ticked it since: U2's clearing is of the old tick."""
    seen = last_number(log.record_ticks(click("ups")))
    again = last_number(log.record_ticks(click(seen=seen)))
    history = log.record_ticks(click("ups", seen=again, user="U3"))
    assert log.record_ticks(click(seen=seen, user="U2")) == history


def test_a_fast_hand_may_change_its_mind_before_the_screen_is_drawn_again(log):
    log.record_ticks(click("ups"))
    history = log.record_ticks(click())
    assert [tick.is_on for tick in history] == [True, False]


def test_items_of_other_groups_are_left_alone(log):
    seen = last_number(log.record_ticks(click("circuits")))
    others = frozenset({"heat", "inlet"})
    history = log.record_ticks(click("heat", seen=seen, items=others))
    assert shown_ticks(history).keys() == {"circuits", "heat"}


def test_a_box_that_the_group_does_not_show_is_no_change(log):
    assert log.record_ticks(click("not_in_the_group")) == ()


def test_checklists_of_other_answers_are_apart(log):
    log.record_answer(ANSWER)
    log.record_ticks(click("ups", answer="A-2"))
    assert log.ticks_of("A-1") == ()
    assert len(log.ticks_of("a-2")) == 1


@pytest.mark.parametrize("answer", ["A-9", "D-1", "", "1 or 1=1"])
def test_what_is_no_answer_has_no_ticks(log, answer):
    assert log.record_ticks(click("ups", answer=answer)) == ()
    assert log.ticks_of(answer) == ()


def test_ticks_are_never_rewritten(log, store):
    log.record_ticks(click("ups"))
    for statement in ("update ticks set is_on = not is_on", "delete from ticks"):
        with pytest.raises(store.refusals, match="append-only"):
            store.execute(statement)


def test_two_changes_never_follow_the_same_one(log, store):
    """What the code promises, the store enforces: a writer without the code is refused as well."""
    log.record_ticks(click("ups"))
    with pytest.raises(store.refusals, match=r"(?i)unique"):
        store.execute(
            "insert into ticks (id, at, answer_id, item_id, follows, user_id, is_on) "
            "select 99, at, answer_id, item_id, follows, 'U2', is_on from ticks"
        )


def test_many_threads_tick_the_same_box_once(log):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: log.record_ticks(click("ups", user=f"U{n}")), range(40)))
    assert len(log.ticks_of("A-1")) == 1


PROGRAM = """
from bot.ticks import TickClick
log = opened()
sys.stdin.readline()
for item in ("circuits", "outlets", "ups"):
    log.record_ticks(TickClick(answer_id="A-1", items=frozenset({item}), chosen=frozenset({item}),
                               seen=0, user_id=sys.argv[3]))
log.close()
"""


def test_processes_tick_each_box_once(log, store):
    workers = [store.run(PROGRAM, f"U{number}") for number in range(3)]
    for worker in workers:
        worker.stdin.write("\n")
        worker.stdin.flush()
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
    for worker in workers:
        worker.communicate()
    history = log.ticks_of("A-1")
    assert sorted(tick.item_id for tick in history) == ["circuits", "outlets", "ups"]
    assert [tick.number for tick in history] == [1, 2, 3]


def test_changes_are_worked_out_without_a_log():
    assert changes_of(click("ups", "circuits"), ()) == {"circuits": True, "ups": True}
    assert changes_of(click(), ()) == {}
