"""What-ifs and comparisons with a past question, through the service, with a real log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.reply import ReplyKind
from sizing.answer import SizingAnswer
from tests.bot.again.conftest import says
from tests.bot.decisions.conftest import BEN, TENANT

THREAD = replace(BEN, thread_ts="17.1")


@pytest.fixture
def threaded(decided, log):
    """D-1 has the thread 17.1 of C1, and A-1 the thread 18.1."""
    from bot.deciding import Move
    from bot.decisions.records import Details
    from bot.decisions.states import Action

    place = Move(action=Action.PLACE, details=Details(message_ts="17.1"))
    decided.deciding.note(1, place, BEN)
    log.keep_thread(TENANT, "C1", "18.1", "A-1")
    return decided


def test_a_what_if_is_an_answer_that_begins_with_the_difference(decided, log) -> None:
    """Four requests more of 4,096 tokens take 4 x 4,096 x 819,200 bytes = 13.4 GB of KV cache."""
    reply = says(decided, "what if D-1 users=8")
    assert (reply.kind, reply.answer_id) == (ReplyKind.ANSWER, "A-2")
    lines = [line for line in reply.markdown.splitlines() if line]
    assert lines[1] == "Against D-1: **requests 4 → 8: 27.7 → 41.1 GB (+13.4 GB)**"
    entry = decided.handle("show A-2", BEN, None)
    assert isinstance(entry.answer, SizingAnswer)
    assert log.get_answer("A-2", team_id="T1").question == "llama-2-13b int8 users=8"


def test_programs_read_the_difference_beside_the_answer(decided) -> None:
    told = says(decided, "what if D-1 users=8 --json").data["difference"]
    assert (told["subject"], told["answer_id"]) == ("D-1", "A-1")
    need = told["changes"]["need_bytes"]
    # 4 requests more of 4,096 tokens of 819,200 bytes; the rest grows by less than a thousandth.
    assert need["after"] - need["before"] == pytest.approx(4 * 4096 * 819_200, rel=1e-3)


@pytest.mark.parametrize("text", ["what if users=8", "¿y si usuarios=8?", "qué pasa si usuarios=8"])
def test_in_a_thread_it_needs_no_name(threaded, text) -> None:
    reply = says(threaded, text, THREAD)
    assert "Against D-1:" in reply.markdown
    other = says(threaded, text, replace(BEN, thread_ts="18.1"))
    assert "Against A-1:" in other.markdown


def test_later_words_win_and_other_models_and_cards_are_changes_too(decided) -> None:
    answer = says(decided, "what if D-1 llama-3.1-8b fp8 gpu=2xl40s").answer
    assert answer is not None
    asked = answer.understood
    assert (asked.model_id, asked.precision, asked.concurrent_requests) == (
        "llama-3.1-8b",
        "fp8",
        4,
    )
    assert (answer.options[0].gpu, answer.options[0].gpus) == ("l40s", 2)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("what if users=8", "nothing_here"),
        ("what if D-9 users=8", "unknown_decision"),
        ("what if D-1", "invalid_request"),
        ("what if D-1 nonsense", "unknown_model"),
        ("compare D-1", "invalid_request"),
        ("compare fp8 int4", "invalid_request"),
    ],
)
def test_what_cannot_be_answered_is_said(decided, text, code) -> None:
    reply = says(decided, text)
    assert reply.error is not None
    assert reply.error.code == code
    assert reply.private


@pytest.mark.parametrize(
    ("text", "precisions"),
    [
        ("compare D-1 fp8 int4", ["int8", "fp8", "int4"]),
        ("compare D-1 int8 | int4", ["int8", "int4"]),
        ("compare A-1 int4", ["int8", "int4"]),
    ],
)
def test_variants_of_a_decision_stand_side_by_side(decided, text, precisions) -> None:
    """The question itself stands first, unless a variant is the same."""
    reply = says(decided, text)
    assert reply.kind is ReplyKind.COMPARE
    assert reply.data is not None
    asked = [one["understood"] for one in reply.data["variants"]]
    assert [one["precision"] for one in asked] == precisions
    assert {one["concurrent_requests"] for one in asked} == {4}


def test_in_a_thread_variants_need_no_model(threaded) -> None:
    assert says(threaded, "compare fp8 int4", THREAD).kind is ReplyKind.COMPARE
    assert says(threaded, "compare fp8 | int4", THREAD).kind is ReplyKind.COMPARE
    # A whole comparison means the same in a thread as elsewhere.
    named = says(threaded, "compare llama-3.1-8b fp8 | int4", THREAD).data["variants"]
    assert {one["understood"]["model_id"] for one in named} == {"llama-3.1-8b"}


def test_a_plan_is_told_in_cards_servers_watts_and_money(decided) -> None:
    says(decided, "spec llama-3.1-70b fp8 users=20 + bge-m3")
    says(decided, "save A-2 server")
    reply = says(decided, "what if D-2 growth=100% users=40")
    assert reply.kind is ReplyKind.SPEC
    told = reply.data["difference"]["changes"]
    assert told["gpus"]["after"] > told["gpus"]["before"]
    assert {"total_w", "purchase_usd", "total_usd", "need_bytes"} <= set(told)
    page = reply.markdown
    assert "Against D-2: **" in page
    assert " cards · " in page
    assert "- BGE-M3: requests " in page
    spanish = says(decided, "y si D-2 crecimiento=100% lang=es").markdown
    assert "Frente a D-2: **" in spanish
    assert "tarjetas" in spanish
