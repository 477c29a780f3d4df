"""What was measured: kept beside what was estimated, listed, and handed on as cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.again.cases import case_lines, case_rows, left_out
from bot.deciding import Move, tenant_of
from bot.decision_contract import decision_contract
from bot.decisions.measured import Actual, Figures, NewActual
from bot.decisions.records import Details
from bot.decisions.search import tokens_of
from bot.decisions.states import Action
from bot.errors import CodedError
from bot.grammar.measured_words import measured_in
from bot.held_against import Row, first_of, rows_of, sized_of
from bot.reply import Reply, ReplyKind, Transport
from bot.text import readable
from sizing import __version__

if TYPE_CHECKING:
    from bot.again.subjects import Subject, Subjects
    from bot.again.tools import Tools
    from bot.decisions.records import Decision
    from bot.grammar.commands import ListActuals, Measured
    from bot.reply import Asker, HistoryEntry

SCHEMA = "gpusize-actuals/1"
"""Name of the JSON form."""

MOST_LISTED = 20
"""Measurements of one list in Slack; the terminal and programs get all."""


@dataclass(frozen=True)
class ActualView:
    """One measurement, the answer it is about, and how far off that was."""

    actual: Actual
    """What was measured."""

    entry: HistoryEntry
    """The answer."""

    rows: tuple[Row, ...]
    """Each figure beside its estimate."""

    repository: str | None = None
    """Repository of the model on the Hub, as the cases name it; None where there is none."""

    @property
    def model(self) -> str:
        """Return the name of the model."""
        sized = sized_of(self.entry.answer)
        return sized.understood.model if sized else self.entry.question

    @property
    def gpu(self) -> str | None:
        """Return the catalogue id of the cards; None without a set."""
        first = first_of(self.entry.answer)
        return first.gpu if first else None

    @property
    def data(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "number": self.actual.number,
            "at": self.actual.at,
            "answer_id": self.actual.answer_id,
            "decision": self.actual.decision_id and f"D-{self.actual.decision_id}",
            "model": self.model,
            "gpu": self.gpu,
            "note": self.actual.note,
            "figures": [figure_data(row) for row in self.rows],
        }


def figure_data(row: Row) -> dict[str, Any]:
    """Return one figure beside its estimate as JSON."""
    return {
        "figure": row.code,
        "measured": row.measured,
        "estimated": row.typical,
        "low": row.low,
        "high": row.high,
        "error_percent": row.error_percent,
        "is_inside": row.is_inside,
    }


class Measuring:
    """Keeps what people measured, and shows it."""

    def __init__(self, tools: Tools, subjects: Subjects) -> None:
        self._tools = tools
        self._subjects = subjects

    def answer(self, wish: Measured, asker: Asker, language: str) -> Reply:
        """Keep what a line tells, and show it beside what was estimated."""
        subject = self._subjects.of(wish.number, asker, verb="actual", answer=wish.answer)
        figures, note = measured_in(wish.words)
        reply = self.kept(subject, figures, note, asker, language=language)
        return replace(reply, private=wish.private)

    def kept(
        self,
        subject: Subject,
        figures: Figures,
        note: str | None,
        asker: Asker,
        *,
        language: str,
    ) -> Reply:
        """Keep figures about an answer or a decision, and show them beside the estimates."""
        entry = self._subjects.entry(subject, asker)
        decision = subject.decision
        actual = self._tools.log.add_actual(
            decision.tenant if decision else tenant_of(asker),
            NewActual(
                answer_id=entry.answer_id,
                decision_id=decision.number if decision else None,
                user_id=readable(asker.user_id),
                user_name=asker.user_name and readable(asker.user_name),
                figures=figures,
                note=readable(note).strip() or None if note else None,
                package_version=__version__,
            ),
        )
        view = self._view(actual, entry)
        after = self._noted(decision, view, asker) if decision else None
        page = self._tools.renderer.part("measured", language, subject=subject, view=view)
        return self._reply(view, after, page, asker=asker, language=language)

    def listed(self, wish: ListActuals, asker: Asker, language: str) -> Reply:
        """List what was measured of answers that the asker may see."""
        tenant = None if asker.transport is Transport.TERMINAL else tenant_of(asker)
        found = tuple(self._found(wish.query, asker, self._tools.log.actuals_of(tenant)))
        most = None if asker.transport is Transport.TERMINAL else MOST_LISTED
        page = self._tools.renderer.part(
            "actuals",
            language,
            views=found[:most],
            hidden=len(found[most:]) if most else 0,
            query=wish.query,
            command=asker.command,
        )
        return Reply(
            kind=ReplyKind.ACTUALS,
            markdown=page,
            language=language,
            summary=page.splitlines()[0].lstrip("# "),
            private=True,
            data={"schema": SCHEMA, "actuals": [one.data for one in found]},
            files={
                ".csv": partial(case_rows, found),
                ".jsonl": partial(case_lines, found),
            },
            handed={
                ".csv": partial(self._handed, found, ".csv", language),
                ".jsonl": partial(self._handed, found, ".jsonl", language),
            },
        )

    def _handed(self, views: tuple[ActualView, ...], ending: str, language: str, path: str) -> str:
        """Return what a file of cases holds, and what it does not."""
        messages = self._tools.renderer.messages(language)
        left = tuple(left_out(views, ending))
        count = sum(len(view.rows) for view in views) - len(left)
        said = messages.label("cases_written", ending[1:], path=path, count=count)
        if not left:
            return said
        named = (f"{answer} {messages.label('measured_figures', code)}" for answer, code in left)
        what = "; ".join(dict.fromkeys(named))
        return f"{said}\n{messages.label('cases_written', 'left_out', what=what)}"

    def _found(self, query: str, asker: Asker, actuals: tuple[Actual, ...]) -> Iterator[ActualView]:
        wanted = tokens_of(query)
        for actual in actuals:
            try:
                entry = self._entry(actual, asker)
            except CodedError:
                # Not for this person to see, or written by another version in another shape.
                continue
            view = self._view(actual, entry)
            named = set(tokens_of(f"{view.model} {view.gpu or ''} {entry.question}"))
            if all(any(name.startswith(word) for name in named) for word in wanted):
                yield view

    def _view(self, actual: Actual, entry: HistoryEntry) -> ActualView:
        sized = sized_of(entry.answer)
        model_id = sized.understood.model_id if sized else None
        record = self._tools.catalogue.models.get(model_id or "")
        rows = rows_of(actual.figures, entry.answer)
        return ActualView(actual, entry, rows, record.hf_id if record else None)

    def _entry(self, actual: Actual, asker: Asker) -> HistoryEntry:
        if actual.decision_id is not None:
            self._tools.deciding.decision(actual.decision_id, asker)
            return self._tools.history.entry_of(actual.answer_id, team_id=asker.team_id)
        return self._tools.history.entry(actual.answer_id, asker)

    def _noted(self, decision: Decision, view: ActualView, asker: Asker) -> Decision:
        """Add the measurement to the events of a decision."""
        move = Move(action=Action.ACTUAL, details=Details(data=view.data))
        return self._tools.deciding.note(decision.number, move, asker)

    def _reply(
        self, view: ActualView, decision: Decision | None, page: str, *, asker: Asker, language: str
    ) -> Reply:
        data: dict[str, Any] = {"schema": SCHEMA, "actuals": [view.data]}
        if decision is not None:
            events = self._tools.deciding.events(decision.number, asker)
            data = decision_contract(decision, events) | {"actual": view.data}
        return Reply(
            kind=ReplyKind.DECISION if decision else ReplyKind.ACTUALS,
            markdown=page,
            language=language,
            summary=page.splitlines()[0].lstrip("# "),
            decision=decision,
            is_figures=True,
            data=data,
        )
