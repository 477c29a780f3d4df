"""What the minutes of a decision show beside where it stands."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.decisions.states import Action

if TYPE_CHECKING:
    from bot.archive.lines import AnswerLine
    from bot.archive.store import Kept
    from bot.decision_view import DecisionView


@dataclass(frozen=True)
class Finding:
    """A re-check or a measurement."""

    at: datetime
    """Its moment, with the time zone."""

    who: str
    """Name of who did it."""

    facts: tuple[str, ...]
    """Figures, each with its name."""

    note: str
    """What they add, empty without."""


@dataclass(frozen=True)
class MinutesView:
    """One decision as its minutes show it."""

    of: DecisionView
    """Where it stands and what happened."""

    kept: Kept
    """Answers it rests on, or ever did, and what was measured of them."""

    @property
    def answer(self) -> AnswerLine:
        """Return the answer that is decided on."""
        name = self.of.decision.answer_id
        return next(one for one in self.kept.answers if f"A-{one.id}" == name)

    @property
    def rechecks(self) -> tuple[Finding, ...]:
        """Return how it looked with the facts of later days."""
        return tuple(self._events(Action.RECHECK))

    @property
    def measurements(self) -> tuple[Finding, ...]:
        """Return what was measured."""
        measured = tuple(
            Finding(
                datetime.fromisoformat(one.at),
                one.user_name or self.of.directory.name(one.user_id),
                tuple(_facts(json.loads(one.measured_json))),
                one.note or "",
            )
            for one in self.kept.actuals
        )
        return measured or tuple(self._events(Action.ACTUAL))

    def _events(self, action: Action) -> Iterator[Finding]:
        for row in self.of.rows:
            if row.event.action is action:
                facts = tuple(_facts(row.event.details.data or {}))
                yield Finding(row.at, row.who, facts, row.reason)


def _facts(data: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Yield the figures of JSON with their names, one behind the other."""
    for name, value in data.items():
        if isinstance(value, dict):
            yield from _facts(value, f"{before}{name}.")
        elif isinstance(value, list):
            yield f"{before}{name}: {', '.join(map(_plain, value))}"
        elif value is not None:
            yield f"{before}{name}: {value}"


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
