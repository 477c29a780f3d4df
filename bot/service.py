"""Use cases: what happens to a question, whichever door it came through."""

from __future__ import annotations

from bot.command import (
    Ask,
    Command,
    Empty,
    Help,
    ListAnswers,
    ListGpus,
    ListModels,
    NotAvailable,
    ShowAnswer,
    parse,
)
from bot.render import Renderer
from bot.reply import Asker, Reply
from bot.storage import Log, NewAnswer
from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import NotCoveredError, SizingError, UnknownAnswerError
from sizing.request import SizingRequest

LONGEST_QUESTION = 4000
"""Characters of a question that are read; nobody types more by hand."""


class Service:
    """Answers questions: reads, sizes, logs, words."""

    def __init__(self, catalogue: Catalogue, log: Log, renderer: Renderer) -> None:
        self._catalogue = catalogue
        self._log = log
        self._renderer = renderer
