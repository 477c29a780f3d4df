"""Answer questions about electricity: power, circuits, supplies and heat."""

from __future__ import annotations

from dataclasses import replace

from bot.contract import power_contract
from bot.grammar.commands import Power
from bot.history import History
from bot.messages import Messages
from bot.power_view import PowerView
from bot.render import Renderer
from bot.reply import Asker, HistoryEntry, Reply, ReplyKind
from sizing.catalogue import Catalogue
from sizing.spec.electricity import load_electricity
from sizing.spec.power_answer import PowerAnswer, power_answer


class Powering:
    """Answers what a server draws, and which circuits and supplies carry it."""

    def __init__(self, catalogue: Catalogue, history: History, renderer: Renderer) -> None:
        self._catalogue = catalogue
        self._electricity = load_electricity()
        self._history = history
        self._renderer = renderer

    def answer(self, command: Power, text: str, asker: Asker, named: str | None) -> Reply:
        """Answer and log a question, in the language it has `named` or else in the asker's.

        Raises InvalidRequestError and UnknownCountryError.
        """
        language = named or asker.language
        answer = power_answer(command.question, self._catalogue, self._electricity)
        answer_id = self._history.record_answer(
            command.question,
            answer,
            text=text,
            asker=asker,
            language=language,
            private=command.private,
        )
        reply = self._reply(answer, answer_id, language)
        return replace(reply, private=command.private)

    def shown(
        self, entry: HistoryEntry, answer: PowerAnswer, asker: Asker, named: str | None
    ) -> Reply:
        """Return a logged answer again, for the asker alone."""
        language = named or asker.language
        reply = self._reply(answer, entry.answer_id, language)
        page = self._renderer.shown(entry, language)
        return replace(reply, kind=ReplyKind.SHOW, markdown=page, private=True)

    def _reply(self, answer: PowerAnswer, answer_id: str, language: str) -> Reply:
        view, messages = PowerView(answer), self._renderer.messages(language)
        return Reply(
            kind=ReplyKind.POWER,
            markdown=self._renderer.power(view, language, answer_id),
            language=language,
            summary=_summary(view, messages),
            answer_id=answer_id,
            data=power_contract(answer, messages, answer_id),
        )


def _summary(view: PowerView, messages: Messages) -> str:
    """Return one sentence with the result, for notifications and screen readers."""
    if server := view.answer.server:
        return messages.word("summaries", "power_server", wall_w=server.wall_w.typical)
    use = view.first
    return messages.word(
        "summaries",
        "power_circuit",
        voltage_v=use.circuit.voltage_v,
        breaker_a=use.circuit.breaker_a,
        capacity_va=use.capacity_va,
        usable_va=use.usable_va,
    )
