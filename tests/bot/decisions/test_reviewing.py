"""Lines about decisions, through the service, with a real log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.decisions.life import replayed
from bot.decisions.states import State
from bot.decisions.store import Sight, Wanted
from bot.reply import NAMELESS, ReplyKind
from tests.bot.decisions.conftest import ANA, BEN, EVA, TENANT


def says(service, text, asker=BEN):
    return service.handle(text, asker, None)


def stands(log, number=1):
    return log.get_decision(number, Sight(tenant=TENANT))


def test_an_answer_is_saved_proposed_and_approved(service, log) -> None:
    saved = says(service, "save A-1 One card for the pilot project=Atlas")
    assert saved.kind is ReplyKind.DECISION
    assert "D-1 · Draft: One card for the pilot" in saved.markdown
    assert says(service, "propose D-1").markdown == "ben proposed D-1.\n"
    assert says(service, "aprobar D-1", ANA).markdown == "ana aprobó D-1.\n"
    decision = stands(log)
    assert (decision.state, decision.decided_name) == (State.APPROVED, "ana")
    assert decision.model_names == ("llama-2-13b", "Llama 2 13B")
    assert decision.request_hash != decision.answer_hash


def test_the_log_replays_to_where_the_decision_stands(service, log) -> None:
    for text, asker in [
        ("save A-1", BEN),
        ("propose D-1", BEN),
        ("changes D-1 please plan for 64k of context", ANA),
        ("reject D-1 no budget before summer", EVA),
    ]:
        assert says(service, text, asker).error is None
    events = log.events_of(1, Sight(tenant=TENANT))
    assert replayed(events) == stands(log)
    assert [one.reason for one in events[2:]] == [
        "please plan for 64k of context",
        "no budget before summer",
    ]


@pytest.mark.parametrize(
    ("text", "asker", "code"),
    [
        ("approve D-1", BEN, "never_your_own"),
        ("reject D-1 no", ANA, "reason_length"),
        ("reject D-1", ANA, "reason_missing"),
        ("approve D-9", ANA, "unknown_decision"),
        ("approve", ANA, "no_decision_here"),
        ("withdraw D-1", ANA, "only_requester"),
        ("save", ANA, "no_answer_here"),
        ("save A-99", ANA, "unknown_answer"),
        ("supersede D-1 newer cards cost less", ANA, "no_replacement"),
        ("supersede D-1 by D-1 newer cards cost less", ANA, "only_approved_supersede"),
    ],
)
def test_what_cannot_be_is_said(service, log, text, asker, code) -> None:
    says(service, "save A-1")
    says(service, "propose D-1")
    before = stands(log)
    reply = says(service, text, asker)
    assert reply.error is not None
    assert reply.error.code == code
    assert reply.private
    assert stands(log) == before


def test_in_its_thread_a_decision_needs_no_name(service, log) -> None:
    says(service, "save A-1")
    says(service, "propose D-1")
    number = stands(log).number
    from bot.deciding import Move
    from bot.decisions.records import Details
    from bot.decisions.states import Action

    place = Move(action=Action.PLACE, details=Details(message_ts="17.1"))
    service.deciding.note(number, place, BEN)
    assert says(service, "approve", replace(ANA, thread_ts="17.1")).error is None
    assert says(service, "approve", replace(ANA, thread_ts="17.2")).error.code == "no_decision_here"


def test_an_approved_decision_replaces_another(service, log) -> None:
    for number in (1, 2):
        says(service, "save A-1")
        says(service, f"propose D-{number}")
        says(service, f"approve D-{number}", ANA)
    says(service, "supersede D-1 by D-2 newer cards cost less", EVA)
    assert (stands(log, 1).state, stands(log, 1).superseded_by) == (State.SUPERSEDED, 2)
    refused = says(service, "supersede D-1 by D-2 newer cards cost less", EVA)
    assert refused.error.code == "already_decided"


def test_others_see_a_decision_where_it_was_taken_or_where_they_take_part(service, log) -> None:
    says(service, "save A-1")
    elsewhere = replace(ANA, channel_id="C2", directory=NAMELESS)
    assert says(service, "status D-1", ANA).error is None
    assert says(service, "status D-1", elsewhere).error.code == "unknown_decision"
    assert says(service, "status D-1", replace(BEN, channel_id="C2")).error is None
    assert says(service, "status D-1", replace(BEN, team_id="T2")).error.code == "unknown_decision"


def test_proposals_wait_for_those_who_may(service, log) -> None:
    says(service, "save A-1")
    says(service, "propose D-1")

    def waiting(user: str):
        sight = Sight(tenant=TENANT, viewer=user, channel_id="C1")
        return log.find_decisions(Wanted(waiting_for=frozenset({user, "C1"})), sight)

    assert [one.number for one in waiting("U0ANA")] == [1]
    assert waiting("U0BEN") == ()
    says(service, "approve D-1", ANA)
    assert waiting("U0EVA") == ()


def test_what_was_typed_is_found_again(service, log) -> None:
    says(service, "save A-1 Café pilot project=Atlas")
    says(service, "propose D-1")
    says(service, "reject D-1 the fan is too loud", EVA)
    sight = Sight(tenant=TENANT, viewer="U0ANA", channel_id="C1")
    for text in ("cafe", "LLAMA 13b", "loud fan", "atl pil", "d1", "eva"):
        assert len(log.find_decisions(Wanted(text=text), sight)) == 1, text
    for text in ("nothing", "loudest", '"', "a OR b", "x* y"):
        expected = 0 if text != '"' else 1
        assert len(log.find_decisions(Wanted(text=text), sight)) == expected, text
    assert log.projects(sight) == ("Atlas",)
    assert len(log.find_decisions(Wanted(project="ATLAS"), sight)) == 1


def test_the_owner_of_the_terminal_sees_all(service, log) -> None:
    says(service, "save A-1")
    assert len(log.find_decisions(Wanted(), Sight(tenant=None))) == 1
    other = Sight(tenant=replace(TENANT, team_id="T2"))
    assert log.find_decisions(Wanted(), other) == ()
    assert log.events_of(1, other) == ()


def test_two_at_once_give_one_winner(service, log) -> None:
    from concurrent.futures import ThreadPoolExecutor

    says(service, "save A-1")
    says(service, "propose D-1")
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda asker: says(service, "approve D-1", asker), [ANA, EVA] * 4))
    assert sum(reply.error is None for reply in replies) == 1
    assert {reply.error.code for reply in replies if reply.error} == {"already_decided"}
    assert [one.action.value for one in log.events_of(1, Sight(tenant=TENANT))] == [
        "save",
        "propose",
        "approve",
    ]
