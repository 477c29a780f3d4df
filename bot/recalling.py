"""Past answers: listed, shown again, explained; and the use cases that can show their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from bot.actions import manner
from bot.grammar.commands import (
    AskSpec,
    Decide,
    DecisionMinutes,
    ExplainAnswer,
    ExportDecisions,
    ListAnswers,
    ListDecisions,
    OpinionAnswer,
    Power,
    SaveAnswer,
    ShowAnswer,
    ShowDecision,
    SpecOfAnswers,
    StartAnswer,
)
from bot.listings import Listings
from bot.sought import sought_of
from sizing.answer import SizingAnswer
from sizing.request import Goal, SizingRequest

if TYPE_CHECKING:
    from bot.archiving import Archiving
    from bot.deciding import Deciding
    from bot.derived import Pages
    from bot.finding import Finding
    from bot.history import History
    from bot.overview import Overview
    from bot.powering import Powering
    from bot.render import Renderer
    from bot.reply import Asker, HistoryEntry, Reply
    from bot.reviewing import Reviewing
    from bot.specifying import Specifying
    from bot.turned_round import TurnedRound
    from sizing.catalogue import Catalogue
    from sizing.spec.request import SpecRequest

Recalled = (
    ListAnswers
    | ListDecisions
    | ShowAnswer
    | ExplainAnswer
    | StartAnswer
    | OpinionAnswer
    | SaveAnswer
    | Decide
    | ShowDecision
    | ExportDecisions
    | DecisionMinutes
)
"""Lines about past answers, and about what was decided on them."""

Past: TypeAlias = "SizingRequest | SpecRequest"
"""What a past answer was asked."""


@dataclass(frozen=True)
class Reader:
    """Reads what a line leaves open."""

    recalled: Callable[[str, SpecOfAnswers, Mapping[str, Past]], AskSpec]
    """Reads a line again, with what past answers were asked."""

    completed: Callable[[SizingRequest], SizingRequest]
    """Adds what stands outside the catalogue."""


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

    @cached_property
    def finding(self) -> Finding:
        """Return the use case of decisions that are looked for."""
        from bot.finding import Finding

        return Finding(self._deciding(), self._renderer)

    @cached_property
    def overview(self) -> Overview:
        """Return the use case of the Home tab."""
        from bot.overview import Overview

        stamp = self._catalogue.stamp
        return Overview(self._deciding(), self.finding, catalogue_date=stamp.date)

    @cached_property
    def archiving(self) -> Archiving:
        """Return the use case of decisions as files."""
        from bot.archiving import Archiving

        return Archiving(self._deciding(), self._renderer)

    @cached_property
    def powering(self) -> Powering:
        """Return the use case of electricity."""
        from bot.powering import Powering

        return Powering(self._catalogue, self._history, self._renderer)

    def recall(self, command: Recalled, asker: Asker, named: str | None) -> Reply:
        """Return what a line wants of the past, in the language `named` or else the asker's."""
        language = named or asker.language
        match command:
            case ListDecisions():
                return self.finding.listed(command, asker, language)
            case ListAnswers():
                return self._latest(command.query, asker, language)
            case ShowAnswer():
                return self._shown(self._history.entry(command.reference, asker), asker, named)
            case ShowDecision(number=None, whole=True) if self._deciding().here(asker) is None:
                # Outside of the threads of decisions, the history is that of all of them.
                return self._latest("", asker, language)
            case SaveAnswer() | Decide() | ShowDecision():
                return self.reviewing.answer(command, asker, language)
            case ExportDecisions() | DecisionMinutes():
                return self.archiving.answer(command, asker, language)
            case _:
                entry = self._history.entry(command.reference, asker)
                return self._pages.about(entry, language, command)

    def planned(
        self,
        command: AskSpec | SpecOfAnswers | Power,
        text: str,
        asker: Asker,
        *,
        reader: Reader,
        named: str | None,
    ) -> Reply:
        """Return a server for models or for what past answers were asked, or what one draws."""
        if isinstance(command, Power):
            return self.powering.answer(command, text, asker, named)
        if isinstance(command, SpecOfAnswers):
            entries = {name: self._history.entry(name, asker) for name in command.references}
            if not command.says_more and (logged := self._logged(entries, command, asker, named)):
                return logged
            past = {name: _asked(entry) for name, entry in entries.items()}
            command = reader.recalled(text, command, past)
        completed = reader.completed
        return self.specifying.answer(command, text, asker, completed=completed, named=named)

    def _logged(
        self,
        entries: Mapping[str, HistoryEntry],
        command: SpecOfAnswers,
        asker: Asker,
        named: str | None,
    ) -> Reply | None:
        """Return a logged server again, or its checklist; None where it is not one alone."""
        from sizing.spec.answer import Spec

        (entry,) = entries.values()
        if not isinstance(entry.answer, Spec):
            return None
        return self.specifying.shown(
            entry, entry.answer, asker, named, checklist_alone=command.checklist
        )

    def _latest(self, text: str, asker: Asker, language: str) -> Reply:
        """Return the latest answers, below the decisions that hold the same words."""
        listing = self._history.listing(text, asker)
        decisions = self.finding.matching(text, asker, language)
        sought = sought_of(text, has_decisions=decisions is not None)
        answers = self._listings.answers(listing, asker, language, sought)
        if decisions is None:
            return answers
        return replace(
            answers,
            markdown=f"{decisions.markdown}\n{answers.markdown}",
            data={**(answers.data or {}), **(decisions.data or {})},
        )

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


def _asked(entry: HistoryEntry) -> Past:
    """Return what an answer was asked; raise CodedError where it sizes nothing."""
    from sizing.spec.request import SpecRequest

    if isinstance(entry.request, SpecRequest):
        return entry.request
    request, _ = entry.asked, entry.sized
    # The day of the new question is its own, and a server is for a load, not for the most of one.
    return request.model_copy(update={"as_of": None, "goal": Goal.SIZE})
