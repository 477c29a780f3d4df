"""What one person's Home tab lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.decisions.states import State
from bot.decisions.store import Wanted
from bot.home_view import ANY, HomeContent, HomeState
from sizing import __version__

if TYPE_CHECKING:
    from bot.deciding import Deciding
    from bot.finding import Finding
    from bot.reply import Asker

MOST_WAITING: Final = 5
"""Decisions listed of those that wait for somebody."""

MOST_ASKED: Final = 10
"""Decisions listed of those that somebody asked for."""

OPEN: Final = frozenset({State.DRAFT, State.PROPOSED, State.CHANGES_REQUESTED})
"""States in which a decision still waits for something."""


class Overview:
    """Collects what a Home tab lists."""

    def __init__(self, deciding: Deciding, finding: Finding, *, catalogue_date: str) -> None:
        self._deciding = deciding
        self._finding = finding
        self._catalogue_date = catalogue_date

    def content(self, asker: Asker, state: HomeState) -> HomeContent:
        """Return what the asker's tab lists, with its filters set to `state`."""
        names = self._finding.names_of(asker)
        waiting = Wanted(waiting_for=names)
        asked = Wanted(requester_id=asker.user_id, states=OPEN)
        return HomeContent(
            waiting=self._finding.page(waiting, asker, size=MOST_WAITING).decisions,
            asked=self._finding.page(asked, asker, size=MOST_ASKED).decisions,
            recent=self._finding.page(_filtered(state, asker), asker, number=state.page),
            projects=self._deciding.projects(asker),
            version=__version__,
            catalogue_date=self._catalogue_date,
        )


def _filtered(state: HomeState, asker: Asker) -> Wanted:
    known = {one.value: one for one in State}
    return Wanted(
        states=frozenset({known[state.state]}) if state.state in known else frozenset(),
        project=None if state.project == ANY else state.project,
        requester_id=asker.user_id if state.mine else None,
    )
