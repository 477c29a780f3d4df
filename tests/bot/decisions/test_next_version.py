"""A decision that waits for changes goes on, and reviewers are named in lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.decisions.records import Rules
from bot.decisions.states import State
from bot.decisions.store import Sight
from bot.grammar.commands import Decide, SaveAnswer
from bot.grammar.decision_verbs import decision_command
from bot.render import Renderer
from bot.reply import Asker, Transport
from bot.service import Service
from tests.bot.decisions.conftest import ANA, BEN

OWNER = Asker("ben", None, Transport.TERMINAL)
MARIA = Asker("maria", None, Transport.TERMINAL)
EVERYTHING = Sight(tenant=None)


def says(service, text, asker=OWNER):
    return service.handle(text, asker, None)


def stands(log, number=1):
    return log.get_decision(number, EVERYTHING)


@pytest.mark.parametrize(
    ("text", "answer", "number", "title"),
    [
        ("save A-42 for D-4", "A-42", 4, ""),
        ("guardar A-42 para D-4", "A-42", 4, ""),
        ("save A-42 D-4", "A-42", 4, ""),
        ("save D-4", None, 4, ""),
        ("save D-4: A-42", "A-42", 4, ""),
        ("save A-42 for Atlas", "A-42", None, "for Atlas"),
        ("save A-42 Two cards instead of D-3", "A-42", None, "Two cards instead of D-3"),
    ],
)
def test_the_name_of_a_decision_is_no_title(text, answer, number, title) -> None:
    read = decision_command(text)
    assert isinstance(read, SaveAnswer)
    assert (read.reference, read.number, read.title) == (answer, number, title)


@pytest.mark.parametrize(
    ("text", "reviewers"),
    [
        ("propose D-1 reviewers=maria,ben", ("maria", "ben")),
        ("proponer D-1 revisores=maria, @ben", ("maria", "ben")),
        ("propose D-1 reviewers=<@U0ANA1|ana>, <@U0EVA1>", ("U0ANA1", "U0EVA1")),
        ("propose D-1 reviewers=<@U0ANA1> <@U0EVA1>", ("U0ANA1", "U0EVA1")),
        ("propose D-1", ()),
    ],
)
def test_reviewers_are_read(text, reviewers) -> None:
    read = decision_command(text)
    assert isinstance(read, Decide)
    assert (read.number, read.reviewers, read.reason) == (1, reviewers, "")


@pytest.mark.parametrize(
    "line", ["save A-2 for D-1", "guardar A-2 para D-1", "save A-2 D-1", "propose D-1 A-2"]
)
def test_another_answer_leads_out_of_changes_requested(service, log, line) -> None:
    for text, asker in [
        ("llama-13b int8", OWNER),
        ("save A-1 reviewers=maria pilot", OWNER),
        ("propose D-1", OWNER),
        ("changes D-1 please plan for 64k of context", MARIA),
        ("llama-13b int4", OWNER),
    ]:
        assert says(service, text, asker).error is None
    waiting = says(service, "status D-1").markdown
    assert "gpusize save A-… for D-1" in waiting
    assert "new version" in waiting
    assert "to save another answer" in says(service, "propose D-1").markdown
    assert says(service, line).error is None
    decision = stands(log)
    assert (decision.state, decision.version, decision.answer_id) == (State.PROPOSED, 2, "A-2")
    assert decision.title == "pilot"
    assert stands(log, 2) is None
    assert says(service, "approve D-1", MARIA).error is None


def test_a_draft_takes_the_rules_of_the_moment_it_is_proposed(catalogue, log) -> None:
    standing = [Rules()]
    service = Service(catalogue, log, Renderer(catalogue), standing=lambda: standing[0])
    says(service, "llama-13b int8")
    saved = says(service, "save A-1 pilot").markdown
    assert "nobody may approve yet" in saved
    assert "gpusize propose D-1 reviewers=…" in saved
    assert says(service, "propose D-1").error.code == "nobody_may_approve"
    standing[0] = Rules(users=("maria",))
    assert says(service, "propose D-1").error is None
    standing[0] = Rules(users=("eva",))
    assert says(service, "approve D-1", MARIA).error is None


def test_reviewers_are_named_when_a_draft_is_proposed(service, log) -> None:
    says(service, "llama-13b int8")
    says(service, "save A-1 pilot")
    assert says(service, "propose D-1 reviewers=ben").error.code == "never_review_your_own"
    assert says(service, "propose D-1 reviewers=maria").error is None
    assert (stands(log).reviewers, stands(log).rules.users) == (("maria",), ("maria",))


def test_in_slack_reviewers_are_mentions(service) -> None:
    error = says(service, "save A-1 reviewers=maria", BEN).error
    assert error.code == "reviewer_unmentioned"
    assert says(service, "save A-1 reviewers=<@U0ANA|ana>", BEN).decision.reviewers == (
        ANA.user_id,
    )


@pytest.mark.parametrize(
    "text", ["save A-1 project=", "guardar A-1 proyecto=", "save A-1 reviewers="]
)
def test_an_option_without_its_value_is_no_title(service, log, text) -> None:
    assert says(service, text, BEN).error.code == "invalid_request"
    assert stands(log) is None


def test_in_a_thread_what_comes_next_is_typed_as_a_mention(service) -> None:
    says(service, "save A-1", BEN)
    assert "`/gpusize propose D-1`" in says(service, "status D-1", BEN).markdown
    there = replace(BEN, thread_ts="17.1")
    assert "`@gpusize propose D-1`" in says(service, "status D-1", there).markdown
    assert "`gpusize propose D-1" in says(service, "status D-1").markdown


def test_a_missing_reason_is_shown_with_the_verb_that_was_typed(service) -> None:
    for number in (1, 2):
        says(service, "save A-1", BEN)
        says(service, f"propose D-{number}", BEN)
        says(service, f"approve D-{number}", ANA)
    assert "supersede D-42 by D-50" in says(service, "supersede D-1 by D-2", BEN).markdown
    assert "reemplazar D-42 por D-50" in says(service, "reemplazar D-1 por D-2", ANA).markdown
