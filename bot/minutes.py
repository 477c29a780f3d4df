"""What the minutes of a decision show beside where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.decisions.measured import Figures
from bot.decisions.states import Action
from bot.found import MeasuredFigure, measured_of
from bot.held_against import Row, rows_of

if TYPE_CHECKING:
    from bot.archive.lines import ActualLine, AnswerLine
    from bot.archive.store import Kept
    from bot.decision_view import DecisionView, EventView
    from bot.reply import Answered


@dataclass(frozen=True)
class Measurement:
    """What somebody measured of an answer of the decision."""

    at: datetime
    """Its moment, with the time zone."""

    who: str
    """Name of who told it."""

    figures: tuple[MeasuredFigure, ...]
    """Figures, each beside its estimate."""

    note: str
    """What they add, empty without."""


@dataclass(frozen=True)
class MinutesView:
    """One decision as its minutes show it."""

    of: DecisionView
    """Where it stands and what happened."""

    kept: Kept
    """Answers it rests on, or ever did, and what was measured of them."""

    decided_on: Answered
    """The answer that is decided on."""

    @property
    def answer(self) -> AnswerLine:
        """Return the answer that is decided on."""
        name = self.of.decision.answer_id
        return next(one for one in self.kept.answers if f"A-{one.id}" == name)

    @property
    def rechecks(self) -> tuple[EventView, ...]:
        """Return how it looked with the facts of later days."""
        return tuple(row for row in self.of.rows if row.event.action is Action.RECHECK)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Return what was measured."""
        kept = tuple(
            Measurement(
                datetime.fromisoformat(one.at),
                one.user_name or self.of.directory.name(one.user_id),
                self._figures(one),
                one.note or "",
            )
            for one in self.kept.actuals
        )
        return kept or tuple(self._told())

    def _told(self) -> Iterator[Measurement]:
        """Yield what events say, where the log does not hold the measurements themselves."""
        for row in self.of.rows:
            if row.event.action is Action.ACTUAL:
                told = measured_of(row.event)
                yield Measurement(row.at, row.who, told.figures if told else (), row.reason)

    def _figures(self, actual: ActualLine) -> tuple[MeasuredFigure, ...]:
        """Return figures beside the estimates of then, else beside those of the answer."""
        events = (row.event for row in self.of.rows if row.event.action is Action.ACTUAL)
        for told in map(measured_of, events):
            if told is not None and told.number == actual.id:
                return told.figures
        try:
            figures = Figures.model_validate_json(actual.measured_json)
        except ValidationError:
            # From a file, of another version.
            return ()
        if actual.answer_id == self.of.decision.answer_id:
            return tuple(map(_figure, rows_of(figures, self.decided_on)))
        return tuple(MeasuredFigure(figure=name, measured=it) for name, it in figures.told.items())


def _figure(row: Row) -> MeasuredFigure:
    return MeasuredFigure(
        figure=row.code,
        measured=row.measured,
        estimated=row.typical,
        error_percent=row.error_percent,
    )
