"""A decision in Slack from the answer to its approval, in its thread, over both transports."""

from __future__ import annotations

import pytest

from bot.decisions.states import State
from bot.limits import find_problems
from bot.storage.sqlite import SqliteLog
from bot.workspace.mrkdwn import user_pings
from tests.e2e.conftest import stage_with
from tests.e2e.deciding import (
    TENANT,
    actions,
    answered,
    card,
    happened,
    has_thread,
    saved,
    staffed,
    stands,
    told,
)


@pytest.fixture(params=["http", "socket"])
def stage(request, tmp_path):
    with stage_with(request.param, tmp_path / "gpusize.db", workspace=staffed()) as stage:
        yield stage


def checked(message):
    body = {"text": message.text, "blocks": list(message.blocks)}
    assert find_problems("message", body) == []
    return message


def test_an_answer_becomes_the_card_of_its_decision(stage) -> None:
    answer = answered(stage.ben)
    stage.ben.clicks(answer, "Save decision")
    view = stage.ben.waits_for_modal(lambda seen: "title" in seen.values)
    assert find_problems("modal", view.content) == []
    assert "Needs 1 approval from members of #gpu-planning, not from you." in view.shown
    assert view.values["title"]["gpus1.saving.title"]["value"] == "Llama 2 13B INT8: 1 × L4 24 GB"
    assert "channel" not in view.values
    stage.ben.fills(view, {"note": "For the pilot", "project": "Atlas"})
    assert stage.ben.submits(view).acked
    drawn = checked(card(stage.ana, "D-1 · Proposed"))
    assert (drawn.ts, drawn.channel) == (answer.ts, answer.channel)
    assert "For the pilot" in drawn.shown
    assert "needs 17.6 GB" in drawn.shown
    assert stage.ben.waits_for_modal("D-1 is saved")
    reply = checked(card(stage.ana, "ben proposed D-1."))
    assert reply.thread_ts == answer.ts
    decision = stands(stage)
    assert (decision.state, decision.project, decision.is_open) == (State.PROPOSED, "Atlas", True)
    placed = happened(stage)[-1]
    assert placed.permalink.endswith(answer.ts.replace(".", ""))


def test_it_is_approved_by_one_click_after_seeing_what(stage) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer)
    drawn = card(stage.ana, "D-1 · Proposed")
    approve = next(
        one
        for block in drawn.blocks
        if block["type"] == "actions"
        for one in block["elements"]
        if one["action_id"] == "gpus1.decide.approve"
    )
    shown = approve["confirm"]["text"]["text"]
    assert shown.startswith(f"D-1, version 1, fingerprint {stands(stage).answer_hash[:12]}: ")
    assert stage.ana.clicks(drawn, "Approve", confirms=False) is None
    assert stage.ana.clicks(drawn, "Approve").acked
    drawn = checked(card(stage.ben, "D-1 · Approved"))
    assert drawn.ts == answer.ts
    reply = card(stage.ben, "ana approved D-1.")
    assert reply.thread_ts == answer.ts
    assert user_pings(reply.as_json()) == []
    assert actions(stage) == ["save", "propose", "approve"]
    assert "gpus1.decide.approve" not in str(drawn.blocks)


def test_nobody_approves_their_own(stage) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer)
    drawn = card(stage.ben, "D-1 · Proposed")
    stage.ben.clicks(drawn, "Approve")
    refusal = told(stage.ben, "D-1 is your own")
    assert refusal.thread_ts == answer.ts
    assert "#gpu-planning" in refusal.shown
    assert stands(stage).state is State.PROPOSED


