"""A whole server: planned, logged like any other answer, and worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.actions import explain_button, save_button
from bot.checklist.contract import checklist_contract
from bot.checklist.words import checklist_words
from bot.checklist_page import checklist_page
from bot.contract import spec_contract
from bot.reply import Asker, HistoryEntry, Reply, ReplyKind
from bot.spec_charts import plots_of
from bot.spec_files import SpecFiles
from bot.spec_view import SpecView
from sizing.spec.checklist import checklist_of
from sizing.spec.plan import spec_of
from sizing.spec.plan_facts import facts_of

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
        alone = command.checklist
        reply = self._reply(spec, answer_id, language, checklist_alone=alone)
        return replace(reply, private=command.private)

    def shown(
        self,
        entry: HistoryEntry,
        spec: Spec,
        asker: Asker,
        named: str | None,
        *,
        checklist_alone: bool = False,
    ) -> Reply:
        """Return a logged spec again, or its checklist alone, for the asker alone."""
        language = named or asker.language
        reply = self._reply(spec, entry.answer_id, language, checklist_alone=checklist_alone)
        page = reply.markdown if checklist_alone else self._renderer.shown(entry, language)
        return replace(reply, kind=ReplyKind.SHOW, markdown=page, private=True)

    def _reply(
        self, spec: Spec, answer_id: str, language: str, *, checklist_alone: bool = False
    ) -> Reply:
        messages = self._renderer.messages(language)
        checklist = checklist_of(facts_of(spec, self._catalogue))
        page = (
            checklist_page(checklist, language)
            if checklist_alone
            else self._renderer.spec(spec, language, answer_id)
        )
        words = checklist_contract(checklist, checklist_words(language))
        charts = () if checklist_alone else plots_of(SpecView(spec), messages)
        files = SpecFiles(
            self._renderer, spec, checklist, charts, language=language, answer_id=answer_id
        )
        return Reply(
            kind=ReplyKind.SPEC,
            markdown=page,
            language=language,
            summary=self._renderer.spec_summary(spec, language),
            answer_id=answer_id,
            files=files.makers,
            charts=charts,
            data=spec_contract(spec, messages, answer_id) | words,
            actions=(
                explain_button(answer_id, messages),
                *(() if checklist_alone else (save_button(answer_id, messages),)),
            ),
        )


def _completed(request: SpecRequest, completed: Completed) -> SpecRequest:
    workloads = tuple(
        workload.model_copy(update={"request": completed(workload.request)})
        for workload in request.workloads
    )
    return request.model_copy(update={"workloads": workloads})
