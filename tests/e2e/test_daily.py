"""The daily rounds of the real bot: proposals reminded of, old answers taken out."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from bot.decisions.records import Rules
from bot.decisions.states import Action, State
from bot.decisions.waiting import working_day_after
from bot.limits import find_problems
from bot.listeners.reminding import FROM_HOUR, MOST_A_ROUND
from bot.rounds import Rounds
from bot.workspace import Fault
from bot.workspace.mrkdwn import user_pings
from tests.bot.decisions.conftest import event, first
from tests.e2e.conftest import stage_with
from tests.e2e.deciding import (
    TENANT,
    actions,
    answered,
    card,
    happened,
    saved,
    staffed,
    stands,
)

THREE = Rules(users=("U0ANA", "U0EVA", "U0BEN"), needed=2)
LEADS = Rules(groups=("S0LEADS",))


@pytest.fixture(params=["http", "socket"])
def stage_of(request, tmp_path):
    with ExitStack() as open_stages:

        def build(**settings: object):
            database = tmp_path / "gpusize.db"
            made = stage_with(request.param, database, workspace=staffed(), **settings)
            return open_stages.enter_context(made)

        yield build


@pytest.fixture
def stage(tmp_path):
    with stage_with("http", tmp_path / "gpusize.db", workspace=staffed()) as stage:
        yield stage


def proposed(person, stage, button: str = "Save decision", **fields):
    """Return the card of a decision that somebody has proposed, and the day they did."""
    saved(person, answered(person), fields, button)
    drawn = card(person, "D-1 · Prop")
    stage.workspace.wait_for(lambda: stage.ben.thread(drawn)[1:], 10, "the proposal")
    at = next(one.at for one in happened(stage) if one.action is Action.PROPOSE)
    return drawn, datetime.fromisoformat(at).date()


def noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def rounds_on(stage, day: date) -> tuple[str, ...]:
    """Look at the clock as the bot does, on another day, with the bot's own work."""
    rounds = stage.bot.rounds
    return Rounds(rounds.jobs, stage.bot.log.first_seen, clock=lambda: noon(day)).look()


def reminders(stage, drawn):
    return [one for one in stage.ben.thread(drawn) if "for a review since" in one.shown]


def test_who_may_still_approve_is_called_once(stage_of) -> None:
    stage = stage_of(standing=THREE)
    drawn, day = proposed(stage.ben, stage)
    stage.ana.clicks(drawn, "Approve")
    card(stage.ben, "more approvals are needed: 1")
    due = working_day_after(day, 3)
    assert "remind" in rounds_on(stage, due - timedelta(days=1))
    assert reminders(stage, drawn) == []
    rounds_on(stage, due)
    (reply,) = reminders(stage, drawn)
    assert f"D-1 has waited for a review since {day}: “{stands(stage).title}”" in reply.shown
    assert "Still needs 1 approval" in reply.shown
    # Not ana, who has approved, and not ben, who asks.
    assert user_pings(reply.as_json()) == ["U0EVA"]
    assert find_problems("message", {"text": reply.text, "blocks": list(reply.blocks)}) == []
    assert reply.text.startswith("D-1 has waited")
    for later in range(1, 12):
        rounds_on(stage, due + timedelta(days=later))
    assert len(reminders(stage, drawn)) == 1
    assert actions(stage) == ["save", "propose", "approve", "remind"]
    assert stands(stage).state is State.PROPOSED
    stage.ben.mentions(drawn, "history D-1")
    card(stage.ben, "| gpusize | Reminded |")


def test_nobody_is_reminded_at_weekends(stage_of) -> None:
    stage = stage_of()
    drawn, day = proposed(stage.ben, stage)
    due = working_day_after(day, 3)
    saturday = due + timedelta(days=5 - due.weekday())
    for one in (saturday, saturday + timedelta(days=1)):
        assert "remind" in rounds_on(stage, one)
    assert reminders(stage, drawn) == []
    rounds_on(stage, saturday + timedelta(days=2))
    (reply,) = reminders(stage, drawn)
    # A conversation is named and not called.
    assert "members of #gpu-planning" in reply.shown
    assert user_pings(reply.as_json()) == []


