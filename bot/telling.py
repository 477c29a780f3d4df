"""Sentences about what was not answered: why, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.derived import Problem, error_reply
from bot.errors import CodedError

if TYPE_CHECKING:
    from bot.history import History
    from bot.messages import Messages
    from bot.render import Renderer
    from bot.reply import Asker, Reply


class Telling:
    """Words refusals and faults, and keeps the questions that were refused."""

    def __init__(self, history: History, renderer: Renderer) -> None:
        self._history = history
        self._renderer = renderer

    def messages(self, language: str) -> Messages:
        """Return the sentences of a language, with the catalogue's names."""
        return self._renderer.messages(language)

    def refused(self, error: CodedError, asker: Asker) -> Reply:
        """Return the sentence about a question that could not be put."""
        return self._refuse(error, "", asker, asker.language)

    def expired(self, asker: Asker) -> Reply:
        """Return the sentence for a button of another version."""
        return self._told(CodedError("expired_button"), asker)

    def broken(self, error_id: str, asker: Asker, *, code: str = "internal_error") -> Reply:
        """Return the sentence for a fault of ours, with the number that the log knows it by."""
        return self._told(CodedError(code, error_id=error_id), asker)

    def _told(self, error: CodedError, asker: Asker) -> Reply:
        return error_reply(self._renderer, error, "", asker=asker, language=asker.language)

    def _refuse(self, error: Problem, text: str, asker: Asker, language: str) -> Reply:
        """Log a question that was not answered, and word why."""
        self._history.record_refusal(error.code, text=text, asker=asker, language=language)
        return error_reply(self._renderer, error, text, asker=asker, language=language)
