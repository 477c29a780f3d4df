"""Decisions in Slack when things go wrong: wrong people, lost messages, late clicks."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import pytest

from bot.decisions.records import Rules
from bot.decisions.states import State
from bot.listeners.people import KEEP_S, People
from bot.workspace import Fault
from tests.e2e.conftest import stage_with
from tests.e2e.deciding import actions, answered, card, happened, saved, staffed, stands, told

GROUP = Rules(groups=("S0LEADS",))


@pytest.fixture
def stage_of(tmp_path):
    with ExitStack() as open_stages:

        def build(transport: str = "http", **settings: object):
            database = tmp_path / "gpusize.db"
            made = stage_with(transport, database, workspace=staffed(), **settings)
            return open_stages.enter_context(made)

        yield build


@pytest.fixture
def stage(stage_of):
    return stage_of()


def proposed(stage, **fields):
    """Return the card of a decision that ben has proposed."""
    saved(stage.ben, answered(stage.ben), fields)
    card(stage.ben, "ben proposed D-1.")
    return card(stage.ben, "D-1 · Proposed")


def person(stage, name):
    return stage.workspace.user(name)


def settled(stage):
    stage.bot.workers.finish(10)


@pytest.mark.parametrize("transport", ["http", "socket"])
def test_the_wrong_person_is_told_who_may(stage_of, transport) -> None:
    stage = stage_of(transport, standing=GROUP)
    drawn = proposed(stage)
    tom = person(stage, "tom")
    tom.clicks(drawn, "Approve")
    refusal = told(tom, "You may not decide D-1; who may: @infra-leads")
    assert refusal.thread_ts == drawn.ts
    tom.clicks(drawn, "Reject…")
    told(tom, "You may not decide D-1", after=refusal)
    assert tom.modal is None
    assert stands(stage).state is State.PROPOSED


def test_a_group_is_called_and_its_members_may(stage_of) -> None:
    stage = stage_of(standing=GROUP)
    drawn = proposed(stage)
    assert "<!subteam^S0LEADS>" in str(card(stage.ben, "ben proposed D-1.").blocks)
    person(stage, "eva").clicks(drawn, "Approve")
    card(stage.ben, "eva approved D-1.")


def together(*clicks):
    """Click at the same moment."""
    barrier = threading.Barrier(len(clicks))

    def run(click):
        barrier.wait()
        click()

    threads = [threading.Thread(target=run, args=(one,)) for one in clicks]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


@pytest.mark.parametrize("transport", ["http", "socket"])
def test_of_two_at_once_one_wins_and_the_other_is_told(stage_of, transport) -> None:
    stage = stage_of(transport)
    drawn = proposed(stage)
    eva, tom = person(stage, "eva"), person(stage, "tom")
    together(lambda: eva.clicks(drawn, "Approve"), lambda: tom.clicks(drawn, "Approve"))
    settled(stage)
    assert actions(stage) == ["save", "propose", "approve"]
    winner = stands(stage).decided_by
    loser = tom if winner == eva.id else eva
    told(loser, "D-1 is already decided: approved by")
    card(stage.ben, "D-1 · Approved")


def test_where_two_are_needed_both_count(stage_of) -> None:
    stage = stage_of(standing=replace_needed(2))
    drawn = proposed(stage)
    eva, ana = person(stage, "eva"), stage.ana
    together(lambda: eva.clicks(drawn, "Approve"), lambda: ana.clicks(drawn, "Approve"))
    card(stage.ben, "D-1 · Approved")
    assert sorted(stands(stage).approvals) == sorted([eva.id, ana.id])
    settled(stage)
    thread = [one.shown for one in stage.ben.thread(drawn)]
    assert sum("approved D-1" in one for one in thread) == 2
    assert sum("more approvals are needed: 1" in one for one in thread) == 1


def replace_needed(count: int) -> Rules:
    return GROUP.model_copy(update={"needed": count})


def test_a_double_click_is_one(stage) -> None:
    drawn = proposed(stage)
    tom = person(stage, "tom")
    together(lambda: tom.clicks(drawn, "Approve"), lambda: tom.clicks(drawn, "Approve"))
    settled(stage)
    assert actions(stage) == ["save", "propose", "approve"]
    assert not [one for one in stage.workspace.world.seen_by(tom.id) if one.visible_to == tom.id]


def test_the_same_delivery_again_changes_nothing(stage) -> None:
    drawn = proposed(stage)
    person(stage, "tom").clicks(drawn, "Approve")
    card(stage.ben, "tom approved D-1.")
    for delivery in stage.workspace.deliveries:
        if delivery.kind in {"block_actions", "view_submission"}:
            stage.workspace.replay(delivery)
    settled(stage)
    assert actions(stage) == ["save", "propose", "approve"]
    assert len(stage.ben.thread(drawn)) == 3


def test_a_mention_that_comes_twice_is_one(stage) -> None:
    drawn = proposed(stage)
    stage.ana.mentions(drawn, "approve")
    card(stage.ben, "ana approved D-1.")
    stage.workspace.replay(stage.workspace.deliveries[-1])
    settled(stage)
    assert actions(stage) == ["save", "propose", "approve"]


@pytest.mark.parametrize("error", ["expired_trigger_id", "exchanged_trigger_id"])
def test_a_late_view_is_told_in_private(stage, error) -> None:
    drawn = proposed(stage)
    stage.workspace.fail_next("views.open", Fault(error=error))
    stage.ana.clicks(drawn, "Reject…")
    told(stage.ana, "La ventana no pudo abrirse a tiempo")
    stage.ana.clicks(drawn, "Reject…")
    assert stage.ana.waits_for_modal("D-1: Llama 2 13B INT8")


def test_a_late_save_is_told_in_private(stage) -> None:
    answer = answered(stage.ben)
    stage.workspace.fail_next("views.open", Fault(error="expired_trigger_id"))
    stage.ben.clicks(answer, "Save decision")
    told(stage.ben, "could not be opened in time")
    saved(stage.ben, answer)
    card(stage.ben, "D-1 · Proposed")


def test_a_deleted_card_is_posted_again(stage) -> None:
    drawn = proposed(stage)
    stage.workspace.world.drop(stage.workspace.world.find(drawn.channel, drawn.ts))
    stage.ana.types("/gpusize approve D-1")
    again = card(stage.ben, "D-1 · Approved")
    assert again.ts != drawn.ts
    reply = card(stage.ben, "ana approved D-1.")
    assert reply.thread_ts == again.ts
    assert stands(stage).message_ts == again.ts
    stage.ben.mentions(again, "status")
    stage.ben.waits_for_message(lambda seen: "D-1 · Approved" in seen.shown and seen.is_reply)


def test_two_who_find_the_card_deleted_post_one(stage_of) -> None:
    stage = stage_of(standing=replace_needed(2))
    drawn = proposed(stage)
    world = stage.workspace.world
    world.drop(world.find(drawn.channel, drawn.ts))
    lines = {"ana": "/gpusize aprobar D-1", "eva": "/gpusize approve D-1"}
    together(*(partial(person(stage, name).types, line) for name, line in lines.items()))
    settled(stage)
    cards = [one for one in stage.ben.sees() if "D-1 · " in one.shown and not one.is_ephemeral]
    assert ["D-1 · Approved" in one.shown for one in cards] == [True]
    said = [one.shown for one in stage.ben.thread(cards[0])]
    assert sum("approved D-1" in one for one in said) == 2


def test_a_deleted_card_that_cannot_be_posted_is_posted_with_the_next_event(stage_of) -> None:
    stage = stage_of(standing=replace_needed(2))
    drawn = proposed(stage)
    world = stage.workspace.world
    world.drop(world.find(drawn.channel, drawn.ts))
    stage.workspace.fail_next("chat.postMessage", Fault(error="restricted_action"))
    stage.ana.types("/gpusize aprobar D-1")
    settled(stage)
    person(stage, "eva").types("/gpusize approve D-1")
    settled(stage)
    assert stands(stage).message_ts == card(stage.ben, "D-1 · Approved").ts


def test_what_is_decided_is_said_where_the_card_cannot_be_drawn(stage) -> None:
    drawn = proposed(stage)
    stage.workspace.fail_next("chat.update", Fault(error="internal_error"))
    stage.ana.clicks(drawn, "Approve")
    assert card(stage.ben, "ana approved D-1.").thread_ts == drawn.ts


def test_blocks_that_slack_refuses_leave_the_card_alone(stage) -> None:
    drawn = proposed(stage)
    stage.workspace.fail_next("chat.update", Fault(error="invalid_blocks"))
    stage.ana.clicks(drawn, "Approve")
    again = card(stage.ben, "D-1 · Approved")
    assert again.ts == drawn.ts
    assert "Recommended for several users" not in again.shown


def test_where_the_app_is_no_member_a_conversation_is_chosen(stage) -> None:
    answer = answered(stage.ben, channel="random")
    stage.ben.clicks(answer, "Save decision")
    view = stage.ben.waits_for_modal(lambda seen: "channel" in seen.values)
    assert "members of the conversation that you choose" in view.shown
    view = stage.ben.fills(view, {"channel": "random", "note": "Kept as it was"})
    stage.ben.submits(view)
    view = stage.ben.waits_for_modal("I am not a member of #random")
    assert view.values["note"]["gpus1.saving.note"]["value"] == "Kept as it was"
    assert stands(stage) is None
    stage.ben.submits(stage.ben.fills(view, {"channel": "gpu-planning"}))
    drawn = card(stage.ana, "D-1 · Proposed")
    assert drawn.channel == "C0PLANNING"
    assert "Kept as it was" in drawn.shown


def test_a_private_answer_is_shown_where_its_asker_says(stage) -> None:
    stage.ben.types("/gpusize llama-13b int8 --private")
    answer = stage.ben.waits_for_message("A-1")
    stage.ben.clicks(answer, "Save decision")
    view = stage.ben.waits_for_modal(lambda seen: "channel" in seen.values)
    stage.ben.submits(stage.ben.fills(view, {"channel": "gpu-planning"}))
    assert card(stage.ana, "D-1 · Proposed").ts != answer.ts


def archive(stage, channel="C0PLANNING", **changes):
    world = stage.workspace.world
    world.channels[channel] = replace(world.channels[channel], **changes)


def test_where_the_app_was_put_out_the_person_is_told(stage_of) -> None:
    stage = stage_of(standing=GROUP)
    drawn = proposed(stage)
    archive(stage, members=frozenset({"U0ANA", "U0BEN", "U0EVA"}))
    stage.ana.clicks(drawn, "Approve")
    refusal = told(stage.ana, "no se puede escribir en su hilo")
    assert "not_in_channel" in refusal.shown
    assert stands(stage).state is State.APPROVED


def test_what_is_said_in_a_thread_whose_first_message_is_gone_reaches_the_person(stage) -> None:
    """Slack would put it into the channel itself."""
    root = stage.ana.says("Which GPUs for the new service?")
    stage.ben.mentions(root, "llama-13b int8")
    answer = stage.ben.waits_for_message(lambda seen: "A-1" in seen.shown)
    saved(stage.ben, answer)
    drawn = card(stage.ben, "D-1 · Proposed")
    settled(stage)
    world = stage.workspace.world
    world.drop(world.find(root.channel, root.ts))
    stage.ana.clicks(drawn, "Approve")
    told(stage.ana, "ana approved D-1.")
    assert card(stage.ben, "D-1 · Approved").ts == drawn.ts
    assert not [one for one in stage.ben.sees() if "approved D-1." in one.shown]


def test_in_an_archived_conversation_the_person_is_told(stage) -> None:
    proposed(stage)
    archive(stage, is_archived=True)
    stage.ana.types("/gpusize approve D-1", "random")
    refusal = stage.ana.waits_for_message("no se puede escribir en su hilo")
    assert refusal.visible_to == stage.ana.id
    assert stands(stage).state is State.APPROVED


def test_a_renamed_conversation_has_its_new_name(stage) -> None:
    answer = answered(stage.ben)
    archive(stage, name="gpu-buying")
    saved(stage.ben, answer)
    assert "#gpu-buying" in card(stage.ben, "D-1 · Proposed").shown


def test_who_left_is_named_all_the_same(stage) -> None:
    drawn = proposed(stage)
    world = stage.workspace.world
    del world.users["U0BEN"]
    person(stage, "tom").clicks(drawn, "Approve")
    assert "by ben" in card(person(stage, "tom"), "D-1 · Approved").shown


def test_programs_decide_nothing(stage) -> None:
    drawn = proposed(stage)
    robot = person(stage, "robot")
    robot.clicks(drawn, "Approve")
    told(robot, "Programs decide nothing")
    assert stands(stage).state is State.PROPOSED


@pytest.mark.parametrize(
    ("error", "words"),
    [("missing_scope", "usergroups:read"), ("fatal_error", "Slack does not say who may decide")],
)
def test_nobody_approves_where_slack_does_not_say_who_may(
    stage_of, monkeypatch, error, words
) -> None:
    stage = stage_of(standing=GROUP)
    drawn = proposed(stage)
    later(monkeypatch)
    stage.workspace.fail_next("usergroups.users.list", Fault(error=error, times=5))
    eva = person(stage, "eva")
    eva.clicks(drawn, "Approve")
    told(eva, words)
    assert stands(stage).state is State.PROPOSED


def later(monkeypatch):
    """Let the minute go by for which answers about people are remembered."""
    now_s = time.monotonic() + 2 * KEEP_S
    monkeypatch.setattr(People, "now_s", lambda self: now_s)


def test_a_click_on_an_older_version_is_not_taken(stage) -> None:
    drawn = proposed(stage)
    stage.ben.mentions(drawn, "llama-13b fp16")
    card(stage.ben, "Llama 2 13B · FP16")
    stage.ben.mentions(drawn, "save")
    card(stage.ben, "D-1 is now version 2")
    world = stage.workspace.world
    world.put(drawn)
    stage.ana.clicks(drawn, "Approve")
    told(stage.ana, "versión 2")
    assert stands(stage).state is State.PROPOSED
    again = card(stage.ana, "version 2, fingerprint")
    stage.ana.clicks(again, "Approve")
    card(stage.ana, "ana approved D-1.")
    assert stands(stage).version == 2
    assert happened(stage)[-1].user_id == stage.ana.id


def test_nothing_is_kept_where_nobody_could_approve(stage) -> None:
    answer = answered(stage.ben)
    view = saved(stage.ben, answer, {"reviewers": ["ben"]})
    view = stage.ben.waits_for_modal("You may not review your own decision")
    kinds = [(one["type"], one.get("block_id")) for one in view.blocks]
    where = [kind for kind, _ in kinds].index("alert")
    assert kinds[where + 1] == ("input", "reviewers")
    assert stands(stage) is None


def test_a_day_that_is_over_is_said_at_its_field(stage) -> None:
    answer = answered(stage.ana)
    stage.ana.clicks(answer, "Guardar decisión")
    view = stage.ana.waits_for_modal(lambda seen: "title" in seen.values)
    stage.ana.submits(stage.ana.fills(view, {"due": "2020-01-01"}))
    assert stage.ana.modal.errors == {"due": "Ese día ya pasó: elija uno posterior."}


def test_the_shortcut_opens_the_decision_or_saves_the_answer(stage) -> None:
    answer = answered(stage.ben)
    stage.ben.uses_shortcut("gpus1.review", answer)
    view = stage.ben.waits_for_modal(lambda seen: "title" in seen.values)
    stage.ben.submits(view)
    reply = card(stage.ben, "ben proposed D-1.")
    stage.ana.uses_shortcut("gpus1.review", reply)
    page = told(stage.ana, "D-1 · Propuesta")
    stage.ana.clicks(page, "Aprobar")
    assert card(stage.ben, "ana approved D-1.").thread_ts == answer.ts
    words = stage.ben.says("Lunch?")
    stage.ben.uses_shortcut("gpus1.review", words)
    told(stage.ben, "There is no decision and no answer of mine")


def test_one_decision_takes_the_place_of_another(stage) -> None:
    first = proposed(stage)
    stage.ana.clicks(first, "Approve")
    first = card(stage.ben, "D-1 · Approved")
    stage.ben.types("/gpusize save A-1 The newer one")
    second = card(stage.ben, "D-2 · Draft: The newer one")
    stage.ben.clicks(second, "Propose")
    stage.ana.clicks(card(stage.ben, "D-2 · Proposed"), "Approve")
    card(stage.ben, "D-2 · Approved")
    stage.ben.clicks(first, "Supersede…")
    view = stage.ben.waits_for_modal("D-1: ")
    offered = stage.ben.suggestions(view, "gpus1.reason.other", "")
    assert [one["value"] for one in offered] == ["D-2"]
    fields = {"reason": "Newer cards cost less", "other": "D-2"}
    stage.ben.submits(stage.ben.fills(view, fields))
    card(stage.ben, "D-1 · Superseded")
    assert stands(stage).superseded_by == 2


def test_below_a_mention_the_card_stays_in_the_thread(stage) -> None:
    root = stage.ana.says("Which GPUs for the new service?")
    stage.ben.mentions(root, "llama-13b int8")
    answer = stage.ben.waits_for_message(lambda seen: "A-1" in seen.shown)
    saved(stage.ben, answer)
    drawn = card(stage.ben, "D-1 · Proposed")
    assert (drawn.ts, drawn.thread_ts) == (answer.ts, root.ts)
    assert card(stage.ben, "ben proposed D-1.").thread_ts == root.ts
    stage.ana.mentions(root, "approve")
    assert card(stage.ben, "D-1 · Approved").ts == answer.ts


def test_a_server_is_decided_too(stage) -> None:
    stage.ben.types("/gpusize spec llama-3.1-8b fp8 l40s users=4")
    plan = stage.ben.waits_for_message(lambda seen: "Save decision" in seen.shown)
    saved(stage.ben, plan)
    drawn = card(stage.ben, "D-1 · Proposed: Llama 3.1 8B: 1 × L40S 48 GB")
    assert "Server for Llama 3.1 8B" in drawn.shown


def test_everything_is_in_the_language_of_its_reader(stage) -> None:
    answer = answered(stage.ana)
    saved(stage.ana, answer, {"title": "Una tarjeta"}, button="Guardar decisión")
    drawn = card(stage.ben, "D-1 · Propuesta: Una tarjeta")
    assert card(stage.ben, "ana propuso D-1.").thread_ts == answer.ts
    stage.ben.clicks(drawn, "Rechazar…")
    view = stage.ben.waits_for_modal("D-1: Una tarjeta")
    assert view.title == "Reject D-1"
    stage.ben.submits(stage.ben.fills(view, {"reason": "Too dear for now"}))
    card(stage.ana, "ben rechazó D-1: «Too dear for now»")
