"""Which models fit: the answer, logged like any other, and the questions it leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.actions import manner, question_buttons
from bot.contract import fits_contract
from bot.fits import FitsView
from bot.grammar.canonical import format_request
from bot.grammar.commands import Ask
from bot.history import History
from bot.messages import Messages
from bot.remembered import remembered
from bot.render import Renderer
from bot.reply import Asker, HistoryEntry, Reply, ReplyKind
from sizing.catalogue import Catalogue
from sizing.fits import FitsAnswer
from sizing.inverse import Finder
from sizing.request import Goal, SizingRequest

KEPT_LISTS = 8
"""Lists kept for the next who asks the same."""


class TurnedRound:
    """Answers which models run on some GPUs."""

    def __init__(self, catalogue: Catalogue, history: History, renderer: Renderer) -> None:
        self._what_fits = remembered(Finder(catalogue).what_fits, most=KEPT_LISTS)
        self._history = history
        self._renderer = renderer

    def answer(self, ask: Ask, text: str, asker: Asker, named: str | None) -> Reply:
        """Answer and log a question, in the language it has `named` or else in the asker's."""
        language = named or asker.language
        answer = self._what_fits(ask.request)
        answer_id = self._history.record_answer(
            ask.request, answer, text=text, asker=asker, language=language, private=ask.private
        )
        listed = _Listed(answer, ask.request, answer_id, asker)
        page = self._renderer.fits(answer, language, answer_id, typed=listed.typed)
        asked = manner(named, private=ask.private)
        reply = self._reply(listed, page, language, asked)
        return replace(reply, kind=ReplyKind.FITS, private=ask.private)

    def shown(
        self, entry: HistoryEntry, answer: FitsAnswer, asker: Asker, named: str | None
    ) -> Reply:
        """Return a logged list again, for the asker alone."""
        language = named or asker.language
        listed = _Listed(answer, entry.asked, entry.answer_id, asker)
        page = self._renderer.shown(entry, language, typed=listed.typed)
        return self._reply(listed, page, language, manner(named, private=True))

    def _reply(self, listed: _Listed, page: str, language: str, asked: str) -> Reply:
        messages = self._renderer.messages(language)
        return Reply(
            kind=ReplyKind.SHOW,
            markdown=page,
            language=language,
            summary=self._renderer.fits_summary(listed.answer, language),
            answer_id=listed.answer_id,
            private=True,
            actions=question_buttons(_questions(listed, asked, messages), messages),
            data=fits_contract(listed.answer, messages, listed.answer_id),
        )


@dataclass(frozen=True)
class _Listed:
    """A list of models, and who asked for it how."""

    answer: FitsAnswer
    request: SizingRequest
    answer_id: str
    asker: Asker

    @property
    def typed(self) -> str:
        """Return what asks for it again."""
        return f"{self.asker.command} {format_request(self.request)}"


def _questions(listed: _Listed, asked: str, messages: Messages) -> Iterator[tuple[str, str]]:
    """Yield the models named first, and the question how each stands on these GPUs."""
    for model in FitsView(listed.answer).rows:
        best = model.best
        request = listed.request.model_copy(
            update={
                "goal": Goal.SIZE,
                "kinds": (),
                "families": (),
                "model_id": model.model_id,
                "precision": best.precision,
                "engine": best.engine,
            }
        )
        label = f"{model.model} · {messages.labels.precision(best.precision)}"
        yield label, format_request(request) + asked
