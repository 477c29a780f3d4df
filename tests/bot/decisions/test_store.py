"""What both stores promise about decisions, and what a writer without our code gets to hear."""

from __future__ import annotations

from dataclasses import replace

from bot.decisions.life import replayed
from bot.decisions.records import Details, Rules, Tenant
from bot.decisions.states import Action, State
from bot.decisions.store import Sight, Wanted
from tests.bot.decisions.conftest import TENANT, event, first

ALL = Sight(tenant=None)
OTHER = Tenant("T2")


def test_numbers_follow_each_other_across_workspaces(log) -> None:
    numbers = [log.begin_decision(tenant, first()).number for tenant in (TENANT, OTHER, TENANT)]
    assert numbers == [1, 2, 3]
    assert [one.number for one in log.find_decisions(Wanted(), ALL)] == [3, 2, 1]
    assert [one.number for one in log.find_decisions(Wanted(), Sight(tenant=OTHER))] == [2]


def test_an_event_follows_the_one_it_names_or_is_not_kept(log) -> None:
    log.begin_decision(TENANT, first())
    assert log.add_event(TENANT, 1, event(Action.PROPOSE), follows=0) is None
    assert log.add_event(OTHER, 1, event(Action.PROPOSE), follows=1) is None
    assert log.add_event(TENANT, 9, event(Action.PROPOSE), follows=1) is None
    assert log.add_event(TENANT, 1, event(Action.PROPOSE), follows=1).sequence == 2
    assert log.add_event(TENANT, 1, event(Action.APPROVE, "U0ANA"), follows=1) is None
    assert [one.action for one in log.events_of(1, ALL)] == [Action.SAVE, Action.PROPOSE]


def test_what_is_read_back_is_what_was_told(log) -> None:
    odd = "naïve ½ “quoted” \\ % _ ' \U0001f600 \t\n-- drop table decisions"
    details = {"title": odd[:40], "project": "  Élan  Vital ", "note": odd, "is_open": True}
    begun = log.begin_decision(TENANT, first(**details))
    log.add_event(TENANT, 1, event(Action.PROPOSE, reason=odd, permalink="https://x/y"), follows=1)
    events = log.events_of(1, ALL)
    assert events[1].reason == odd
    assert events[0].details == Details(rules=Rules(users=("U0ANA",)), team_id="T1", **details)
    assert replayed(events) == log.get_decision(1, ALL)
    assert begun == replayed(events[:1])
    assert [one.number for one in log.find_decisions(Wanted(project="élan vital"), ALL)] == [1]


def test_filters_join(log) -> None:
    for number in range(1, 7):
        details = {"project": "Atlas" if number % 2 else "Borea", "is_open": True}
        log.begin_decision(TENANT, first(model_names=(f"m{number % 3}",), **details))
        if number > 3:
            log.add_event(TENANT, number, event(Action.PROPOSE), follows=1)

    def found(**wanted):
        return [one.number for one in log.find_decisions(Wanted(**wanted), ALL)]

    assert found(project="atlas") == [5, 3, 1]
    assert found(states=frozenset({State.PROPOSED})) == [6, 5, 4]
    assert found(states=frozenset({State.PROPOSED}), project="atlas") == [5]
    assert found(model="m0") == [6, 3]
    assert found(text="m1") == [4, 1]
    assert found(limit=2, offset=1) == [5, 4]
    assert found(requester_id="U0BEN", text="cards", model="m2") == [5, 2]
    assert found(requester_id="U0ANA") == []
    assert log.projects(ALL) == ("Borea", "Atlas")


def test_who_does_not_take_part_sees_what_is_open_or_of_their_conversation(log) -> None:
    log.begin_decision(TENANT, first(is_open=True, channel_id="C1"))
    log.begin_decision(TENANT, first(is_open=False, channel_id="C1"))

    def seen(viewer, channel, tenant=TENANT):
        sight = Sight(tenant=tenant, viewer=viewer, channel_id=channel)
        return [one.number for one in log.find_decisions(Wanted(), sight)]

    assert seen("U0ZOE", "C9") == [1]
    assert seen("U0ZOE", "C1") == [2, 1]
    assert seen("U0ANA", "C9") == [2, 1]
    assert seen("U0BEN", None) == [2, 1]
    assert seen("U0BEN", "C1", OTHER) == []
    assert seen("U0BEN", "C1", replace(TENANT, enterprise_id="E1")) == []


def test_threads_name_their_subject(log) -> None:
    log.keep_thread(TENANT, "C1", "17.1", "A-1")
    log.keep_thread(TENANT, "C1", "17.1", "A-2")
    assert log.thread_subject(TENANT, "C1", "17.1") == "A-2"
    assert log.thread_subject(OTHER, "C1", "17.1") is None
    place = Details(channel_id="C1", message_ts="17.2")
    log.begin_decision(TENANT, first())
    log.add_event(TENANT, 1, event(Action.PLACE, details=place), follows=1)
    assert log.decision_at(TENANT, "C1", "17.2").number == 1
    assert log.decision_at(OTHER, "C1", "17.2") is None
    assert log.decision_at(TENANT, "C1", "17.1") is None
