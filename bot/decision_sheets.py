"""Decisions and what happened to them as sheets, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.decision_view import DecisionView
from bot.decisions.states import State
from bot.sheets import Cell, Sheet

if TYPE_CHECKING:
    from bot.archive.lines import DecisionLine
    from bot.decisions.directory import Directory
    from bot.messages import Messages

DECISION_HEAD = (
    "decision", "state", "title", "project", "version", "answer", "question", "models", "note",
    "requester", "reviewers", "approvals", "decided_by", "reason", "due_on", "created_at",
    "updated_at", "superseded_by", "answer_hash", "catalogue",
)  # fmt: skip
"""Columns of the sheet of decisions; their words stand in the message catalogues."""

EVENT_HEAD = (
    "decision", "sequence", "at", "who", "action", "reason", "answer", "request_hash",
    "answer_hash", "catalogue", "package_version", "permalink",
)  # fmt: skip
"""Columns of the sheet of events."""

UNDECIDED = frozenset({State.DRAFT, State.PROPOSED})
"""States that nobody has decided on."""


def decision_sheet(
    lines: Sequence[DecisionLine], messages: Messages, directory: Directory
) -> Sheet:
    """Return where decisions stand, newest first."""
    rows = (_row(line, messages, directory) for line in lines)
    return _sheet("decisions", DECISION_HEAD, tuple(rows), messages)


def event_sheet(lines: Sequence[DecisionLine], messages: Messages, directory: Directory) -> Sheet:
    """Return what happened to decisions, those of one in the order they happened."""
    rows = (row for line in lines for row in _event_rows(line, messages, directory))
    return _sheet("events", EVENT_HEAD, tuple(rows), messages)


def _sheet(
    name: str, head: tuple[str, ...], rows: tuple[tuple[Cell, ...], ...], messages: Messages
) -> Sheet:
    words = tuple(messages.label("archive_columns", column) for column in head)
    return Sheet(messages.label("archive", name), words, rows)


def _row(line: DecisionLine, messages: Messages, directory: Directory) -> tuple[Cell, ...]:
    decision = line.decision
    view = DecisionView(decision, directory)
    other = decision.superseded_by
    return (
        decision.name,
        messages.label("decision_states", decision.state.value),
        decision.title,
        decision.project,
        decision.version,
        decision.answer_id,
        decision.question,
        ", ".join(decision.model_names),
        decision.note,
        view.requester,
        ", ".join(view.reviewers),
        ", ".join(view.approved_by),
        None if decision.state in UNDECIDED else view.decided_by,
        decision.reason,
        decision.due_on,
        decision.created_at,
        decision.updated_at,
        None if other is None else f"D-{other}",
        decision.answer_hash,
        decision.catalogue_digest,
    )


def _event_rows(
    line: DecisionLine, messages: Messages, directory: Directory
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (
            line.decision.name,
            row.event.sequence,
            row.event.at,
            row.who,
            messages.label("decision_actions", row.code),
            row.event.reason,
            row.event.answer_id,
            row.event.request_hash,
            row.event.answer_hash,
            row.event.catalogue_digest,
            row.event.package_version,
            row.event.permalink,
        )
        for row in DecisionView(line.decision, directory, line.events).rows
    )
