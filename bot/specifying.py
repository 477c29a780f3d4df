"""A whole server: planned, logged like any other answer, and worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.contract import spec_contract
from bot.reply import Asker, HistoryEntry, Reply, ReplyKind
from sizing.spec.plan import spec_of

if TYPE_CHECKING:
    from bot.grammar.commands import AskSpec
    from bot.history import History
    from bot.render import Renderer
    from sizing.catalogue import Catalogue
    from sizing.request import SizingRequest
    from sizing.spec.answer import Spec
    from sizing.spec.request import SpecRequest

Completed = Callable[["SizingRequest"], "SizingRequest"]


class Specifying:
    """Answers which server to buy for a few models."""

    def __init__(self, catalogue: Catalogue, history: History, renderer: Renderer) -> None:
        self._catalogue = catalogue
        self._history = history
        self._renderer = renderer

    def answer(
        self,
        command: AskSpec,
        text: str,
        asker: Asker,
        *,
        completed: Completed,
        named: str | None,
    ) -> Reply:
        """Answer and log a question, in the language it has `named` or else in the asker's.

        `completed` adds what stands outside the catalogue to the question about a model.
        """
        language = named or asker.language
        request = _completed(command.request, completed)
        spec = spec_of(request, self._catalogue)
        answer_id = self._history.record_answer(
            request, spec, text=text, asker=asker, language=language, private=command.private
        )
        reply = self._reply(spec, answer_id, language)
        return replace(reply, private=command.private)

    def shown(self, entry: HistoryEntry, spec: Spec, asker: Asker, named: str | None) -> Reply:
        """Return a logged spec again, for the asker alone."""
        language = named or asker.language
        reply = self._reply(spec, entry.answer_id, language)
        page = self._renderer.shown(entry, language)
        return replace(reply, kind=ReplyKind.SHOW, markdown=page, private=True)

    def _reply(self, spec: Spec, answer_id: str, language: str) -> Reply:
        messages = self._renderer.messages(language)
        return Reply(
            kind=ReplyKind.SPEC,
            markdown=self._renderer.spec(spec, language, answer_id),
            language=language,
            summary=self._renderer.spec_summary(spec, language),
            answer_id=answer_id,
            data=spec_contract(spec, messages, answer_id),
        )


def _completed(request: SpecRequest, completed: Completed) -> SpecRequest:
    workloads = tuple(
        workload.model_copy(update={"request": completed(workload.request)})
        for workload in request.workloads
    )
    return request.model_copy(update={"workloads": workloads})
