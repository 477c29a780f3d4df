"""Replies beside answers: pages for the asker alone, errors, derivations and start commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.actions import error_buttons
from bot.errors import CodedError
from bot.reply import Reply, ReplyKind
from sizing.errors import SizingError

if TYPE_CHECKING:
    from bot.render import Renderer
    from bot.reply import Asker
    from bot.start import Starts
    from sizing.answer import SizingAnswer

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


def _summary(
    renderer: Renderer, code: str, answer: SizingAnswer, *, answer_id: str, language: str
) -> str:
    asked = answer.understood
    words = {"answer": answer_id, "model": asked.model, "precision": asked.precision}
    return renderer.messages(language).word("summaries", code, **words)
