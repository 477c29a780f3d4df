"""Variants side by side: each answered and logged like any other question."""

from __future__ import annotations

from collections.abc import Callable

from bot.actions import manner, question_buttons
from bot.comparison import Variant, chart_of, comparison_of
from bot.contract import comparison_contract
from bot.grammar.canonical import format_request
from bot.grammar.commands import Compare
from bot.history import History
from bot.messages import Messages
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind
from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from sizing.curve import curve_of
from sizing.request import SizingRequest


class Comparing:
    """Answers which of a few variants does better at what."""

    def __init__(
        self,
        size: Callable[[SizingRequest], SizingAnswer],
        history: History,
        renderer: Renderer,
        *,
        catalogue: Catalogue,
    ) -> None:
        self._size = size
        self._catalogue = catalogue
        self._history = history
        self._renderer = renderer

    def answer(
        self,
        command: Compare,
        text: str,
        asker: Asker,
        *,
        requests: tuple[SizingRequest, ...],
        named: str | None,
    ) -> Reply:
        """Answer and log each variant, in the language it has `named` or else in the asker's.

        `requests` are those of the command, ready to be sized.
        """
        language = named or asker.language
        answers = tuple(map(self._size, requests))
        answer_ids = [
            self._history.record_answer(
                request, answer, text=text, asker=asker, language=language, private=command.private
            )
            for request, answer in zip(requests, answers, strict=True)
        ]
        asked_for = zip(requests, answers, strict=True)
        curves = [curve_of(request, answer, self._catalogue) for request, answer in asked_for]
        view = comparison_of(tuple(zip(answers, answer_ids, strict=True)), curves)
        messages = self._renderer.messages(language)
        asked = manner(named, private=command.private)
        chart = chart_of(view, messages)
        questions = (
            (_label(variant, messages), format_request(request) + asked)
            for variant, request in zip(view.variants, command.requests, strict=True)
        )
        return Reply(
            kind=ReplyKind.COMPARE,
            markdown=self._renderer.comparison(view, language),
            language=language,
            summary=self._renderer.comparison_summary(view, language),
            private=command.private,
            actions=question_buttons(questions, messages),
            data=comparison_contract(view.variants, messages),
            charts=(chart,) if chart else (),
        )


def _label(variant: Variant, messages: Messages) -> str:
    precision = messages.labels.precision(variant.understood.precision)
    return f"{variant.letter}: {variant.understood.model} · {precision}"
