"""What every store promises about the log as a file, and about what is taken out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.archive.lines import ActualLine, AnswerLine, TickLine
    from bot.archive.reading import Numbered


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What the log keeps beside decisions: the answers they rest on, and what hangs on these."""

    answers: tuple[AnswerLine, ...]
    """Answers, in the order of their numbers."""

    ticks: tuple[TickLine, ...]
    """Changes of their checklists."""

    actuals: tuple[ActualLine, ...]
    """What was measured of them."""


@dataclass(frozen=True, kw_only=True)
class Absorbed:
    """What an import has added, or would add."""

    answers: int = 0
    """Answers."""

    ticks: int = 0
    """Changes of checklists."""

    decisions: int = 0
    """Decisions that the log did not have."""

    events: int = 0
    """Events, those of new decisions and those that went on with old ones."""

    actuals: int = 0
    """Measurements."""

    comments: int = 0
    """Comments on decisions that the log did not have."""

    known: int = 0
    """Lines whose whole content the log already had."""


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """Where a person stood in the log before their name was replaced."""

    pseudonym: str
    """Name that stands there now."""

    answers: int
    """Answers changed."""

    ticks: int
    """Changes of checklists changed."""

    events: int
    """Events of decisions changed."""

    actuals: int
    """Measurements changed."""

    preferences: int
    """Settings of a person changed."""

    comments: int
    """Comments taken out that were theirs, and changed where others named them."""


@dataclass(frozen=True, kw_only=True)
class Pruned:
    """What was taken out of the log because of its age."""

    answers: int
    """Answers on which no decision rests."""

    ticks: int
    """Changes of their checklists."""

    actuals: int
    """Measurements of them."""


class ArchiveStore(Protocol):
    """The log as a file, and what is taken out of it."""

    def kept(self, answers: Sequence[int]) -> Kept:
        """Return answers by their numbers, with what hangs on them.

        Who may see them is for the caller to ask.
        """
        ...

    def absorb(self, lines: Sequence[Numbered], *, dry_run: bool = False) -> Absorbed:
        """Add the lines that the log lacks, all or none; raise CodedError where it has others."""
        ...

    def forget(self, user_id: str, *, team_id: str | None = None) -> Forgotten:
        """Put a pseudonym in the place of a person, in one workspace or in all of them."""
        ...

    def prune(self, before: str) -> Pruned:
        """Take out answers from before a moment, ISO 8601, UTC, on which no decision rests."""
        ...

    def prune_some(self, before: str, *, most: int) -> Pruned:
        """Take out at most so many of those answers, the oldest first, while others work.

        The store stays as large as it is: what comes takes the room.
        """
        ...
