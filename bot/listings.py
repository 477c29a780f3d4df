"""What the catalogue and the log hold, listed for one person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.cards import MOST_CARDS
from bot.contract import gpus_contract, history_contract, models_contract
from bot.derived import private_page
from bot.grammar.commands import ListGpus, ListModels
from bot.reply import Asker, Listing, Reply, ReplyKind
from bot.search import matching_gpus, matching_models

if TYPE_CHECKING:
    from bot.render import Renderer
    from bot.sought import Sought
    from sizing.answer import NoteValue
    from sizing.catalogue import Catalogue
    from sizing.records import GpuRecord
    from sizing.request import GpuChoice


class Listings:
    """Lists the models and accelerators of one catalogue, and answers of the log."""

    def __init__(self, catalogue: Catalogue, renderer: Renderer) -> None:
        self._catalogue = catalogue
        self._renderer = renderer

    def found(self, command: ListModels | ListGpus, asker: Asker, language: str) -> Reply:
        """Return what a line looks for in the catalogue."""
        if isinstance(command, ListModels):
            return self.models(command.query, asker, language)
        return self.gpus(command.query, asker, language)

    def models(self, query: str, asker: Asker, language: str) -> Reply:
        """Return the models whose names hold `query`."""
        models = matching_models(query, self._catalogue)
        page = self._renderer.models(models, language, text=query, command=asker.command)
        summary = self._said(language, "models", count=len(models))
        return private_page(
            ReplyKind.MODELS, page, language, summary=summary, data=models_contract(models)
        )

    def gpus(self, query: str, asker: Asker, language: str) -> Reply:
        """Return the accelerators whose names hold `query`: a few with all their facts."""
        gpus = matching_gpus(query, self._catalogue)
        if 0 < len(gpus) <= MOST_CARDS:
            return self.cards(gpus, asker, language, question=False)
        page = self._renderer.gpus(gpus, language, text=query, command=asker.command)
        summary = self._said(language, "gpus", count=len(gpus))
        return private_page(
            ReplyKind.GPUS, page, language, summary=summary, data=gpus_contract(gpus)
        )

    def cards(
        self, gpus: Sequence[GpuRecord], asker: Asker, language: str, *, question: bool
    ) -> Reply:
        """Return the facts of a few accelerators."""
        command = asker.command
        page = self._renderer.cards(gpus, language, command=command, question=question)
        names = tuple(map(self._renderer.messages(language).labels.gpu, (gpu.id for gpu in gpus)))
        summary = self._said(language, "cards", names=names)
        return private_page(
            ReplyKind.GPUS, page, language, summary=summary, data=gpus_contract(gpus)
        )

    def named(self, choices: Sequence[GpuChoice], asker: Asker, language: str) -> Reply | None:
        """Return the facts of accelerators named without a model; None where none was."""
        names = dict.fromkeys(choice.gpu for choice in choices if choice.gpu)
        gpus = [self._catalogue.gpus[name] for name in names][:MOST_CARDS]
        return self.cards(gpus, asker, language, question=True) if gpus else None

    def answers(
        self, listing: Listing, asker: Asker, language: str, sought: Sought | None = None
    ) -> Reply:
        """Return the latest answers of the log; `sought` is what was looked for."""
        page = self._renderer.history(listing, language, sought=sought, command=asker.command)
        summary = self._said(language, "list", count=len(listing.entries))
        return private_page(
            ReplyKind.LIST, page, language, summary=summary, data=history_contract(listing)
        )

    def _said(self, language: str, code: str, **values: NoteValue) -> str:
        """Return the sentence that says what a page is."""
        return self._renderer.messages(language).word("summaries", code, **values)
