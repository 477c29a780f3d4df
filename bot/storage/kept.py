"""Read answers and what hangs on them as lines of a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from bot.archive.lines import ActualLine, AnswerLine, TickLine
from bot.archive.store import Kept
from bot.storage import answer_id
from bot.storage.tables import Records

TABLES: Final = {AnswerLine: "answers", TickLine: "ticks", ActualLine: "actuals"}
"""Tables of the lines that are rows."""

R = TypeVar("R", AnswerLine, TickLine, ActualLine)


def kept(records: Records, answers: Sequence[int]) -> Kept:
    """Return answers by their numbers, with ticks and measurements."""
    return Kept(
        answers=rows_by(records, AnswerLine, "id", answers),
        ticks=rows_by(records, TickLine, "answer_id", answers),
        actuals=rows_by(records, ActualLine, "answer_id", [*map(answer_id, answers)]),
    )


def rows_by(records: Records, kind: type[R], by: str, values: Sequence[int | str]) -> tuple[R, ...]:
    """Return the rows of a kind whose column `by` is among values, in the order of their ids."""
    found = records.read(TABLES[kind], tuple(kind.model_fields), by=by, values=values)
    return tuple(map(kind.model_validate, found))
