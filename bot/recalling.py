"""Past answers: listed, shown again, explained; and the use cases that can show their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from bot.actions import manner
from bot.grammar.commands import (
    Decide,
    ExplainAnswer,
    ListAnswers,
    OpinionAnswer,
    SaveAnswer,
    ShowAnswer,
    ShowDecision,
    StartAnswer,
)
from bot.listings import Listings
from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from bot.deciding import Deciding
    from bot.derived import Pages
    from bot.history import History
    from bot.render import Renderer
    from bot.reply import Asker, HistoryEntry, Reply
    from bot.reviewing import Reviewing
    from bot.specifying import Specifying
    from bot.turned_round import TurnedRound
    from sizing.catalogue import Catalogue

Recalled = (
    ListAnswers
    | ShowAnswer
    | ExplainAnswer
    | StartAnswer
    | OpinionAnswer
    | SaveAnswer
    | Decide
    | ShowDecision
)
"""Lines about past answers, and about what was decided on them."""


class Recalling:
    """Brings back what was answered."""

    def __init__(
        self,
        catalogue: Catalogue,
        history: History,
        renderer: Renderer,
        *,
        pages: Pages,
        deciding: Callable[[], Deciding],
    ) -> None:
        self._catalogue = catalogue
        self._history = history
        self._renderer = renderer
        self._pages = pages
        self._deciding = deciding
        self._listings = Listings(catalogue, renderer)

    # Loaded with the first question of their kinds: few processes have one.

    @cached_property
    def specifying(self) -> Specifying:
        """Return the use case of whole servers."""
        from bot.specifying import Specifying

        return Specifying(self._catalogue, self._history, self._renderer)

    @cached_property
    def turned_round(self) -> TurnedRound:
        """Return the use case of models that fit."""
        from bot.turned_round import TurnedRound

        return TurnedRound(self._catalogue, self._history, self._renderer)

    @cached_property
    def reviewing(self) -> Reviewing:
        """Return the use case of lines about decisions."""
        from bot.reviewing import Reviewing

        return Reviewing(self._deciding(), self._renderer)

    def recall(self, command: Recalled, asker: Asker, named: str | None) -> Reply:
        """Return what a line wants of the past, in the language `named` or else the asker's."""
        language = named or asker.language
        match command:
            case ListAnswers():
                listing = self._history.listing(command.query, asker)
                return self._listings.answers(listing, asker, language)
            case ShowAnswer():
                return self._shown(self._history.entry(command.reference, asker), asker, named)
            case SaveAnswer() | Decide() | ShowDecision():
                return self.reviewing.answer(command, asker, language)
            case _:
                entry = self._history.entry(command.reference, asker)
                return self._pages.about(entry, language, command)

    def _shown(self, entry: HistoryEntry, asker: Asker, named: str | None) -> Reply:
        if isinstance(entry.answer, SizingAnswer):
            asked = manner(named, private=True)
            return self._pages.shown(entry, named or asker.language, manner=asked)
        from sizing.fits import FitsAnswer

        if isinstance(entry.answer, FitsAnswer):
            return self.turned_round.shown(entry, entry.answer, asker, named)
        return self.specifying.shown(entry, entry.answer, asker, named)
