"""Decisions with all that belongs to them, as the lines of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.archive.lines import CommentLine, DecisionLine, Line, written

if TYPE_CHECKING:
    from bot.archive.store import Kept


@dataclass(frozen=True)
class Archive:
    """Some decisions and the answers they rest on."""

    decisions: tuple[DecisionLine, ...]
    """Decisions, with their events."""

    kept: Kept
    """Answers, with what hangs on them."""

    comments: tuple[CommentLine, ...] = ()
    """What people wrote in their threads."""

    def lines(self) -> Iterator[Line]:
        """Yield the lines, each after those it refers to, in the order of their numbers."""
        yield from self.kept.answers
        yield from self.kept.ticks
        yield from sorted(self.decisions, key=lambda line: line.decision.number)
        yield from sorted(self.comments, key=lambda line: (line.decision_id, line.message_ts))
        yield from self.kept.actuals

    def content(self) -> bytes:
        """Return the file."""
        return b"".join(map(written, self.lines()))


def answers_of(lines: Iterable[DecisionLine]) -> tuple[int, ...]:
    """Return the numbers of the answers that decisions rest on, or ever did."""
    names = {event.answer_id for line in lines for event in line.events if event.answer_id}
    return tuple(sorted(int(found[1]) for found in map(_ANSWER.fullmatch, names) if found))


_ANSWER = re.compile(r"A-(\d{1,18})", re.ASCII)
