"""Lines that compute again, answered."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from bot.again.changing import Changing
from bot.again.subjects import Subjects
from bot.again.tools import Asking, Tools
from bot.grammar.commands import (
    CompareWith,
    ComputedAgain,
    ListActuals,
    Measured,
    Recheck,
    WhatIf,
)

__all__ = ["Again", "Asking", "Tools"]

if TYPE_CHECKING:
    from bot.again.measuring import Measuring
    from bot.again.rechecking import Rechecking
    from bot.reply import Asker, Reply


class Again:
    """Answers lines about what was asked before, with something else in its place."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._subjects = Subjects(tools)

    @cached_property
    def _changing(self) -> Changing:
        return Changing(self._tools, self._subjects)

    @cached_property
    def rechecking(self) -> Rechecking:
        """Return the use case of computing decisions with the facts of today."""
        from bot.again.rechecking import Rechecking

        return Rechecking(self._tools, self._subjects)

    @cached_property
    def measuring(self) -> Measuring:
        """Return the use case of what was measured."""
        from bot.again.measuring import Measuring

        return Measuring(self._tools, self._subjects)

    def answer(self, command: ComputedAgain, asker: Asker, named: str | None) -> Reply:
        """Do what a line wants, in the language it has `named` or else in the asker's."""
        match command:
            case WhatIf():
                return self._changing.what_if(command, asker, named)
            case Recheck():
                return self.rechecking.answer(command, asker, named or asker.language)
            case CompareWith():
                return self._changing.side_by_side(command, asker, named)
            case Measured():
                return self.measuring.answer(command, asker, named or asker.language)
            case ListActuals():
                return self.measuring.listed(command, asker, named or asker.language)
