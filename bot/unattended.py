"""What work that nobody asks for needs: a name for who does it, and all decisions of a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from bot.decisions.store import Sight, Wanted
from bot.reply import Asker, Transport

if TYPE_CHECKING:
    from bot.decisions.records import Decision
    from bot.decisions.states import State
    from bot.storage import Log

OWN_NAME: Final = "gpusize"
"""Who acts where nobody asks for it."""

PAGE: Final = 100
"""Decisions that are read from the log at once."""

SEES_ALL: Final = Sight(tenant=None)
"""View of the log as a whole."""


def own_asker(decision: Decision) -> Asker:
    """Return who does something to a decision by itself: nobody's name, who sees all."""
    return Asker(
        OWN_NAME,
        None,
        Transport.TERMINAL,
        decision.language,
        team_id=decision.team_id,
        enterprise_id=decision.enterprise_id,
        user_name=OWN_NAME,
    )


def all_in(state: State, log: Log) -> tuple[Decision, ...]:
    """Return all decisions of a state, of every workspace, read before any is changed."""
    return tuple(_pages(state, log))


def _pages(state: State, log: Log) -> Iterator[Decision]:
    offset = 0
    while True:
        wanted = Wanted(states=frozenset({state}), limit=PAGE, offset=offset)
        page = log.find_decisions(wanted, SEES_ALL)
        yield from page
        if len(page) < PAGE:
            return
        offset += PAGE
