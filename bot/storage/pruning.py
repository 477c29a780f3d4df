"""Take old answers out of a log, those on which no decision rests."""

from __future__ import annotations

from bot.archive.store import Pruned
from bot.storage import answer_id, answer_number
from bot.storage.tables import Records


def prune(records: Records, before: str, *, most: int | None = None) -> Pruned:
    """Take out answers from before a moment, ISO 8601, UTC, with what hangs on them.

    The oldest ones first, `most` at most.
    """
    answers = records.read("answers", ("id", "at"))
    # The last one stays: its name must not be given to another answer.
    old = {row["id"] for row in answers[:-1] if row["at"] < before} - _decided_on(records)
    numbers = sorted(old)[:most]
    names = [answer_id(number) for number in numbers]
    records.remove("threads", "subject", names)
    return Pruned(
        actuals=records.remove("actuals", "answer_id", names),
        ticks=records.remove("ticks", "answer_id", numbers),
        answers=records.remove("answers", "id", numbers),
    )


def _decided_on(records: Records) -> set[int | None]:
    """Return the numbers of all answers that a decision rests on, or ever did."""
    events = records.read("decision_events", ("answer_id",))
    measured = records.read("actuals", ("answer_id", "decision_id"))
    names = {row["answer_id"] for row in events if row["answer_id"]}
    names |= {row["answer_id"] for row in measured if row["decision_id"] is not None}
    return set(map(answer_number, names))