def test_a_group_is_called_unless_it_holds_the_one_who_asks(stage_of) -> None:
    stage = stage_of(standing=LEADS)
    drawn, day = proposed(stage.ben, stage)
    rounds_on(stage, working_day_after(day, 3))
    (reply,) = reminders(stage, drawn)
    assert "<!subteam^S0LEADS>" in str(reply.blocks)


def test_of_a_group_that_holds_the_one_who_asks_the_others_are_called(stage_of) -> None:
    stage = stage_of(standing=LEADS)
    drawn, day = proposed(stage.ana, stage, button="Guardar decisión")
    rounds_on(stage, working_day_after(day, 3))
    (reply,) = [one for one in stage.ben.thread(drawn) if "espera una revisión" in one.shown]
    assert "subteam" not in str(reply.blocks)
    assert user_pings(reply.as_json()) == ["U0EVA"]
    assert "Aún requiere 1 aprobación" in reply.shown
    assert f"D-1 espera una revisión desde el {day}: «" in reply.shown


def test_of_a_large_group_nobody_is_called(stage) -> None:
    from bot.messages import load_messages
    from bot.review.reminder import reminder_message

    many = frozenset(f"U0P{number:03}" for number in range(21))

    class Crowd:
        def members(self, subject: str) -> frozenset[str]:
            return many | {"U0BEN"}

        def name(self, subject: str) -> str:
            return "@everyone-here"

    log = stage.bot.log
    decision = log.begin_decision(TENANT, first(rules=LEADS))
    message = reminder_message(decision, date(2026, 12, 1), Crowd(), load_messages("en"))
    assert "@everyone-here" in str(message)
    assert user_pings(message) == []


def test_what_is_wanted_soon_is_reminded_of_before(stage_of) -> None:
    stage = stage_of(remind_days=90)
    wanted = working_day_after(datetime.now(UTC).date(), 5)
    drawn, _ = proposed(stage.ben, stage, due=wanted.isoformat())
    eve = working_day_after(wanted - timedelta(days=7), 4)
    assert eve == max(one for one in (wanted - timedelta(days=d) for d in (1, 2, 3))
                      if one.weekday() < 5)  # fmt: skip
    rounds_on(stage, eve - timedelta(days=1))
    assert reminders(stage, drawn) == []
    rounds_on(stage, eve)
    (reply,) = reminders(stage, drawn)
    assert f"and is wanted by {wanted}" in reply.shown
    rounds_on(stage, wanted)
    rounds_on(stage, wanted + timedelta(days=1))
    assert len(reminders(stage, drawn)) == 1


def test_what_is_approved_is_not_reminded_of(stage_of) -> None:
    stage = stage_of()
    drawn, day = proposed(stage.ben, stage)
    stage.ana.clicks(drawn, "Approve")
    card(stage.ben, "D-1 · Approved")
    rounds_on(stage, working_day_after(day, 3))
    assert reminders(stage, drawn) == []


def test_a_new_version_is_reminded_of_anew(stage_of) -> None:
    stage = stage_of()
    drawn, day = proposed(stage.ben, stage)
    rounds_on(stage, working_day_after(day, 3))
    stage.ben.mentions(drawn, "llama-13b fp16")
    card(stage.ben, "Llama 2 13B · FP16")
    stage.ben.mentions(drawn, "save")
    card(stage.ben, "D-1 is now version 2")
    rounds_on(stage, working_day_after(day, 4))
    assert len(reminders(stage, drawn)) == 2
    assert actions(stage).count("remind") == 2


def archived(stage, **changes) -> None:
    world = stage.workspace.world
    world.channels["C0PLANNING"] = replace(world.channels["C0PLANNING"], **changes)


@pytest.mark.parametrize("changes", [{"is_archived": True}, {"members": frozenset({"U0BEN"})}])
def test_a_conversation_that_is_gone_is_told_once(stage, caplog, changes) -> None:
    drawn, day = proposed(stage.ben, stage)
    archived(stage, **changes)
    with caplog.at_level(logging.WARNING, "bot.listeners.reminding"):
        for later in range(3, 8):
            rounds_on(stage, working_day_after(day, later))
    said = [one for one in caplog.messages if "D-1" in one]
    assert said == ["the thread of D-1 cannot be written: no reminder"]
    assert reminders(stage, drawn) == []
    assert actions(stage) == ["save", "propose"]


