"""States of a decision, and the actions that lead from one to the next."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class State(StrEnum):
    """Where a decision stands."""

    DRAFT = "draft"
    PROPOSED = "proposed"
    CHANGES_REQUESTED = "changes_requested"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class Action(StrEnum):
    """What can happen to a decision; each is one event of its log."""

    SAVE = "save"
    PROPOSE = "propose"
    REVISE = "revise"
    APPROVE = "approve"
    REJECT = "reject"
    ASK_CHANGES = "ask_changes"
    WITHDRAW = "withdraw"
    SUPERSEDE = "supersede"
    PLACE = "place"
    REMIND = "remind"
    RECHECK = "recheck"
    ACTUAL = "actual"


FROM: Final[dict[Action, frozenset[State]]] = {
    Action.PROPOSE: frozenset({State.DRAFT}),
    Action.REVISE: frozenset({State.DRAFT, State.PROPOSED, State.CHANGES_REQUESTED}),
    Action.APPROVE: frozenset({State.PROPOSED}),
    Action.REJECT: frozenset({State.PROPOSED, State.CHANGES_REQUESTED}),
    Action.ASK_CHANGES: frozenset({State.PROPOSED}),
    Action.WITHDRAW: frozenset({State.DRAFT, State.PROPOSED, State.CHANGES_REQUESTED}),
    Action.SUPERSEDE: frozenset({State.APPROVED}),
    Action.REMIND: frozenset({State.PROPOSED}),
    Action.RECHECK: frozenset({State.APPROVED, State.PROPOSED, State.CHANGES_REQUESTED}),
}
"""States in which an action may be taken; those that are not named here, in every state."""

REQUESTERS: Final = frozenset({Action.PROPOSE, Action.REVISE, Action.WITHDRAW})
"""Actions of the person who asked for the decision."""

APPROVERS: Final = frozenset({Action.APPROVE, Action.REJECT, Action.ASK_CHANGES})
"""Actions of those who may approve it."""

REASONED: Final = frozenset({Action.REJECT, Action.ASK_CHANGES, Action.SUPERSEDE})
"""Actions that need a reason in words."""

ENDED: Final = frozenset({State.REJECTED, State.WITHDRAWN, State.SUPERSEDED})
"""States that nothing leads out of."""
