"""Use cases: what happens to a question, whichever door it came through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.actions import ASK, answer_buttons, error_buttons
from bot.cards import MOST_CARDS
from bot.command import Grammar, IncompleteRequestError
from bot.contract import gpus_contract, history_contract, models_contract
from bot.errors import CodedError
from bot.grammar.commands import (
    Ask,
    Command,
    ExplainAnswer,
    ListAnswers,
    ListGpus,
    ListModels,
    NotAvailable,
    ShowAnswer,
)
from bot.history import History
from bot.messages import Messages
from bot.render import Renderer
from bot.reply import Asker, Button, HistoryEntry, Reply, ReplyKind
from bot.search import matching_gpus, matching_models
from bot.storage import Log
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.errors import SizingError
from sizing.records import GpuRecord

LONGEST_QUESTION = 3000
"""Characters of a question that are read; nobody types more by hand."""

Problem = SizingError | CodedError


def build_service(log: Log) -> Service:
    """Return the service over the packaged catalogue."""
    catalogue = load_catalogue()
    return Service(catalogue, log, Renderer(catalogue))


class Service:
    """Reads a question, sizes it, logs the answer and words the reply."""

    def __init__(self, catalogue: Catalogue, log: Log, renderer: Renderer) -> None:
        self._catalogue = catalogue
        self._log = log
        self._history = History(log, catalogue.stamp.digest)
        self._renderer = renderer
        self._grammar = Grammar(catalogue)

    def messages(self, language: str) -> Messages:
        """Return the sentences of a language, with the catalogue's names."""
        return self._renderer.messages(language)

    def handle(self, text: str, asker: Asker, language: str | None) -> Reply:
        """Answer `text`; `language` overrules the one in the question and the asker's."""
        fallback = language or _language_in(text) or asker.language
        if len(text) > LONGEST_QUESTION:
            error = CodedError("too_long", limit_characters=LONGEST_QUESTION)
            return self._refuse(error, text[:LONGEST_QUESTION], asker, fallback)
        try:
            command = self._grammar.parse(text)
            chosen = language or command.language or asker.language
            return self._obey(command, text, asker, chosen)
        except IncompleteRequestError as error:
            return self._cards_named(error, text, asker, fallback)
        except (SizingError, CodedError) as error:
            return self._refuse(error, text, asker, fallback)

    def explain(self, reference: str, asker: Asker) -> Reply:
        """Return formula, numbers and sources behind a logged answer, for all who see it."""
        try:
            return replace(self._explained(reference, asker, asker.language), private=False)
        except CodedError as error:
            return self._refuse(error, reference, asker, asker.language)

    def first_seen(self, key: str) -> bool:
        """Return whether a delivery comes for the first time."""
        return self._log.first_seen(key)

    def expired(self, asker: Asker) -> Reply:
        """Return the sentence for a button of another version."""
        return self._error_reply(CodedError("expired_button"), "", asker, asker.language)

    def broken(self, error_id: str, asker: Asker) -> Reply:
        """Return the sentence for a fault of ours, with the number that the log knows it by."""
        error = CodedError("internal_error", error_id=error_id)
        return self._error_reply(error, "", asker, asker.language)

    def _obey(self, command: Command, text: str, asker: Asker, language: str) -> Reply:
        match command:
            case Ask():
                return self._answer(command, text, asker, language)
            case ListModels():
                return self._models(command.query, asker, language)
            case ListGpus():
                return self._gpus(command.query, asker, language)
            case ListAnswers() | ShowAnswer() | ExplainAnswer():
                return self._recall(command, asker, language)
            case NotAvailable():
                raise CodedError("not_available", word=command.verb)
            case _:
                return self._help(asker, language)

    def _answer(self, ask: Ask, text: str, asker: Asker, language: str) -> Reply:
        answer = size(ask.request, self._catalogue)
        answer_id = self._history.record_answer(
            ask.request, answer, text=text, asker=asker, language=language, private=ask.private
        )
        buttons = answer_buttons(
            answer, ask.request, answer_id=answer_id, messages=self.messages(language)
        )
        return Reply(
            kind=ReplyKind.ANSWER,
            markdown=self._renderer.answer(answer, language, answer_id),
            language=language,
            summary=self._renderer.summary(answer, language),
            answer=answer,
            answer_id=answer_id,
            private=ask.private,
            actions=_asking_in_private(buttons) if ask.private else buttons,
        )

    def _models(self, query: str, asker: Asker, language: str) -> Reply:
        models = matching_models(query, self._catalogue)
        page = self._renderer.models(models, language, text=query, command=asker.command)
        return _private(ReplyKind.MODELS, page, language, data=models_contract(models))

    def _gpus(self, query: str, asker: Asker, language: str) -> Reply:
        gpus = matching_gpus(query, self._catalogue)
        if 0 < len(gpus) <= MOST_CARDS:
            return self._cards(gpus, asker, language, question=False)
        page = self._renderer.gpus(gpus, language, text=query, command=asker.command)
        return _private(ReplyKind.GPUS, page, language, data=gpus_contract(gpus))

    def _cards(
        self, gpus: Sequence[GpuRecord], asker: Asker, language: str, *, question: bool
    ) -> Reply:
        """Return the facts of a few accelerators."""
        command = asker.command
        page = self._renderer.cards(gpus, language, command=command, question=question)
        return _private(ReplyKind.GPUS, page, language, data=gpus_contract(gpus))

    def _cards_named(
        self, error: IncompleteRequestError, text: str, asker: Asker, language: str
    ) -> Reply:
        """Answer a question about cards alone with their facts; without any, ask for the model."""
        names = dict.fromkeys(choice.gpu for choice in error.partial.gpus if choice.gpu)
        gpus = [self._catalogue.gpus[name] for name in names][:MOST_CARDS]
        if not gpus:
            return self._refuse(error, text, asker, language)
        return self._cards(gpus, asker, language, question=True)

    def _recall(
        self, command: ListAnswers | ShowAnswer | ExplainAnswer, asker: Asker, language: str
    ) -> Reply:
        match command:
            case ListAnswers():
                entries = self._history.entries(command.query, asker)
                page = self._renderer.history(entries, language, command=asker.command)
                return _private(ReplyKind.LIST, page, language, data=history_contract(entries))
            case ShowAnswer():
                return self._shown(self._history.entry(command.reference, asker), language)
            case ExplainAnswer():
                return self._explained(command.reference, asker, language)

    def _shown(self, entry: HistoryEntry, language: str) -> Reply:
        buttons = answer_buttons(
            entry.answer,
            entry.request,
            answer_id=entry.answer_id,
            messages=self.messages(language),
        )
        return Reply(
            kind=ReplyKind.SHOW,
            markdown=self._renderer.shown(entry, language),
            language=language,
            summary=self._renderer.summary(entry.answer, language),
            answer=entry.answer,
            answer_id=entry.answer_id,
            private=True,
            actions=_asking_in_private(buttons),
        )

    def _explained(self, reference: str, asker: Asker, language: str) -> Reply:
        entry = self._history.entry(reference, asker)
        return Reply(
            kind=ReplyKind.EXPLAIN,
            markdown=self._renderer.explain(entry.answer, language, entry.answer_id),
            language=language,
            summary=self._renderer.summary(entry.answer, language),
            answer=entry.answer,
            answer_id=entry.answer_id,
            private=True,
        )

    def _help(self, asker: Asker, language: str) -> Reply:
        page = self._renderer.help(language, command=asker.command)
        return _private(ReplyKind.HELP, page, language)

    def _refuse(self, error: Problem, text: str, asker: Asker, language: str) -> Reply:
        """Log a question that was not answered, and word why."""
        self._history.record_refusal(error.code, text=text, asker=asker, language=language)
        return self._error_reply(error, text, asker, language)

    def _error_reply(self, error: Problem, text: str, asker: Asker, language: str) -> Reply:
        return Reply(
            kind=ReplyKind.ERROR,
            markdown=self._renderer.error(error, language, command=asker.command),
            language=language,
            error=error,
            private=True,
            actions=error_buttons(error, text, self.messages(language)),
        )


_LANGUAGE = re.compile(r"\b(?:lang|idioma)[=: ]\s*(en|es)\b", re.IGNORECASE)


def _language_in(text: str) -> str | None:
    """Return the language a question asks for, readable even where the rest of it is not."""
    found = _LANGUAGE.search(text)
    return found[1].lower() if found else None


def _asking_in_private(buttons: tuple[Button, ...]) -> tuple[Button, ...]:
    """Return buttons whose questions are answered as privately as what they stand below."""
    return tuple(
        replace(button, value=f"{button.value} --private")
        if button.action_id.startswith(ASK)
        else button
        for button in buttons
    )


def _private(
    kind: ReplyKind, markdown: str, language: str, data: dict[str, object] | None = None
) -> Reply:
    return Reply(kind=kind, markdown=markdown, language=language, private=True, data=data)