def test_it_comes_once_the_conversation_is_back(stage) -> None:
    drawn, day = proposed(stage.ben, stage)
    archived(stage, is_archived=True)
    rounds_on(stage, working_day_after(day, 3))
    archived(stage, is_archived=False)
    rounds_on(stage, working_day_after(day, 4))
    assert len(reminders(stage, drawn)) == 1


@pytest.mark.parametrize("method", ["auth.test", "conversations.info"])
def test_while_slack_says_nothing_it_waits_for_another_day(stage, method) -> None:
    drawn, day = proposed(stage.ben, stage)
    stage.workspace.fail_next(method, Fault(error="fatal_error", times=2))
    rounds_on(stage, working_day_after(day, 3))
    assert actions(stage) == ["save", "propose"]
    rounds_on(stage, working_day_after(day, 4))
    rounds_on(stage, working_day_after(day, 5))
    assert len(reminders(stage, drawn)) == 1


@pytest.mark.parametrize(
    ("fault", "seen"),
    [
        (Fault(error="restricted_action"), 0),
        (Fault(status=500, after_work=True), 1),
        (Fault(error="fatal_error", after_work=True), 1),
    ],
)
def test_a_reminder_may_be_lost_and_never_comes_twice(stage, fault, seen) -> None:
    drawn, day = proposed(stage.ben, stage)
    stage.workspace.fail_next("chat.postMessage", fault)
    for later in range(3, 7):
        rounds_on(stage, working_day_after(day, later))
    assert len(reminders(stage, drawn)) == seen
    assert actions(stage).count("remind") == 1


def test_a_thread_that_is_gone_leaves_nothing_in_the_channel(stage) -> None:
    drawn, day = proposed(stage.ben, stage)
    for one in stage.ben.thread(drawn):
        stage.workspace.world.drop(one)
    rounds_on(stage, working_day_after(day, 3))
    assert not [one for one in stage.ben.sees() if "waited for a review" in one.shown]


def test_a_round_has_an_end(stage) -> None:
    root = stage.ben.says("All of these wait")
    log, count = stage.bot.log, MOST_A_ROUND + 5
    for _ in range(count):
        place = {"team_id": TENANT.team_id, "channel_id": root.channel, "message_ts": root.ts}
        begun = log.begin_decision(TENANT, first(**place))
        log.add_event(TENANT, begun.number, event(Action.PROPOSE), follows=begun.sequence)
    day = working_day_after(datetime.now(UTC).date(), 3)
    rounds_on(stage, day)
    assert len(reminders(stage, root)) == MOST_A_ROUND
    rounds_on(stage, day)
    assert len(reminders(stage, root)) == MOST_A_ROUND
    rounds_on(stage, working_day_after(day, 1))
    assert len(reminders(stage, root)) == count


def test_reminders_have_their_hour_and_their_switch(stage_of) -> None:
    stage = stage_of(remind_days=None)
    assert "remind" not in [one.name for one in stage.bot.rounds.jobs]
    stage = stage_of()
    (job,) = [one for one in stage.bot.rounds.jobs if one.name == "remind"]
    assert job.from_hour == FROM_HOUR == 11


def test_the_title_calls_nobody(stage) -> None:
    """What somebody wrote as a title is shown as it was written."""
    drawn, day = proposed(stage.ben, stage, title="Ask <!channel> and <@U0TOM> *now*")
    rounds_on(stage, working_day_after(day, 3))
    (reply,) = reminders(stage, drawn)
    assert user_pings(reply.as_json()) == []
    assert "<!channel>" not in str(reply.blocks)


def test_old_answers_are_taken_out_by_the_round(stage_of) -> None:
    stage = stage_of(keep_days=30)
    drawn, day = proposed(stage.ben, stage)
    stage.ben.types("/gpusize mistral-7b fp16")
    stage.ben.waits_for_message(lambda seen: "A-2" in seen.shown)
    stage.ben.types("/gpusize mistral-7b int8")
    stage.ben.waits_for_message(lambda seen: "A-3" in seen.shown)
    assert "retention" in rounds_on(stage, day + timedelta(days=29))
    assert [one.id for one in stage.logged()] == ["A-3", "A-2", "A-1"]
    rounds_on(stage, day + timedelta(days=32))
    # D-1 rests on is the last one.
    assert [one.id for one in stage.logged()] == ["A-3", "A-1"]
    stage.ana.clicks(drawn, "Approve")
    card(stage.ben, "D-1 · Approved")
