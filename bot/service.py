"""Use cases: what happens to a question, whichever door it came through."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from bot.actions import explain_button, language_in, manner, other_buttons
from bot.command import Grammar, IncompleteRequestError
from bot.derived import Pages, help_reply, started
from bot.errors import CodedError, StorageError
from bot.grammar.commands import (
    Ask,
    AskChecklist,
    Command,
    Compare,
    ComputedAgain,
    ListGpus,
    ListModels,
    NotAvailable,
    Planned,
    StartAsked,
)
from bot.grammar.rent_or_buy import asks_rent_or_buy
from bot.history import History
from bot.listings import Listings
from bot.recalling import Reader, Recalled, Recalling
from bot.remembered import sizer
from bot.render import Renderer
from bot.reply import Asker, HistoryEntry, Reply, ReplyKind
from bot.sources.outside import Outside
from bot.sources.references import Sources
from bot.start import starts_of
from bot.storage import SEEN_FOR_S, Log
from bot.telling import Telling
from sizing.catalogue import Catalogue
from sizing.errors import SizingError
from sizing.request import Goal

if TYPE_CHECKING:
    from bot.again.lines import Again
    from bot.comparing import Comparing
    from bot.deciding import Deciding
    from bot.decisions.records import Rules
    from bot.opinion import Opinions
    from bot.overview import Overview
    from bot.recording import Recording
    from bot.refining import Refining
    from bot.sources.attached import Attachment
    from bot.ticking import Ticking

LONGEST_QUESTION = 3000  # characters; nobody types more by hand


class Service(Telling):
    """Reads a question, sizes it, logs the answer and words the reply."""

    def __init__(
        self,
        catalogue: Catalogue,
        log: Log,
        renderer: Renderer,
        *,
        sources: Sources | None = None,
        opinions: Opinions | None = None,
        today: Callable[[], date] | None = None,
        standing: Callable[[], Rules] | None = None,
    ) -> None:
        """Take the parts; without `today` prices age from the day of the catalogue.

        `standing` are the rules of who may approve decisions, where there are any.
        """
        self._catalogue = catalogue
        self._log = log
        super().__init__(History(log, catalogue.stamp.digest), renderer)
        self._pages = Pages(renderer, catalogue, opinions)
        self._listings = Listings(catalogue, renderer)
        self._standing = standing
        self._recalling = Recalling(
            catalogue, self._history, renderer, pages=self._pages, deciding=lambda: self.deciding
        )
        self._grammar = Grammar(catalogue)
        self._size = sizer(catalogue)
        self._outside = Outside(catalogue, sources or Sources(), today)

    @cached_property
    def _comparing(self) -> Comparing:
        from bot.comparing import Comparing

        return Comparing(self._size, self._history, self._renderer, catalogue=self._catalogue)

    @cached_property
    def deciding(self) -> Deciding:
        """Return the use case of decisions."""
        from bot.deciding import Deciding

        return Deciding(self._history, self._log, standing=self._standing)

    @property
    def overview(self) -> Overview:
        """Return the use case of the Home tab."""
        return self._recalling.overview

    @cached_property
    def again(self) -> Again:
        """Return the use case of computing past questions again."""
        from bot.again.lines import Again, Asking, Tools

        ways = (self._answer, self._planned, self._compared, self._outside.completed, self._size)
        parts = (self._catalogue, self._grammar, self._history, self._log, self._renderer)
        return Again(Tools(*parts, self.deciding, Asking(*ways)))

    @cached_property
    def recording(self) -> Recording:
        """Return the words of decisions for Slack."""
        from bot.recording import Recording

        return Recording(self.deciding, self._recalling.reviewing, self._renderer, self._pages)

    @cached_property
    def ticking(self) -> Ticking:
        """Return the use case of ticking a checklist."""
        from bot.ticking import Ticking

        return Ticking(self._catalogue, self._history, self._log)

    @cached_property
    def refining(self) -> Refining:
        """Return the form, and the use case of asking again by it."""
        from bot.form.filling import Form
        from bot.refining import Refining

        return Refining(Form(self._catalogue, self._grammar), self._history, self._renderer)

    def handle(self, text: str, asker: Asker, language: str | None) -> Reply:
        """Answer `text`; `language` overrules the one in the question and the asker's.

        Raises StorageError: its values name a file, which is not for everyone to read.
        """
        fallback = language or language_in(text) or asker.language
        if len(text) > LONGEST_QUESTION:
            error = CodedError("too_long", limit_characters=LONGEST_QUESTION)
            return self._refuse(error, text[:LONGEST_QUESTION], asker, fallback)
        try:
            command = self._grammar.parse(text, in_thread=asker.thread_ts is not None)
            return self._obey(command, text, asker, language or command.language)
        except IncompleteRequestError as error:
            return self._cards_named(error, text, asker, fallback)
        except StorageError:
            raise
        except (SizingError, CodedError) as error:
            return self._refuse(error, text, asker, fallback)

    def understands(self, text: str) -> bool:
        """Return whether a line asks for something by itself."""
        return len(text) <= LONGEST_QUESTION and self._grammar.understands(text)

    def handle_file(self, attached: Attachment, text: str, asker: Asker) -> Reply:
        """Answer the question in `text`, if it is one, about attached files."""
        asked, reader = f"{text} {attached.reference}", copy(self)
        sources = replace(self._outside.sources, file=attached.model)
        reader._outside = replace(self._outside, sources=sources)
        is_question = len(asked) <= LONGEST_QUESTION and self._grammar.asks(asked)
        return reader.handle(asked if is_question else attached.reference, asker, None)

    def explain(self, reference: str, asker: Asker) -> Reply:
        """Return what is behind a logged answer, in its language, for all who see it."""
        return self._below(reference, asker, self._pages.explained)

    def start(self, reference: str, asker: Asker) -> Reply:
        """Return how to start what a logged answer proposes, in its language, for all."""
        return self._below(reference, asker, self._pages.started)

    def second_opinion(self, reference: str, asker: Asker) -> Reply:
        """Return what measured kernels say about the speed of a logged answer's first set."""
        return self._below(reference, asker, self._pages.opined)

    def together(self) -> AbstractContextManager[None]:
        """Return a context in which all that is logged is written at once, at its end."""
        return self._log.together()

    def first_seen(self, key: str, *, window_s: float = SEEN_FOR_S) -> bool:
        """Return whether a delivery comes for the first time within `window_s` seconds."""
        return self._log.first_seen(key, window_s=window_s)

    def release(self, key: str) -> None:
        """Forget a delivery whose work failed, so that it can be tried again."""
        self._log.release_seen(key)

    def _obey(self, command: Command, text: str, asker: Asker, named: str | None) -> Reply:
        """Do what a line asks, in the language it has `named` or else in the asker's."""
        match command:
            case Ask() | StartAsked():
                return self._answer(command, text, asker, named)
            case Compare():
                return self._compared(command, text, asker, named)
            case _ if isinstance(command, Planned):
                return self._planned(command, text, asker, named)
            case _ if isinstance(command, ComputedAgain):
                return self.again.answer(command, asker, named)
            case ListModels() | ListGpus() | AskChecklist():
                return self._looked_up(command, asker, named)
            case _ if isinstance(command, Recalled):
                return self._recalling.recall(command, asker, named)
            case NotAvailable():
                raise CodedError("not_available", word=command.verb)
            case _:
                return help_reply(self._renderer, asker, named or asker.language)

    def _compared(self, command: Compare, text: str, asker: Asker, named: str | None) -> Reply:
        asked = tuple(map(self._outside.completed, command.requests))
        return self._comparing.answer(command, text, asker, requests=asked, named=named)

    def _planned(self, command: Planned, text: str, asker: Asker, named: str | None) -> Reply:
        reader = Reader(self._grammar.recalled, self._outside.completed)
        return self._recalling.planned(command, text, asker, reader=reader, named=named)

    def _looked_up(
        self, command: ListModels | ListGpus | AskChecklist, asker: Asker, named: str | None
    ) -> Reply:
        """Answer from facts alone, whatever is sized; the log does not keep it."""
        if not isinstance(command, AskChecklist):
            return self._listings.found(command, asker, named or asker.language)
        from bot.purchasing import general_checklist

        return general_checklist(named or asker.language, command.unheeded, asker.command)

    def _below(
        self, reference: str, asker: Asker, page: Callable[[HistoryEntry, str], Reply]
    ) -> Reply:
        """Return a page about the logged answer whose id a button carries."""
        name, _, words = reference.partition(" ")
        try:
            entry = self._history.entry(name, asker)
            language = language_in(words) or entry.language
            return replace(page(entry, language), private=False)
        except StorageError:
            raise
        except CodedError as error:
            return self._refuse(error, reference, asker, asker.language)

    def _answer(self, ask: Ask | StartAsked, text: str, asker: Asker, named: str | None) -> Reply:
        if isinstance(ask, Ask) and ask.request.goal is Goal.WHAT_FITS:
            return self._recalling.turned_round.answer(ask, text, asker, named)
        language = named or asker.language
        request = self._outside.completed(ask.request)
        answer = self._size(request)
        answer_id = self._history.record_answer(
            request, answer, text=text, asker=asker, language=language, private=ask.private
        )
        messages = self.messages(language)
        asked = manner(named, private=ask.private)
        starts = starts_of(answer, self._catalogue)
        if isinstance(ask, StartAsked):
            reply = started(self._renderer, answer, answer_id, language, starts=starts)
            explain = explain_button(answer_id, messages)
            return replace(reply, private=ask.private, actions=(explain,))
        return Reply(
            kind=ReplyKind.ANSWER,
            markdown=self._renderer.answer(answer, language, answer_id),
            language=language,
            summary=self._renderer.summary(answer, language),
            answer=answer,
            answer_id=answer_id,
            starts=starts,
            private=ask.private,
            actions=(
                *self._pages.buttons(answer, answer_id, messages, can_start=bool(starts)),
                *other_buttons(answer, ask.request, manner=asked, messages=messages),
            ),
        )

    def _cards_named(
        self, error: IncompleteRequestError, text: str, asker: Asker, language: str
    ) -> Reply:
        """Answer a question about cards alone with their facts; without any, ask for the model."""
        if asks_rent_or_buy(text):
            return self._refuse(CodedError("rent_or_buy"), text, asker, language)
        cards = self._listings.named(error.partial.gpus, asker, language)
        return cards or self._refuse(error, text, asker, language)
