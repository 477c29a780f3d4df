"""The log as a file, over any store: what is written out, read in, replaced and taken out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from bot.errors import CodedError
from bot.storage.tables import Tables
from bot.storage.values import storable

if TYPE_CHECKING:
    from bot.archive.reading import Numbered
    from bot.archive.store import Absorbed, Forgotten, Kept, Pruned


class ArchivedLog(ABC):
    """What is done to a log as a whole; each in one transaction."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Tables]: ...

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Tables]: ...

    def kept(self, answers: Sequence[int]) -> Kept:
        """Return answers by their numbers, with what hangs on them."""
        from bot.storage.kept import kept

        with self._reading() as tables:
            return kept(tables.records, answers)

    def absorb(self, lines: Sequence[Numbered], *, dry_run: bool = False) -> Absorbed:
        """Add the lines that the log lacks, all or none; raise CodedError where it has others."""
        from bot.storage.absorbing import Absorbing

        with self._writing() as tables:
            absorbing = Absorbing(tables, lines)
            if not dry_run:
                absorbing.write()
            return absorbing.counts

    def forget(self, user_id: str, *, team_id: str | None = None) -> Forgotten:
        """Put a pseudonym in the place of a person, in one workspace or in all of them."""
        from bot.storage.forgetting import Forgetting

        try:
            with self._writing() as tables, tables.records.unlocked():
                forgotten = Forgetting(tables, *storable((user_id, team_id))).run()
        except CodedError as error:
            if error.code == "forget_unknown":
                # Nobody of that name is left: an earlier call may not have got as far as this.
                self._wipe()
            raise
        self._wipe()
        return forgotten

    def prune(self, before: str) -> Pruned:
        """Take out answers from before a moment, ISO 8601, UTC, on which no decision rests."""
        from bot.storage.pruning import prune

        with self._writing() as tables, tables.records.unlocked():
            pruned = prune(tables.records, before)
        self._wipe()
        return pruned

    def prune_some(self, before: str, *, most: int) -> Pruned:
        """Take out at most so many of those answers; the store stays as large as it is."""
        from bot.storage.pruning import prune

        with self._writing() as tables, tables.records.unlocked():
            pruned = prune(tables.records, before, most=most)
        self._settle()
        return pruned

    @abstractmethod
    def _settle(self) -> None:
        """Leave, as far as nobody is in the way, no byte of what was taken out."""

    @abstractmethod
    def _wipe(self) -> None:
        """Leave no byte of what was taken out or replaced in the store."""
