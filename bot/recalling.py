"""Past answers: listed, shown again, explained; and the use cases that can show their own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from bot.actions import manner
from bot.errors import CodedError
from bot.grammar.commands import (
    ExplainAnswer,
    ListAnswers,
    OpinionAnswer,
    ShowAnswer,
    StartAnswer,
)
from bot.listings import Listings
from sizing.answer import SizingAnswer
from sizing.request import SizingRequest

if TYPE_CHECKING:
    from bot.derived import Pages
    from bot.history import History
    from bot.powering import Powering
    from bot.render import Renderer
    from bot.reply import Asker, HistoryEntry, Reply
    from bot.specifying import Specifying
    from bot.turned_round import TurnedRound
    from sizing.catalogue import Catalogue
    from sizing.spec.request import SpecRequest

Recalled = ListAnswers | ShowAnswer | ExplainAnswer | StartAnswer | OpinionAnswer
"""Lines about past answers."""


class Recalling:
    """Brings back what was answered."""

    def __init__(
        self, catalogue: Catalogue, history: History, renderer: Renderer, *, pages: Pages
    ) -> None:
        self._catalogue = catalogue
        self._history = history
        self._renderer = renderer
        self._pages = pages
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
    def powering(self) -> Powering:
        """Return the use case of electricity."""
        from bot.powering import Powering

        return Powering(self._catalogue, self._history, self._renderer)

    def asked(self, reference: str, asker: Asker) -> SizingRequest | SpecRequest:
        """Return what a logged answer about models was asked; an empty question without one."""
        try:
            request = self._history.entry(reference, asker).request
        except CodedError:
            return SizingRequest()
        from sizing.spec.request import SpecRequest

        return request if isinstance(request, SizingRequest | SpecRequest) else SizingRequest()

    def recall(self, command: Recalled, asker: Asker, named: str | None) -> Reply:
        """Return what a line wants of the past, in the language `named` or else the asker's."""
        language = named or asker.language
        match command:
            case ListAnswers():
                listing = self._history.listing(command.query, asker)
                return self._listings.answers(listing, asker, language)
            case ShowAnswer():
                return self._shown(self._history.entry(command.reference, asker), asker, named)
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
        from sizing.spec.answer import Spec

        if isinstance(entry.answer, Spec):
            return self.specifying.shown(entry, entry.answer, asker, named)
        return self.powering.shown(entry, entry.answer, asker, named)