@pytest.mark.parametrize(
    ("button", "words", "state"),
    [
        ("Reject…", "ana rejected D-1: “Too dear for now”", State.REJECTED),
        ("Ask changes…", "ana asks for changes to D-1: “Too dear for now”",
         State.CHANGES_REQUESTED),
    ],
)  # fmt: skip
def test_a_reason_is_asked_for(stage, button, words, state) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer)
    drawn = card(stage.ana, "D-1 · Proposed")
    stage.ana.clicks(drawn, button)
    view = stage.ana.waits_for_modal("D-1: Llama 2 13B INT8")
    assert find_problems("modal", view.content) == []
    stage.ana.submits(stage.ana.fills(view, {"reason": "no"}))
    assert stage.ana.modal.errors
    stage.ana.submits(stage.ana.fills(view, {"reason": "Too dear for now"}))
    reply = card(stage.ben, words)
    assert reply.thread_ts == answer.ts
    assert stage.ana.waits_for_modal("Hecho: D-1")
    assert stands(stage).state is state


def test_a_draft_is_proposed_later_and_calls_the_reviewers_once(stage) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer, {"reviewers": ["ana", "eva"], "now": "draft"})
    drawn = card(stage.ben, "D-1 · Draft")
    assert user_pings(drawn.as_json()) == []
    stage.ben.clicks(drawn, "Propose")
    reply = card(stage.ana, "ben proposed D-1.")
    assert user_pings(reply.as_json()) == ["U0ANA", "U0EVA"]
    stage.workspace.user("eva").clicks(card(stage.ana, "D-1 · Proposed"), "Approve")
    drawn = card(stage.ana, "D-1 · Approved")
    assert user_pings(drawn.as_json()) == []


@pytest.mark.parametrize(
    ("verb", "words"), [("history", "| ben | Saved |"), ("historial lang=es", "| ben | Guardada |")]
)
def test_a_history_in_the_thread_is_that_of_its_decision(stage, verb, words) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer)
    card(stage.ben, "ben proposed D-1.")
    stage.ben.mentions(answer, verb)
    assert card(stage.ben, words).thread_ts == answer.ts
    root = stage.ben.says("Elsewhere")
    stage.ben.mentions(root, verb)
    told(stage.ben, "A-1 · ")


def test_lines_in_the_thread_need_no_name(stage) -> None:
    answer = answered(stage.ben)
    stage.workspace.wait_for(lambda: has_thread(stage, answer), 15, "the thread in the log")
    stage.ben.mentions(answer, "save Two cards for the pilot project=Atlas")
    drawn = card(stage.ana, "D-1 · Draft: Two cards for the pilot")
    assert drawn.ts == answer.ts
    stage.ben.mentions(answer, "propose")
    card(stage.ana, "ben proposed D-1.")
    stage.ana.mentions(answer, "changes please plan for 64k of context")
    card(stage.ben, "ana asks for changes to D-1")
    stage.ben.mentions(answer, "status")
    page = stage.ben.waits_for_message(
        lambda seen: "D-1 · Changes requested" in seen.shown and seen.thread_ts == answer.ts
    )
    assert not page.is_ephemeral
    stage.ben.mentions(answer, "withdraw")
    reply = card(stage.ana, "ben withdrew D-1.")
    assert reply.thread_ts == answer.ts
    assert len([one for one in stage.ana.sees() if one.user == "U0GPUSIZE"]) == 1


def test_other_words_in_the_thread_are_questions(stage) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer)
    card(stage.ana, "D-1 · Proposed")
    stage.ana.mentions(answer, "llama-13b fp16")
    reply = card(stage.ana, "Llama 2 13B · FP16")
    assert reply.thread_ts == answer.ts


def test_a_line_from_elsewhere_is_answered_in_the_thread(stage) -> None:
    answer = answered(stage.ben)
    saved(stage.ben, answer)
    card(stage.ana, "D-1 · Proposed")
    stage.ana.types("/gpusize aprobar D-1", "random")
    reply = card(stage.ben, "ana approved D-1.")
    assert reply.thread_ts == answer.ts
    assert told(stage.ana, "ana aprobó D-1.").channel != answer.channel


def test_the_thread_of_an_answer_is_remembered(stage) -> None:
    answer = answered(stage.ben)
    log = SqliteLog(stage.database)
    try:
        found = lambda: log.thread_subject(TENANT, answer.channel, answer.ts)  # noqa: E731
        assert stage.workspace.wait_for(found, 5, "the subject") == "A-1"
    finally:
        log.close()
