"""Keep decisions in SQLite: events are added, and where they lead stands beside them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from bot.decisions.measured import Actual, NewActual
from bot.decisions.records import Decision, Event, Tenant
from bot.decisions.search import query_tokens
from bot.decisions.states import State
from bot.decisions.store import LATEST, Sight, Wanted
from bot.storage.actual_rows import ACTUAL_COLUMNS, actual_row, read_actual
from bot.storage.decision_rows import (
    DECISION_COLUMNS,
    EVENT_COLUMNS,
    Change,
    decision_row,
    event_row,
    project_key,
    read_event,
)

# Names of our own columns, here and below: nothing that somebody typed stands in a statement.
_INSERT_EVENT: Final = (
    f"insert into decision_events ({', '.join(EVENT_COLUMNS)}) "  # noqa: S608
    f"values ({', '.join(f':{name}' for name in EVENT_COLUMNS)})"
)
_INSERT_ACTUAL: Final = (
    f"insert into actuals ({', '.join(ACTUAL_COLUMNS)}) "  # noqa: S608
    f"values ({', '.join(f':{name}' for name in ACTUAL_COLUMNS)})"
)
_PUT: Final = (
    f"insert into decisions ({', '.join(DECISION_COLUMNS)}) "  # noqa: S608
    f"values ({', '.join(f':{name}' for name in DECISION_COLUMNS)}) on conflict (id) do update set "
    f"{', '.join(f'{name} = excluded.{name}' for name in DECISION_COLUMNS[2:])}"
)


class SqliteDecisions:
    """Decisions in SQLite."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def highest(self) -> int:
        """Return the highest number in use, 0 without any."""
        found = self._connection.execute("select coalesce(max(id), 0) from decisions").fetchone()
        return int(found[0])

    def current(self, tenant: Tenant, number: int) -> tuple[Decision, str] | None:
        """Return where a decision stands and the words it is found by."""
        row = self._connection.execute(
            "select decision_json, search_text from decisions where id = ? and tenant = ?",
            [number, tenant.key],
        ).fetchone()
        return (Decision.model_validate_json(row[0]), str(row[1])) if row else None

    def put(self, tenant: Tenant, change: Change) -> None:
        """Add an event, and put where it leads in the place of what was."""
        execute = self._connection.execute
        execute(_INSERT_EVENT, event_row(tenant, change.event))
        execute(_PUT, decision_row(tenant, change))
        number = change.decision.number
        self._connection.executemany(
            "delete from decision_people where decision_id = ? and role = ? and subject = ?",
            [(number, *person) for person in sorted(change.gone_people)],
        )
        self._connection.executemany(
            "insert into decision_people (decision_id, role, subject, tenant) values (?, ?, ?, ?)",
            [(number, *person, tenant.key) for person in sorted(change.new_people)],
        )
        if change.has_new_models:
            execute("delete from decision_models where decision_id = ?", [number])
            self._connection.executemany(
                "insert or ignore into decision_models (decision_id, model) values (?, ?)",
                [(number, model) for model in change.decision.model_names],
            )

    def read(self, number: int, sight: Sight) -> Decision | None:
        """Return one decision; None where there is none to be seen."""
        conditions, values = _seen(sight)
        where = " and ".join(("d.id = :number", *conditions))
        return next(self._decisions(where, values | {"number": number}), None)

    def events(self, number: int) -> tuple[Event, ...]:
        """Return all events of a decision, oldest first."""
        rows = self._connection.execute(
            f"select {', '.join(EVENT_COLUMNS)} from decision_events "  # noqa: S608
            "where decision_id = ? order by sequence",
            [number],
        )
        return tuple(read_event(dict(zip(EVENT_COLUMNS, row, strict=True))) for row in rows)

    def at(self, tenant: Tenant, channel_id: str, message_ts: str) -> Decision | None:
        """Return the decision whose thread begins with a message."""
        where = "d.tenant = :tenant and d.channel_id = :channel and d.message_ts = :ts"
        values = {"tenant": tenant.key, "channel": channel_id, "ts": message_ts}
        return next(self._decisions(where, values), None)

    def find(self, wanted: Wanted, sight: Sight) -> tuple[Decision, ...]:
        """Return decisions, the newest number first."""
        seen, values = _seen(sight)
        asked, more = _asked(wanted)
        where = " and ".join(("true", *seen, *asked))
        values |= more | {"limit": wanted.limit, "offset": wanted.offset}
        source, order = "decisions d", "d.id"
        if tokens := query_tokens(wanted.text):
            # Each word is quoted: FTS5 reads no operator in what somebody typed.
            values["match"] = " ".join(f'"{token}"*' for token in tokens)
            # The order of the joins is forced: matches come by their number, newest first.
            source, order = "decisions_fts f cross join decisions d on d.id = f.rowid", "f.rowid"
            where += " and f.search_text match :match"
        tail = f"{where} order by {order} desc limit :limit offset :offset"
        return tuple(self._decisions(tail, values, source=source))

    def projects(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Return the names of projects in use, the latest used first."""
        conditions, values = _seen(sight)
        where = " and ".join(("d.project is not null", *conditions))
        rows = self._connection.execute(
            "select project from (select d.id, d.project, d.project_key from decisions d "  # noqa: S608
            f"where {where} order by d.id desc limit {LATEST}) "
            "group by project_key order by max(id) desc limit :limit",
            values | {"limit": limit},
        )
        return tuple(row[0] for row in rows)

    def keep_thread(self, tenant: Tenant, channel_id: str, message_ts: str, subject: str) -> None:
        """Keep what the thread below a message is about, in the place of what was known."""
        self._connection.execute(
            "insert into threads (tenant, channel_id, message_ts, subject) values (?, ?, ?, ?) "
            "on conflict do update set subject = excluded.subject",
            [tenant.key, channel_id, message_ts, subject],
        )

    def thread_subject(self, tenant: Tenant, channel_id: str, message_ts: str) -> str | None:
        """Return what the thread below a message is about."""
        row = self._connection.execute(
            "select subject from threads where tenant = ? and channel_id = ? and message_ts = ?",
            [tenant.key, channel_id, message_ts],
        ).fetchone()
        return str(row[0]) if row else None

    def add_actual(self, tenant: Tenant, actual: NewActual, at: datetime) -> int:
        """Add a measurement and return its number, one more than the last."""
        row = actual_row(tenant, actual, at)
        self._connection.execute(_INSERT_ACTUAL, row)
        return int(self._connection.execute("select max(id) from actuals").fetchone()[0])

    def actuals(
        self, tenant: Tenant | None, answer_id: str | None, limit: int
    ) -> tuple[Actual, ...]:
        """Return measurements of a workspace, or of all, newest first."""
        rows = self._connection.execute(
            f"select id, {', '.join(ACTUAL_COLUMNS)} from actuals "  # noqa: S608
            "where (:tenant is null or tenant = :tenant) "
            "and (:answer is null or answer_id = :answer) order by id desc limit :limit",
            {"tenant": tenant and tenant.key, "answer": answer_id, "limit": limit},
        )
        names = ("id", *ACTUAL_COLUMNS)
        return tuple(read_actual(dict(zip(names, row, strict=True))) for row in rows)

    def _decisions(
        self, tail: str, values: dict[str, Any], *, source: str = "decisions d"
    ) -> Iterator[Decision]:
        rows = self._connection.execute(
            f"select d.decision_json from {source} where {tail}",  # noqa: S608
            values,
        )
        return (Decision.model_validate_json(row[0]) for row in rows)


def _seen(sight: Sight) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the conditions on who sees what, and their values."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if sight.tenant is not None:
        conditions.append("d.tenant = :tenant")
        values["tenant"] = sight.tenant.key
    if sight.viewer is not None:
        conditions.append(
            "(d.is_open or d.channel_id = :channel or exists (select 1 from decision_people p "
            "where p.decision_id = d.id and p.role = 'part' and p.subject = :viewer))"
        )
        values |= {"channel": sight.channel_id, "viewer": sight.viewer}
    return tuple(conditions), values


_SUBJECTS: Final = "(select value from json_each(:subjects))"
_PEOPLE: Final = "select 1 from decision_people p where p.decision_id = d.id"


def _asked(wanted: Wanted) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the conditions of what is looked for, and their values."""
    conditions = {
        "project": ("d.project_key = :project", project_key(wanted.project)),
        "requester": ("d.requester_id = :requester", wanted.requester_id),
        "states": (_of_states(wanted.states), "" if wanted.states else None),
        "model": (
            "exists (select 1 from decision_models m "
            "where m.decision_id = d.id and m.model = :model)",
            wanted.model,
        ),
        "subjects": (
            # Begun at the people: few wait, and most decisions wait for nobody any more.
            "d.id in (select p.decision_id from decision_people p "  # noqa: S608
            f"where p.role = 'waiting' and p.subject in {_SUBJECTS}) "
            f"and not exists ({_PEOPLE} and p.role = 'done' and p.subject in {_SUBJECTS})",
            json.dumps(sorted(wanted.waiting_for)) if wanted.waiting_for else None,
        ),
    }
    asked = {name: one for name, one in conditions.items() if one[1] is not None}
    return tuple(sql for sql, _ in asked.values()), {name: one[1] for name, one in asked.items()}


def _of_states(states: frozenset[State]) -> str:
    """Return the condition on states: spelled out, so that one state is read by its index."""
    names = ", ".join(f"'{state.value}'" for state in sorted(states))
    return f"d.state = {names}" if len(states) == 1 else f"d.state in ({names})"
