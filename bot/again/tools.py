"""What computing again needs of the rest of the bot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.command import Grammar
    from bot.deciding import Deciding
    from bot.grammar.commands import Ask, AskSpec, Compare
    from bot.history import History
    from bot.render import Renderer
    from bot.reply import Asker, Reply
    from bot.storage import Log
    from sizing.answer import SizingAnswer
    from sizing.catalogue import Catalogue
    from sizing.request import SizingRequest


@dataclass(frozen=True)
class Asking:
    """How questions are answered and logged."""

    about_model: Callable[[Ask, str, Asker, str | None], Reply]
    """Answers a question about one model."""

    about_server: Callable[[AskSpec, str, Asker, str | None], Reply]
    """Answers a question about a whole server."""

    side_by_side: Callable[[Compare, str, Asker, str | None], Reply]
    """Answers a comparison."""

    completed: Callable[[SizingRequest], SizingRequest]
    """Adds what stands outside the catalogue."""

    size: Callable[[SizingRequest], SizingAnswer]
    """Sizes a question."""


@dataclass(frozen=True)
class Tools:
    """Parts that computing again works with."""

    catalogue: Catalogue
    """Facts of today."""

    grammar: Grammar
    """Reads what changes."""

    history: History
    """Answers of the log."""

    log: Log
    """The log itself."""

    renderer: Renderer
    """Words pages."""

    deciding: Deciding
    """Decisions of the log."""

    asking: Asking
    """Answers questions."""
