"""Add lines of a log to another one: what it has stays, what contradicts it is refused whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from bot.archive.lines import (
    ActualLine,
    AnswerLine,
    CommentLine,
    DecisionLine,
    Line,
    TickLine,
    line_name,
)
from bot.archive.reading import Numbered, check_hashes
from bot.archive.store import Absorbed
from bot.decisions.records import Decision, Event, decision_name
from bot.errors import CodedError
from bot.storage import answer_id, answer_number
from bot.storage.commenting import TABLE as COMMENTS
from bot.storage.commenting import comment_row
from bot.storage.decision_rows import change_of
from bot.storage.kept import TABLES, R, rows_by
from bot.storage.tables import Tables

MOST_NAMED: Final = 10
"""Records that a refusal names."""


class Absorbing:
    """One import: compared with the log first, then written."""

    def __init__(self, tables: Tables, lines: Sequence[Numbered]) -> None:
        """Compare; raise CodedError where the log has other records of the same names."""
        self._tables = tables
        self._lines = lines
        self._clashes: list[str] = []
        self._known = 0
        self._answers = self._new(AnswerLine)
        self._ticks = self._new(TickLine)
        self._actuals = self._new(ActualLine)
        self._events = self._new_events()
        self._comments = self._new_comments()
        if self._clashes:
            named = tuple(self._clashes[:MOST_NAMED])
            raise CodedError("import_clash", names=named, count=len(self._clashes))
        self._check_answers()

    @property
    def counts(self) -> Absorbed:
        """Return what is added."""
        events = [new for new in self._events.values() if new]
        return Absorbed(
            answers=len(self._answers),
            ticks=len(self._ticks),
            decisions=sum(new[0].sequence == 1 for new in events),
            events=sum(map(len, events)),
            actuals=len(self._actuals),
            comments=len(self._comments),
            known=self._known,
        )

    def write(self) -> None:
        """Add what is new, in the order in which one thing refers to another."""
        for line in (*self._answers, *self._ticks, *self._actuals):
            self._tables.records.add(TABLES[type(line)], line.model_dump())
        for _, events in sorted(self._events.items()):
            put_events(self._tables, events)
        for comment in self._comments:
            self._tables.records.add(COMMENTS, comment_row(comment))

    def _new(self, kind: type[R]) -> list[R]:
        """Return the lines of a kind that the log lacks, each once."""
        told = [one.line for one in self._lines if isinstance(one.line, kind)]
        numbers = [line.id for line in told]
        have = {line.id: line for line in rows_by(self._tables.records, kind, "id", numbers)}
        new: list[R] = []
        for line in told:
            if line.id not in have:
                have[line.id] = line
                new.append(line)
            else:
                self._compare(line, is_same=have[line.id] == line)
        return new

    def _new_events(self) -> dict[int, tuple[Event, ...]]:
        """Return by decision the events that go on from those the log has."""
        new: dict[int, tuple[Event, ...]] = {}
        for _, line in self._decisions():
            number = line.decision.number
            have = (*self._tables.decisions.events(number), *new.get(number, ()))
            both = min(len(have), len(line.events))
            is_same, more = have[:both] == line.events[:both], line.events[both:]
            if not (is_same and more):
                self._compare(line, is_same=is_same)
                continue
            new[number] = (*new.get(number, ()), *more)
        return new

    def _new_comments(self) -> list[CommentLine]:
        """Return the comments on decisions that begin with this import, each once.

        Of a decision that the log has, those it lacks may have been deleted since.
        """
        new: dict[tuple[str, str, str], CommentLine] = {}
        for one in self._lines:
            if not isinstance(one.line, CommentLine):
                continue
            line = one.line
            events = self._events.get(line.decision_id)
            key = (line.message_ts, line.channel_id, line.tenant)
            if events and events[0].sequence == 1 and key not in new:
                new[key] = line
            elif events or self._tables.decisions.events(line.decision_id):
                self._known += 1
            else:
                name = decision_name(line.decision_id)
                raise CodedError("import_lacks", line=one.number, answer=name)
        return list(new.values())

    def _compare(self, line: Line, *, is_same: bool) -> None:
        if is_same:
            self._known += 1
        else:
            self._clashes.append(line_name(line))

    def _decisions(self) -> Iterator[tuple[int, DecisionLine]]:
        for one in self._lines:
            if isinstance(one.line, DecisionLine):
                yield one.number, one.line

    def _check_answers(self) -> None:
        """Raise CodedError where a line is about an answer that is nowhere, or is another one."""
        wanted = [*self._about()]
        told = {line.id: line for line in self._answers}
        missing = sorted({number for _, number, _ in wanted} - set(told))
        kept = rows_by(self._tables.records, AnswerLine, "id", missing)
        answers = told | {line.id: line for line in kept}
        for place, number, event in wanted:
            if number not in answers:
                raise CodedError("import_lacks", line=place, answer=answer_id(number))
            if event is not None:
                check_hashes(place, event, answers[number])

    def _about(self) -> Iterator[tuple[int, int, Event | None]]:
        """Yield lines, the answers they are about, and their events where they have some."""
        for one in self._lines:
            match one.line:
                case TickLine():
                    yield one.number, one.line.answer_id, None
                case ActualLine():
                    yield one.number, answer_number(one.line.answer_id) or 0, None
                case DecisionLine():
                    for event in one.line.events:
                        if event.answer_id is not None:
                            yield one.number, answer_number(event.answer_id) or 0, event
                case _:
                    pass


def put_events(tables: Tables, events: Sequence[Event]) -> None:
    """Add events of one decision, which go on from those it has, with all that follows on them."""
    decision: Decision | None = None
    words = ""
    first = events[0]
    if first.sequence > 1:
        decision, words = _stands(tables, first)
    for event in events:
        change = change_of(decision, words, event)
        decision, words = change.decision, change.search_text
        tables.decisions.put(decision.tenant, change)


def _stands(tables: Tables, event: Event) -> tuple[Decision, str]:
    """Return where a decision stands before an event, and the words it is found by."""
    [row] = tables.records.read(
        "decisions", ("decision_json", "search_text"), by="id", values=[event.decision]
    )
    return Decision.model_validate_json(row["decision_json"]), str(row["search_text"])
