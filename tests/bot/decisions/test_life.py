"""The life of a decision, event by event."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.decisions.life import after, replayed
from bot.decisions.permission import Actor, Attempt, DeniedError, check
from bot.decisions.records import Decision, Details, Event, Rules
from bot.decisions.states import ENDED, FROM, Action, State
from tests.bot.decisions.conftest import Staff, event, first

REASON = "too dear before the new budget"


def told(*events) -> tuple[Event, ...]:
    return tuple(
        Event(**dict(one), decision=7, sequence=number, at=f"2026-11-30T10:00:{number:02}.000Z")
        for number, one in enumerate(events, start=1)
    )


def standing(*events) -> Decision:
    return replayed(told(*events))


def test_a_decision_begins_as_a_draft() -> None:
    decision = standing(first(project="Atlas"))
    assert (decision.name, decision.state, decision.version) == ("D-7", State.DRAFT, 1)
    assert (decision.requester_id, decision.project) == ("U0BEN", "Atlas")


@pytest.mark.parametrize(
    ("actions", "state"),
    [
        ([Action.PROPOSE], State.PROPOSED),
        ([Action.PROPOSE, Action.APPROVE], State.APPROVED),
        ([Action.PROPOSE, Action.REJECT], State.REJECTED),
        ([Action.PROPOSE, Action.ASK_CHANGES], State.CHANGES_REQUESTED),
        ([Action.PROPOSE, Action.ASK_CHANGES, Action.REVISE], State.PROPOSED),
        ([Action.WITHDRAW], State.WITHDRAWN),
        ([Action.REVISE], State.DRAFT),
        ([Action.PROPOSE, Action.APPROVE, Action.SUPERSEDE], State.SUPERSEDED),
        ([Action.PROPOSE, Action.PLACE, Action.RECHECK], State.PROPOSED),
    ],
)
def test_each_action_leads_where_it_should(actions, state) -> None:
    assert standing(first(), *(event(one, "U0ANA") for one in actions)).state is state


def test_two_of_two_have_to_approve() -> None:
    rules = Rules(users=("U0ANA", "U0EVA"), needed=2)
    begun = [first(rules=rules), event(Action.PROPOSE), event(Action.APPROVE, "U0ANA")]
    half = standing(*begun)
    assert (half.state, half.approvals) == (State.PROPOSED, ("U0ANA",))
    assert standing(*begun, event(Action.APPROVE, "U0EVA")).state is State.APPROVED


def test_a_new_version_has_to_be_approved_anew() -> None:
    rules = Rules(users=("U0ANA", "U0EVA"), needed=2)
    revised = event(Action.REVISE, answer_id="A-9", answer_hash="b", request_hash="q")
    decision = standing(
        first(rules=rules), event(Action.PROPOSE), event(Action.APPROVE, "U0ANA"), revised
    )
    assert (decision.version, decision.approvals, decision.answer_id) == (2, (), "A-9")


def test_what_replaces_it_is_named() -> None:
    replaced = event(Action.SUPERSEDE, reason=REASON, details=Details(superseded_by=9))
    decision = standing(first(), event(Action.PROPOSE), event(Action.APPROVE, "U0ANA"), replaced)
    assert (decision.superseded_by, decision.reason) == (9, REASON)


@given(st.lists(st.sampled_from(list(Action)), max_size=12))
def test_no_walk_leaves_an_end(actions) -> None:
    """Whatever is tried, in whatever order: only what is allowed is added, and ends stay ends."""
    decision = after(None, told(first())[0])
    walk = [decision]
    for action in actions:
        actor = "U0BEN" if action in {Action.PROPOSE, Action.REVISE, Action.WITHDRAW} else "U0ANA"
        attempt = Attempt(action=action, actor=Actor(user_id=actor), reason=REASON)
        try:
            check(decision, attempt, Staff())
        except DeniedError:
            continue
        made = Event(
            **dict(event(action, actor)), decision=7, sequence=decision.sequence + 1, at="2026"
        )
        decision = after(decision, made)
        walk.append(decision)
    for one, following in pairwise(walk):
        assert following.sequence == one.sequence + 1
        if one.state in ENDED:
            assert following.state is one.state


def test_every_state_but_the_ends_leads_on() -> None:
    for state in set(State) - ENDED:
        assert any(state in allowed for allowed in FROM.values())
