"""Keep decisions in PostgreSQL: events are added, and where they lead stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

import psycopg

from bot.decisions.measured import Actual, NewActual
from bot.decisions.records import Decision, Event, Tenant
from bot.decisions.search import query_tokens
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
from bot.storage.postgres.connections import Connection

# Names of our own columns, here and below: nothing that somebody typed stands in a statement.
_INSERT_EVENT: Final = (
    f"insert into decision_events ({', '.join(EVENT_COLUMNS)}) "  # noqa: S608
    f"values ({', '.join(f'%({name})s' for name in EVENT_COLUMNS)})"
)
_PUT: Final = (
    f"insert into decisions ({', '.join(DECISION_COLUMNS)}) "  # noqa: S608
    f"values ({', '.join(f'%({name})s' for name in DECISION_COLUMNS)}) "
    "on conflict (id) do update set "
    f"{', '.join(f'{name} = excluded.{name}' for name in DECISION_COLUMNS[2:])}"
)
_ADD_ACTUAL: Final = (
    f"insert into actuals (id, {', '.join(ACTUAL_COLUMNS)}) "  # noqa: S608
    f"values (%(id)s, {', '.join(f'%({name})s' for name in ACTUAL_COLUMNS)})"
)
_REMOVE_PERSON: Final = (
    "delete from decision_people where decision_id = %(number)s and role = %(role)s "
    "and subject = %(subject)s"
)
_ADD_PERSON: Final = (
    "insert into decision_people (decision_id, role, subject, tenant) "
    "values (%(number)s, %(role)s, %(subject)s, %(tenant)s)"
)
_ADD_MODEL: Final = (
    "insert into decision_models (decision_id, model) values (%(number)s, %(model)s) "
    "on conflict do nothing"
)


class PostgresDecisions:
    """Decisions in PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def highest(self) -> int:
        """Return the highest number in use, 0 without any."""
        ((number,),) = self._execute("select coalesce(max(id), 0) from decisions", {})
        return int(number)

    def current(self, tenant: Tenant, number: int) -> tuple[Decision, str] | None:
        """Return where a decision stands and the words it is found by."""
        rows = self._execute(
            "select decision_json, search_text from decisions "
            "where id = %(number)s and tenant = %(tenant)s",
            {"number": number, "tenant": tenant.key},
        )
        found = rows.fetchone()
        return (Decision.model_validate_json(found[0]), str(found[1])) if found else None

    def put(self, tenant: Tenant, change: Change) -> None:
        """Add an event, and put where it leads in the place of what was."""
        self._execute(_INSERT_EVENT, event_row(tenant, change.event))
        self._execute(_PUT, decision_row(tenant, change))
        place = {"number": change.decision.number, "tenant": tenant.key}
        for statement, people in (
            (_REMOVE_PERSON, change.gone_people),
            (_ADD_PERSON, change.new_people),
        ):
            for role, subject in sorted(people):
                self._execute(statement, {**place, "role": role, "subject": subject})
        if change.has_new_models:
            self._put_models(change.decision.number, change.decision.model_names)

    def read(self, number: int, sight: Sight) -> Decision | None:
        """Return one decision; None where there is none to be seen."""
        conditions, values = _seen(sight)
        where = " and ".join(("d.id = %(number)s", *conditions))
        return next(self._decisions(where, values | {"number": number}), None)

    def events(self, number: int) -> tuple[Event, ...]:
        """Return all events of a decision, oldest first."""
        rows = self._execute(
            f"select {', '.join(EVENT_COLUMNS)} from decision_events "  # noqa: S608
            "where decision_id = %(number)s order by sequence",
            {"number": number},
        )
        return tuple(read_event(dict(zip(EVENT_COLUMNS, row, strict=True))) for row in rows)

    def at(self, tenant: Tenant, channel_id: str, message_ts: str) -> Decision | None:
        """Return the decision whose thread begins with a message."""
        where = "d.tenant = %(tenant)s and d.channel_id = %(channel)s and d.message_ts = %(ts)s"
        values = {"tenant": tenant.key, "channel": channel_id, "ts": message_ts}
        return next(self._decisions(where, values), None)

    def find(self, wanted: Wanted, sight: Sight) -> tuple[Decision, ...]:
        """Return decisions, the newest number first."""
        seen, values = _seen(sight)
        asked, more = _asked(wanted)
        where = " and ".join(("true", *seen, *asked))
        values |= more | {"limit": wanted.limit, "offset": wanted.offset}
        tail = f"{where} order by d.id desc limit %(limit)s offset %(offset)s"
        return tuple(self._decisions(tail, values))

    def projects(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Return the names of projects in use, the latest used first."""
        conditions, values = _seen(sight)
        where = " and ".join(("d.project is not null", *conditions))
        rows = self._execute(
            "select (array_agg(project order by id desc))[1] from "  # noqa: S608
            "(select d.id, d.project, d.project_key from decisions d "
            f"where {where} order by d.id desc limit {LATEST}) latest "
            "group by project_key order by max(id) desc limit %(limit)s",
            values | {"limit": limit},
        )
        return tuple(row[0] for row in rows)

    def keep_thread(self, tenant: Tenant, channel_id: str, message_ts: str, subject: str) -> None:
        """Keep what the thread below a message is about, in the place of what was known."""
        self._execute(
            "insert into threads (tenant, channel_id, message_ts, subject) "
            "values (%(tenant)s, %(channel)s, %(ts)s, %(subject)s) "
            "on conflict (tenant, channel_id, message_ts) do update set subject = excluded.subject",
            {"tenant": tenant.key, "channel": channel_id, "ts": message_ts, "subject": subject},
        )

    def thread_subject(self, tenant: Tenant, channel_id: str, message_ts: str) -> str | None:
        """Return what the thread below a message is about."""
        row = self._execute(
            "select subject from threads where tenant = %(tenant)s and channel_id = %(channel)s "
            "and message_ts = %(ts)s",
            {"tenant": tenant.key, "channel": channel_id, "ts": message_ts},
        ).fetchone()
        return str(row[0]) if row else None

    def add_actual(self, tenant: Tenant, actual: NewActual, at: datetime) -> int:
        """Add a measurement and return its number, one more than the last."""
        ((number,),) = self._execute("select coalesce(max(id), 0) + 1 from actuals", {})
        self._execute(_ADD_ACTUAL, {**actual_row(tenant, actual, at), "id": number})
        return int(number)

    def actuals(
        self, tenant: Tenant | None, answer_id: str | None, limit: int
    ) -> tuple[Actual, ...]:
        """Return measurements of a workspace, or of all, newest first."""
        names = ("id", *ACTUAL_COLUMNS)
        rows = self._execute(
            f"select {', '.join(names)} from actuals "  # noqa: S608
            "where (%(tenant)s::text is null or tenant = %(tenant)s) "
            "and (%(answer)s::text is null or answer_id = %(answer)s) "
            "order by id desc limit %(limit)s",
            {"tenant": tenant and tenant.key, "answer": answer_id, "limit": limit},
        )
        return tuple(read_actual(dict(zip(names, row, strict=True))) for row in rows)

    def _put_models(self, number: int, models: Iterable[str]) -> None:
        place = {"number": number}
        self._execute("delete from decision_models where decision_id = %(number)s", place)
        for model in models:
            self._execute(_ADD_MODEL, {**place, "model": model})

    def _decisions(self, tail: str, values: Mapping[str, Any]) -> Iterator[Decision]:
        rows = self._execute(
            f"select d.decision_json from decisions d where {tail}",  # noqa: S608
            values,
        )
        return (Decision.model_validate_json(row[0]) for row in rows)

    def _execute(
        self, statement: str, values: Mapping[str, Any]
    ) -> psycopg.Cursor[tuple[Any, ...]]:
        return self._connection.execute(statement.encode(), values)


def _seen(sight: Sight) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the conditions on who sees what, and their values."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if sight.tenant is not None:
        conditions.append("d.tenant = %(tenant)s")
        values["tenant"] = sight.tenant.key
    if sight.viewer is not None:
        conditions.append(
            "(d.is_open or d.channel_id = %(channel)s or exists (select from decision_people p "
            "where p.decision_id = d.id and p.role = 'part' and p.subject = %(viewer)s))"
        )
        values |= {"channel": sight.channel_id, "viewer": sight.viewer}
    return tuple(conditions), values


_PEOPLE: Final = (
    "select from decision_people p where p.decision_id = d.id and p.subject = any(%(subjects)s)"
)


def _asked(wanted: Wanted) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the conditions of what is looked for, and their values."""
    conditions: dict[str, tuple[str, Any]] = {
        "project": ("d.project_key = %(project)s", project_key(wanted.project)),
        "requester": ("d.requester_id = %(requester)s", wanted.requester_id),
        "states": ("d.state = any(%(states)s)", [str(state) for state in wanted.states] or None),
        "model": (
            "exists (select from decision_models m "
            "where m.decision_id = d.id and m.model = %(model)s)",
            wanted.model,
        ),
        "subjects": (
            # Begun at the people: few wait, and most decisions wait for nobody any more.
            "d.id in (select p.decision_id from decision_people p "  # noqa: S608
            "where p.role = 'waiting' and p.subject = any(%(subjects)s)) "
            f"and not exists ({_PEOPLE} and p.role = 'done')",
            sorted(wanted.waiting_for) or None,
        ),
        "words": ("d.words @@ %(words)s::tsquery", _matching(wanted.text)),
    }
    asked = {name: one for name, one in conditions.items() if one[1] is not None}
    return tuple(sql for sql, _ in asked.values()), {name: one[1] for name, one in asked.items()}


def _matching(text: str) -> str | None:
    """Return the query of words that all have to stand in a decision, or begin one that does."""
    # Words are letters and digits alone, quoted: no operator is read in what somebody typed.
    return " & ".join(f"'{token}':*" for token in query_tokens(text)) or None
