"""Who may do what, and the sentence for those who may not."""

from __future__ import annotations

import pytest

from bot.decisions.permission import Actor, Attempt, DeniedError, check
from bot.decisions.records import LONGEST_REASON, SHORTEST_REASON, Rules
from bot.decisions.rules import check_reachable, check_reviewers, rules_for
from bot.decisions.states import Action
from bot.errors import CodedError
from tests.bot.decisions.conftest import Staff, event, first
from tests.bot.decisions.test_life import standing

REASON = "too dear before the new budget"


def proposed(**rules):
    named = rules or {"users": ("U0ANA",)}
    return standing(first(rules=Rules(**named)), event(Action.PROPOSE))


def tried(decision, action, user, *, reason=REASON, version=None, is_bot=False):
    actor = Actor(user_id=user, is_bot=is_bot)
    check(decision, Attempt(action=action, actor=actor, reason=reason, version=version), Staff())


@pytest.mark.parametrize(
    ("rules", "user"),
    [
        ({"users": ("U0ANA",)}, "U0ANA"),
        ({"groups": ("S0LEADS",)}, "U0EVA"),
        ({"channels": ("C1",)}, "U0ANA"),
        ({"users": ("U0BEN",), "may_approve_own": True}, "U0BEN"),
    ],
)
def test_those_who_may(rules, user) -> None:
    for action in (Action.APPROVE, Action.REJECT, Action.ASK_CHANGES):
        tried(proposed(**rules), action, user)


@pytest.mark.parametrize(
    ("rules", "action", "user", "code"),
    [
        ({"users": ("U0ANA",)}, Action.APPROVE, "U0EVA", "not_an_approver"),
        ({"groups": ("S0LEADS",)}, Action.REJECT, "U0ZOE", "not_an_approver"),
        ({"channels": ("C1",)}, Action.APPROVE, "U0BEN", "never_your_own"),
        ({"users": ("U0ANA",)}, Action.WITHDRAW, "U0ANA", "only_requester"),
        ({"users": ("U0ANA",)}, Action.PROPOSE, "U0BEN", "not_in_state"),
        ({"users": ("U0ANA",)}, Action.SUPERSEDE, "U0ANA", "not_in_state"),
    ],
)
def test_those_who_may_not(rules, action, user, code) -> None:
    with pytest.raises(DeniedError) as denied:
        tried(proposed(**rules), action, user)
    assert denied.value.code == code


def test_no_program_decides() -> None:
    with pytest.raises(DeniedError, match="bots_never_decide"):
        tried(proposed(), Action.APPROVE, "U0ANA", is_bot=True)


def test_a_button_of_an_older_version_does_nothing() -> None:
    decision = standing(first(), event(Action.PROPOSE), event(Action.REVISE))
    with pytest.raises(DeniedError) as denied:
        tried(decision, Action.APPROVE, "U0ANA", version=1)
    assert (denied.value.code, denied.value.values["version"]) == ("inputs_changed", 2)
    tried(decision, Action.APPROVE, "U0ANA", version=2)


def test_nobody_counts_twice() -> None:
    rules = Rules(users=("U0ANA", "U0EVA"), needed=2)
    half = standing(first(rules=rules), event(Action.PROPOSE), event(Action.APPROVE, "U0ANA"))
    with pytest.raises(DeniedError, match="approved_already"):
        tried(half, Action.APPROVE, "U0ANA")
    tried(half, Action.APPROVE, "U0EVA")


def test_what_is_decided_says_by_whom() -> None:
    done = standing(first(), event(Action.PROPOSE), event(Action.APPROVE, "U0ANA"))
    with pytest.raises(DeniedError) as denied:
        tried(done, Action.REJECT, "U0ANA")
    assert denied.value.values["who"] == "ana"


@pytest.mark.parametrize(
    ("length", "is_taken"),
    [
        (0, False),
        (SHORTEST_REASON - 1, False),
        (SHORTEST_REASON, True),
        (LONGEST_REASON, True),
        (LONGEST_REASON + 1, False),
    ],
)
def test_reasons_have_a_length(length, is_taken) -> None:
    if is_taken:
        tried(proposed(), Action.REJECT, "U0ANA", reason="x" * length)
        return
    with pytest.raises(CodedError, match="reason_"):
        tried(proposed(), Action.REJECT, "U0ANA", reason="x" * length)


def test_standing_rules_come_first_then_reviewers_then_the_conversation() -> None:
    assert rules_for(Rules(groups=("S0LEADS",)), ("U0ANA",), "C1").groups == ("S0LEADS",)
    assert rules_for(Rules(needed=2), ("U0ANA",), "C1") == Rules(users=("U0ANA",), needed=2)
    assert rules_for(None, (), "C1") == Rules(channels=("C1",))
    assert rules_for(None, (), None) == Rules()


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        (Rules(), "nobody_may_approve"),
        (Rules(users=("U0BEN",)), "nobody_may_approve"),
        (Rules(groups=("S0LEADS",), needed=3), "too_few_approvers"),
    ],
)
def test_a_proposal_needs_people_enough(rules, code) -> None:
    with pytest.raises(CodedError, match=code):
        check_reachable(rules, "U0BEN", Staff())


def test_people_enough_are_enough() -> None:
    check_reachable(Rules(groups=("S0LEADS",), needed=2), "U0BEN", Staff())
    check_reachable(Rules(users=("U0BEN",), may_approve_own=True), "U0BEN", Staff())


def test_who_is_asked_to_review_may_approve() -> None:
    check_reviewers(Rules(groups=("S0LEADS",)), ("U0EVA",), Staff())
    with pytest.raises(CodedError, match="reviewer_may_not"):
        check_reviewers(Rules(groups=("S0LEADS",)), ("U0BEN",), Staff())


def test_oneself_as_the_only_reviewer_is_said_so() -> None:
    rules = Rules(users=("U0BEN",))
    with pytest.raises(CodedError, match="never_review_your_own"):
        check_reachable(rules, "U0BEN", Staff(), ("U0BEN",))
    own = rules.model_copy(update={"may_approve_own": True})
    check_reachable(own, "U0BEN", Staff(), ("U0BEN",))


def test_where_nobody_else_is_one_may_approve_ones_own_if_that_is_allowed() -> None:
    own = Rules(may_approve_own=True)
    assert rules_for(own, (), None, "ben").users == ("ben",)
    assert rules_for(Rules(), (), None, "ben").users == ()
    assert rules_for(own, ("ana",), None, "ben").users == ("ana",)
    assert rules_for(own, (), "C1", "ben").users == ()
