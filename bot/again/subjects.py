"""What a line is about: the decision or the answer it names, or that of its thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.deciding import tenant_of
from bot.errors import CodedError

if TYPE_CHECKING:
    from bot.again.tools import Tools
    from bot.decisions.records import Decision
    from bot.reply import Asker, HistoryEntry


@dataclass(frozen=True)
class Subject:
    """A decision, or an answer that nothing is decided on."""

    answer_id: str
    """Answer it is about: `A-12`."""

    decision: Decision | None = None
    """The decision; None for an answer alone."""

    @property
    def name(self) -> str:
        """Return the name people read: `D-42`, `A-12`."""
        return self.decision.name if self.decision else self.answer_id


class Subjects:
    """Finds what lines are about."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def of(
        self, number: int | None, asker: Asker, *, verb: str, answer: str | None = None
    ) -> Subject:
        """Return what a line is about; raise CodedError where it names nothing to be seen."""
        deciding = self._tools.deciding
        if number is not None:
            decision = deciding.decision(number, asker)
            return Subject(decision.answer_id, decision)
        if answer is not None:
            return Subject(answer)
        here = deciding.here(asker)
        if here is not None:
            return Subject(here.answer_id, here)
        channel_id, ts = asker.channel_id, asker.thread_ts
        named = None
        if channel_id and ts:
            named = self._tools.log.thread_subject(tenant_of(asker), channel_id, ts)
        if named is None:
            raise CodedError("nothing_here", word=verb)
        return Subject(named)

    def entry(self, subject: Subject, asker: Asker) -> HistoryEntry:
        """Return the answer behind a subject; who may see a decision may see its answer."""
        if subject.decision is not None:
            return self._tools.deciding.entry(subject.decision)
        return self._tools.history.entry(subject.answer_id, asker)
