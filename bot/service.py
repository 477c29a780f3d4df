"""Use cases: what happens to a question, whichever door it came through."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace

from bot.actions import (
    answer_buttons,
    error_buttons,
    explain_button,
    language_in,
    manner,
    other_buttons,
)
from bot.cards import MOST_CARDS
from bot.command import Grammar, IncompleteRequestError
from bot.derived import explained, private_page, started
from bot.errors import CodedError, StorageError
from bot.grammar.commands import (
    Ask,
    Command,
    ExplainAnswer,
    ListAnswers,
    ListGpus,
    ListModels,
    NotAvailable,
    ShowAnswer,
    StartAnswer,
    StartAsked,
)
from bot.history import History
from bot.listings import Listings
from bot.messages import Messages
from bot.remembered import sizer
from bot.render import Renderer
from bot.reply import Asker, HistoryEntry, Reply, ReplyKind
from bot.sources.attached import AttachedFile
from bot.sources.references import Sources
from bot.start import starts_of
from bot.storage import SEEN_FOR_S, Log
from bot.turned_round import TurnedRound
from bot.wordless import Wordless
from sizing.answer import NoteValue
from sizing.catalogue import Catalogue, load_catalogue
from sizing.errors import SizingError
from sizing.fits import FitsAnswer
from sizing.request import Goal, SizingRequest

LONGEST_QUESTION = 3000
"""Characters of a question that are read; nobody types more by hand."""

Problem = SizingError | CodedError


def build_service(log: Log, sources: Sources | None = None, *, words: bool = True) -> Service:
    """Return the service over the packaged catalogue, and over models outside it.

    Without `words` the pages of answers stay empty: nobody reads them beside their JSON.
    """
    catalogue = load_catalogue()
    renderer = Renderer(catalogue) if words else Wordless(catalogue)
    return Service(catalogue, log, renderer, sources)


class Service:
    """Reads a question, sizes it, logs the answer and words the reply."""

    def __init__(
        self, catalogue: Catalogue, log: Log, renderer: Renderer, sources: Sources | None = None
    ) -> None:
        self._catalogue = catalogue
        self._log = log
        self._history = History(log, catalogue.stamp.digest)
        self._renderer = renderer
        self._listings = Listings(catalogue, renderer)
        self._turned_round = TurnedRound(catalogue, self._history, renderer)
        self._grammar = Grammar(catalogue)
        self._size = sizer(catalogue)
        self._sources = sources or Sources()

    def messages(self, language: str) -> Messages:
        """Return the sentences of a language, with the catalogue's names."""
        return self._renderer.messages(language)

    def handle(self, text: str, asker: Asker, language: str | None) -> Reply:
        """Answer `text`; `language` overrules the one in the question and the asker's.

        Raises StorageError: its values name a file, which is not for everyone to read.
        """
        fallback = language or language_in(text) or asker.language
        if len(text) > LONGEST_QUESTION:
            error = CodedError("too_long", limit_characters=LONGEST_QUESTION)
            return self._refuse(error, text[:LONGEST_QUESTION], asker, fallback)
        try:
            command = self._grammar.parse(text)
            return self._obey(command, text, asker, language or command.language)
        except IncompleteRequestError as error:
            return self._cards_named(error, text, asker, fallback)
        except StorageError:
            raise
        except (SizingError, CodedError) as error:
            return self._refuse(error, text, asker, fallback)

    def handle_file(self, attached: AttachedFile, text: str, asker: Asker) -> Reply:
        """Answer the question in `text`, if it is one, about an attached `config.json`."""
        reader = copy(self)
        reader._sources = replace(self._sources, file=attached.model)
        question = f"{text} {attached.reference}"
        is_question = len(question) <= LONGEST_QUESTION and self._grammar.asks(question)
        return reader.handle(question if is_question else attached.reference, asker, None)

    def refused(self, error: CodedError, asker: Asker) -> Reply:
        """Return the sentence about a question that could not be put."""
        return self._refuse(error, "", asker, asker.language)

    def explain(self, reference: str, asker: Asker) -> Reply:
        """Return what is behind a logged answer, in its language, for all who see it."""
        return self._below(reference, asker, self._explained)

    def start(self, reference: str, asker: Asker) -> Reply:
        """Return how to start what a logged answer proposes, in its language, for all."""
        return self._below(reference, asker, self._started)

    def together(self) -> AbstractContextManager[None]:
        """Return a context in which all that is logged is written at once, at its end."""
        return self._log.together()

    def first_seen(self, key: str, *, window_s: float = SEEN_FOR_S) -> bool:
        """Return whether a delivery comes for the first time within `window_s` seconds."""
        return self._log.first_seen(key, window_s=window_s)

    def release(self, key: str) -> None:
        """Forget a delivery whose work failed, so that it can be tried again."""
        self._log.release_seen(key)

    def expired(self, asker: Asker) -> Reply:
        """Return the sentence for a button of another version."""
        return self._error_reply(CodedError("expired_button"), "", asker, asker.language)

    def broken(self, error_id: str, asker: Asker, *, code: str = "internal_error") -> Reply:
        """Return the sentence for a fault of ours, with the number that the log knows it by."""
        error = CodedError(code, error_id=error_id)
        return self._error_reply(error, "", asker, asker.language)

    def _obey(self, command: Command, text: str, asker: Asker, named: str | None) -> Reply:
        """Do what a line asks, in the language it has `named` or else in the asker's."""
        language = named or asker.language
        match command:
            case Ask() if command.request.goal is Goal.WHAT_FITS:
                return self._turned_round.answer(command, text, asker, named)
            case Ask() | StartAsked():
                return self._answer(command, text, asker, named)
            case ListModels():
                return self._listings.models(command.query, asker, language)
            case ListGpus():
                return self._listings.gpus(command.query, asker, language)
            case ListAnswers() | ShowAnswer() | ExplainAnswer() | StartAnswer():
                return self._recall(command, asker, named)
            case NotAvailable():
                raise CodedError("not_available", word=command.verb)
            case _:
                return self._help(asker, language)

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
        language = named or asker.language
        request = self._resolved(ask.request)
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
                *answer_buttons(answer_id, messages, can_start=starts is not None),
                *other_buttons(answer, ask.request, manner=asked, messages=messages),
            ),
        )

    def _resolved(self, request: SizingRequest) -> SizingRequest:
        """Return the request with the model that its reference leads to."""
        if request.reference is None:
            return request
        given = self._sources.model(request.reference)
        return request.model_copy(update={"given": given})

    def _cards_named(
        self, error: IncompleteRequestError, text: str, asker: Asker, language: str
    ) -> Reply:
        """Answer a question about cards alone with their facts; without any, ask for the model."""
        names = dict.fromkeys(choice.gpu for choice in error.partial.gpus if choice.gpu)
        gpus = [self._catalogue.gpus[name] for name in names][:MOST_CARDS]
        if not gpus:
            return self._refuse(error, text, asker, language)
        return self._listings.cards(gpus, asker, language, question=True)

    def _recall(
        self,
        command: ListAnswers | ShowAnswer | ExplainAnswer | StartAnswer,
        asker: Asker,
        named: str | None,
    ) -> Reply:
        language = named or asker.language
        match command:
            case ListAnswers():
                listing = self._history.listing(command.query, asker)
                return self._listings.answers(listing, asker, language)
            case ShowAnswer():
                return self._shown(self._history.entry(command.reference, asker), asker, named)
            case ExplainAnswer():
                return self._explained(self._history.entry(command.reference, asker), language)
            case StartAnswer():
                return self._started(self._history.entry(command.reference, asker), language)

    def _shown(self, entry: HistoryEntry, asker: Asker, named: str | None) -> Reply:
        if isinstance(entry.answer, FitsAnswer):
            return self._turned_round.shown(entry, entry.answer, asker, named)
        language = named or asker.language
        messages = self.messages(language)
        # The explanation is in the language of the page it is asked for on.
        reference = entry.answer_id + manner(language, private=False)
        asked = manner(named, private=True)
        starts = starts_of(entry.answer, self._catalogue)
        return Reply(
            kind=ReplyKind.SHOW,
            markdown=self._renderer.shown(entry, language),
            language=language,
            summary=self._renderer.summary(entry.answer, language),
            answer=entry.answer,
            answer_id=entry.answer_id,
            starts=starts,
            private=True,
            actions=(
                *answer_buttons(reference, messages, can_start=starts is not None),
                *other_buttons(entry.answer, entry.request, manner=asked, messages=messages),
            ),
        )

    def _explained(self, entry: HistoryEntry, language: str) -> Reply:
        return explained(self._renderer, entry.sized, entry.answer_id, language)

    def _started(self, entry: HistoryEntry, language: str) -> Reply:
        starts = starts_of(entry.sized, self._catalogue)
        return started(self._renderer, entry.sized, entry.answer_id, language, starts=starts)

    def _help(self, asker: Asker, language: str) -> Reply:
        page = self._renderer.help(language, command=asker.command)
        summary = self._said(language, "help", command=asker.command)
        return private_page(ReplyKind.HELP, page, language, summary=summary)

    def _refuse(self, error: Problem, text: str, asker: Asker, language: str) -> Reply:
        """Log a question that was not answered, and word why."""
        self._history.record_refusal(error.code, text=text, asker=asker, language=language)
        return self._error_reply(error, text, asker, language)

    def _error_reply(self, error: Problem, text: str, asker: Asker, language: str) -> Reply:
        return Reply(
            kind=ReplyKind.ERROR,
            markdown=self._renderer.error(error, language, command=asker.command),
            language=language,
            summary=self.messages(language).error_markdown(error, asker.command),
            error=error,
            private=True,
            actions=error_buttons(error, text, self.messages(language)),
        )

    def _said(self, language: str, code: str, **values: NoteValue) -> str:
        """Return the sentence that says what a page is."""
        return self.messages(language).word("summaries", code, **values)
