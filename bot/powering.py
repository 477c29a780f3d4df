"""Answer questions about electricity: power, circuits, supplies and heat."""

from __future__ import annotations

from bot.contract import power_contract
from bot.grammar.commands import Power
from bot.messages import Messages
from bot.power_view import PowerView
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind
from sizing.catalogue import Catalogue
from sizing.spec.electricity import load_electricity
from sizing.spec.power_answer import power_answer


class Powering:
    """Answers what a server draws, and which circuits and supplies carry it."""

    def __init__(self, catalogue: Catalogue, renderer: Renderer) -> None:
        self._catalogue = catalogue
        self._electricity = load_electricity()
        self._renderer = renderer

    def answer(self, command: Power, asker: Asker, named: str | None) -> Reply:
        """Answer in the language it has `named` or else in the asker's.

        Raises InvalidRequestError and UnknownCountryError.
        """
        language = named or asker.language
        answer = power_answer(command.question, self._catalogue, self._electricity)
        view = PowerView(answer)
        messages = self._renderer.messages(language)
        return Reply(
            kind=ReplyKind.POWER,
            markdown=self._renderer.power(view, language),
            language=language,
            summary=_summary(view, messages),
            private=command.private,
            data=power_contract(answer, messages),
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
