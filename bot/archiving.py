"""Decisions handed on: as lines that can be read back, as sheets, and as minutes of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING

from bot.archive.archive import Archive, answers_of
from bot.archive.lines import SCHEMA, CommentLine, DecisionLine, line_json
from bot.decision_contract import decision_contract
from bot.decision_sheets import decision_sheet, event_sheet
from bot.decision_view import DecisionView
from bot.errors import CodedError
from bot.finding import Finding
from bot.grammar.commands import DecisionMinutes, ExportDecisions
from bot.minutes import MinutesView
from bot.render import Renderer
from bot.reply import Reply, ReplyKind
from bot.report import Section
from bot.reviewing import summary_of
from bot.sheets import to_csv, to_xlsx
from sizing.answer import SizingAnswer

if TYPE_CHECKING:
    from bot.deciding import Deciding
    from bot.decisions.records import Decision
    from bot.reply import Asker, HistoryEntry

PAGE = 500
"""Decisions that are read at a time."""


class Archiving:
    """Answers lines that want decisions as files; only those that the asker may see."""

    def __init__(self, deciding: Deciding, renderer: Renderer) -> None:
        self._deciding = deciding
        self._renderer = renderer

    def answer(self, wish: ExportDecisions | DecisionMinutes, asker: Asker, language: str) -> Reply:
        """Return what a line wants; raise CodedError where there is nothing to see."""
        if isinstance(wish, ExportDecisions):
            return self._exported(wish, asker, language)
        return self._minuted(self._number(wish, asker), asker, language)

    def _number(self, wish: DecisionMinutes, asker: Asker) -> int:
        if wish.number is not None:
            return wish.number
        here = self._deciding.here(asker)
        if here is None:
            raise CodedError("no_decision_here", word="minutes")
        return here.number

    def _exported(self, wish: ExportDecisions, asker: Asker, language: str) -> Reply:
        found = {decision.number: decision for decision in self._found(wish, asker)}
        archive = self._archive(found.values(), asker)
        if not archive.decisions:
            raise CodedError("export_nothing")
        counts = {"decisions": len(archive.decisions), "answers": len(archive.kept.answers)}
        sentence = self._renderer.messages(language).word("archive", "exported", **counts)
        return Reply(
            kind=ReplyKind.EXPORT,
            markdown=f"{sentence}\n",
            language=language,
            summary=sentence,
            private=True,
            files={
                ".jsonl": archive.content,
                ".csv": lambda: self._csv(archive, asker, language),
                ".xlsx": lambda: self._xlsx(archive, asker, language),
            },
            printed=archive.content,
            data={"schema": SCHEMA, "lines": [line_json(line) for line in archive.lines()]},
        )

    def _archive(self, decisions: Iterable[Decision], asker: Asker) -> Archive:
        """Return decisions with their events and with the answers that they ever rested on.

        Who may see a decision may see those answers.
        """
        events = self._deciding.events
        lines = tuple(
            DecisionLine(decision=one, events=events(one.number, asker)) for one in decisions
        )
        comments = tuple(
            CommentLine(**dict(one))
            for line in lines
            for one in self._deciding.comments.of(line.decision, asker)
        )
        return Archive(lines, self._deciding.kept(answers_of(lines)), comments)

    def _found(self, wish: ExportDecisions, asker: Asker) -> Iterator[Decision]:
        """Yield the decisions that a line wants, newest first; one may come twice, on two pages."""
        finding = Finding(self._deciding, self._renderer)
        wanted = finding.wanted(wish.wanted, asker)
        for number in count(1):
            page = finding.page(wanted, asker, number=number, size=PAGE)
            yield from page.decisions
            if not page.has_more:
                return

    def _csv(self, archive: Archive, asker: Asker, language: str) -> bytes:
        messages = self._renderer.messages(language)
        return to_csv(decision_sheet(archive.decisions, messages, asker.directory), language)

    def _xlsx(self, archive: Archive, asker: Asker, language: str) -> bytes:
        messages = self._renderer.messages(language)
        sheets = (
            decision_sheet(archive.decisions, messages, asker.directory),
            event_sheet(archive.decisions, messages, asker.directory),
        )
        latest = max(line.decision.updated_at for line in archive.decisions)
        return to_xlsx(sheets, at=datetime.fromisoformat(latest))

    def _minuted(self, number: int, asker: Asker, language: str) -> Reply:
        decision = self._deciding.decision(number, asker)
        archive = self._archive([decision], asker)
        [line] = archive.decisions
        whole = DecisionView(decision, asker.directory, line.events, comments=archive.comments)
        entry = self._deciding.entry(decision)
        view = MinutesView(whole, archive.kept, entry.answer)
        page = self._renderer.part(
            "minutes",
            language,
            view=view,
            summary=summary_of(entry, self._renderer, language),
            figures=Section("", figures_of(entry, self._renderer, language)),
        )
        return Reply(
            kind=ReplyKind.MINUTES,
            markdown=page,
            language=language,
            summary=page.splitlines()[0].lstrip("# "),
            private=True,
            decision=decision,
            files={".md": page.encode},
            data=decision_contract(decision, line.events, archive.comments),
        )


def figures_of(entry: HistoryEntry, renderer: Renderer, language: str) -> str:
    """Return the page of an answer that is decided on."""
    # Of the class itself: writers for programs leave out the pages of answers.
    if isinstance(entry.answer, SizingAnswer):
        return Renderer.answer(renderer, entry.answer, language, entry.answer_id)
    from sizing.spec.answer import Spec

    assert isinstance(entry.answer, Spec)  # noqa: S101 (nothing else is decided on)
    return Renderer.spec(renderer, entry.answer, language, entry.answer_id)
