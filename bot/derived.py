"""Replies beside answers: private pages, errors, derivations, start commands, opinions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from bot.actions import answer_buttons, error_buttons, other_buttons
from bot.errors import CodedError
from bot.grammar.commands import ExplainAnswer, OpinionAnswer, StartAnswer
from bot.reply import Reply, ReplyKind
from bot.start import starts_of
from sizing.errors import SizingError

if TYPE_CHECKING:
    from bot.messages import Messages
    from bot.opinion import Opinions
    from bot.render import Renderer
    from bot.reply import Asker, Button, HistoryEntry
    from bot.start import Starts
    from sizing.answer import SizingAnswer
    from sizing.catalogue import Catalogue
    from sizing.spec.answer import Spec

Problem = SizingError | CodedError
"""Why there is no answer."""


def private_page(
    kind: ReplyKind,
    markdown: str,
    language: str,
    *,
    summary: str,
    data: dict[str, object] | None = None,
) -> Reply:
    """Return a page that only the asker sees."""
    return Reply(
        kind=kind, markdown=markdown, language=language, summary=summary, private=True, data=data
    )


def help_reply(renderer: Renderer, asker: Asker, language: str) -> Reply:
    """Return how to ask."""
    page = renderer.help(language, command=asker.command)
    summary = renderer.messages(language).word("summaries", "help", command=asker.command)
    return private_page(ReplyKind.HELP, page, language, summary=summary)


def error_reply(
    renderer: Renderer, error: Problem, text: str, *, asker: Asker, language: str
) -> Reply:
    """Return the sentence that says why `text` was not answered, and ways on."""
    messages = renderer.messages(language)
    return Reply(
        kind=ReplyKind.ERROR,
        markdown=renderer.error(error, language, command=asker.command),
        language=language,
        summary=messages.error_markdown(error, asker.command),
        error=error,
        private=True,
        actions=error_buttons(error, text, messages),
    )


def explained(renderer: Renderer, answer: SizingAnswer, answer_id: str, language: str) -> Reply:
    """Return formulas, numbers and sources behind an answer."""
    return Reply(
        kind=ReplyKind.EXPLAIN,
        markdown=renderer.explain(answer, language, answer_id),
        language=language,
        summary=_summary(renderer, "explain", answer, answer_id=answer_id, language=language),
        answer=answer,
        answer_id=answer_id,
        private=True,
    )


def spec_explained(renderer: Renderer, entry: HistoryEntry, language: str) -> Reply:
    """Return the rules and numbers behind a server."""
    from bot.contract import spec_contract

    spec, messages = cast("Spec", entry.answer), renderer.messages(language)
    return Reply(
        kind=ReplyKind.EXPLAIN,
        markdown=renderer.explain_spec(spec, language, entry.answer_id),
        language=language,
        summary=messages.word("summaries", "explain_spec", answer=entry.answer_id),
        answer_id=entry.answer_id,
        private=True,
        data=spec_contract(spec, messages, entry.answer_id),
    )


def _is_server(entry: HistoryEntry) -> bool:
    from sizing.spec.request import SpecRequest

    return isinstance(entry.request, SpecRequest)


def started(
    renderer: Renderer,
    answer: SizingAnswer,
    answer_id: str,
    language: str,
    *,
    starts: Starts | None,
) -> Reply:
    """Return the commands that start the first set of an answer that runs."""
    return Reply(
        kind=ReplyKind.START,
        markdown=renderer.start(answer, starts, language, answer_id),
        language=language,
        summary=_summary(renderer, "start", answer, answer_id=answer_id, language=language),
        answer=answer,
        answer_id=answer_id,
        starts=starts,
        private=True,
    )


class Pages:
    """Pages about a logged answer, in the language asked for."""

    def __init__(
        self, renderer: Renderer, catalogue: Catalogue, opinions: Opinions | None = None
    ) -> None:
        self._renderer = renderer
        self._catalogue = catalogue
        self._opinions = opinions

    def about(
        self,
        entry: HistoryEntry,
        language: str,
        wish: ExplainAnswer | StartAnswer | OpinionAnswer,
    ) -> Reply:
        """Return the page that a typed line wishes for."""
        match wish:
            case ExplainAnswer():
                return self.explained(entry, language)
            case StartAnswer():
                return self.started(entry, language)
            case OpinionAnswer():
                return self.opined(entry, language)

    def explained(self, entry: HistoryEntry, language: str) -> Reply:
        """Return formulas, numbers and sources behind it."""
        if _is_server(entry):
            return spec_explained(self._renderer, entry, language)
        return explained(self._renderer, entry.sized, entry.answer_id, language)

    def started(self, entry: HistoryEntry, language: str) -> Reply:
        """Return the commands that start its first set that runs."""
        starts = starts_of(entry.sized, self._catalogue)
        return started(self._renderer, entry.sized, entry.answer_id, language, starts=starts)

    def opined(self, entry: HistoryEntry, language: str) -> Reply:
        """Return a second opinion on its speed; raise CodedError saying why there is none."""
        if self._opinions is None:
            raise CodedError("opinion_off")
        answer, name = entry.sized, entry.answer_id
        opinion = self._opinions.opinion(answer)
        return Reply(
            kind=ReplyKind.OPINION,
            markdown=self._renderer.opinion(answer, opinion, language, name),
            language=language,
            summary=_summary(self._renderer, "opinion", answer, answer_id=name, language=language),
            answer=answer,
            answer_id=name,
            opinion=opinion,
            private=True,
        )

    def shown(self, entry: HistoryEntry, language: str, *, manner: str) -> Reply:
        """Return the answer again; the questions below it are asked in that `manner`."""
        answer, messages = entry.sized, self._renderer.messages(language)
        # The explanation is in the language of the page it is asked for on.
        reference = f"{entry.answer_id} lang={language}"
        starts = starts_of(answer, self._catalogue)
        return Reply(
            kind=ReplyKind.SHOW,
            markdown=self._renderer.shown(entry, language),
            language=language,
            summary=self._renderer.summary(answer, language),
            answer=answer,
            answer_id=entry.answer_id,
            starts=starts,
            private=True,
            actions=(
                *self.buttons(answer, reference, messages, can_start=bool(starts)),
                *other_buttons(answer, entry.asked, manner=manner, messages=messages),
            ),
        )

    def buttons(
        self, answer: SizingAnswer, reference: str, messages: Messages, *, can_start: bool
    ) -> tuple[Button, ...]:
        """Return the buttons that lead to them; only those that do something."""
        has_opinion = self._opinions is not None and self._opinions.covers(answer)
        # A model from a file is not at hand any more when the button is pressed.
        can_refine = answer.understood.source is None
        return answer_buttons(
            reference,
            messages,
            can_start=can_start,
            has_opinion=has_opinion,
            can_refine=can_refine,
        )


def with_opinion(reply: Reply, second: Reply) -> Reply:
    """Return an answer with the page below it that holds a second opinion, or says why not."""
    markdown = f"{reply.markdown}\n{second.markdown}".lstrip()
    return replace(reply, markdown=markdown, opinion=second.opinion or second.error)


def _summary(
    renderer: Renderer, code: str, answer: SizingAnswer, *, answer_id: str, language: str
) -> str:
    asked = answer.understood
    words = {"answer": answer_id, "model": asked.model, "precision": asked.precision}
    return renderer.messages(language).word("summaries", code, **words)
