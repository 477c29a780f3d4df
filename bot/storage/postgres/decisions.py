"""Keep decisions in PostgreSQL: events are added, and where they lead stands beside them."""

from __future__ import annotations

from typing import Any, Final

from bot.decisions.records import Decision, Event, Tenant
from bot.decisions.search import query_tokens
from bot.decisions.store import Sight, Wanted
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
_NO_PERSON: Final = (
    "delete from decision_people where decision_id = %s and role = %s and subject = %s"
)
_PERSON: Final = (
    "insert into decision_people (decision_id, role, subject, tenant) values (%s, %s, %s, %s)"
)
_MODEL: Final = "insert into decision_models (decision_id, model) values (%s, %s)"
_KEEP_THREAD: Final = (
    "insert into threads (tenant, channel_id, message_ts, subject) values (%s, %s, %s, %s) "
    "on conflict (tenant, channel_id, message_ts) do update set subject = excluded.subject"
)
_THREAD: Final = (
    "select subject from threads where tenant = %s and channel_id = %s and message_ts = %s"
)


class PostgresDecisions:
    """Decisions in PostgreSQL, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def highest(self) -> int:
        """Return the highest number in use, 0 without any."""
        (row,) = self._rows("select coalesce(max(id), 0) from decisions")
        return int(row[0])

    def current(self, tenant: Tenant, number: int) -> tuple[Decision, str] | None:
        """Return where a decision stands and the words it is found by."""
        statement = "select decision_json, search_text from decisions where id = %s and tenant = %s"
        rows = self._rows(statement, (number, tenant.key))
        return (Decision.model_validate_json(rows[0][0]), str(rows[0][1])) if rows else None

    def put(self, tenant: Tenant, change: Change) -> None:
        """Add an event, and put where it leads in the place of what was."""
        self._execute(_INSERT_EVENT, event_row(tenant, change.event))
        self._execute(_PUT, decision_row(tenant, change))
        number = change.decision.number
        for person in sorted(change.gone_people):
            self._execute(_NO_PERSON, (number, *person))
        for person in sorted(change.new_people):
            self._execute(_PERSON, (number, *person, tenant.key))
        if change.has_new_models:
            self._execute("delete from decision_models where decision_id = %s", (number,))
            for model in dict.fromkeys(change.decision.model_names):
                self._execute(_MODEL, (number, model))

    def read(self, number: int, sight: Sight) -> Decision | None:
        """Return one decision; None where there is none to be seen."""
        conditions, values = _seen(sight)
        where = " and ".join(("d.id = %(number)s", *conditions))
        return next(iter(self._decisions(where, values | {"number": number})), None)

    def events(self, number: int) -> tuple[Event, ...]:
        """Return all events of a decision, oldest first."""
        rows = self._rows(
            f"select {', '.join(EVENT_COLUMNS)} from decision_events "  # noqa: S608
            "where decision_id = %s order by sequence",
            (number,),
        )
        return tuple(read_event(dict(zip(EVENT_COLUMNS, row, strict=True))) for row in rows)

    def at(self, tenant: Tenant, channel_id: str, message_ts: str) -> Decision | None:
        """Return the decision whose thread begins with a message."""
        where = "d.tenant = %(tenant)s and d.channel_id = %(channel)s and d.message_ts = %(ts)s"
        values = {"tenant": tenant.key, "channel": channel_id, "ts": message_ts}
        return next(iter(self._decisions(where, values)), None)

    def find(self, wanted: Wanted, sight: Sight) -> tuple[Decision, ...]:
        """Return decisions, the newest number first."""
        seen, values = _seen(sight)
        asked, more = _asked(wanted)
        values |= more | {"limit": wanted.limit, "offset": wanted.offset}
        where = " and ".join(("true", *seen, *asked))
        tail = f"{where} order by d.id desc limit %(limit)s offset %(offset)s"
        return self._decisions(tail, values)

    def projects(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Return the names of projects in use, the latest used first."""
        conditions, values = _seen(sight)
        where = " and ".join(("d.project is not null", *conditions))
        rows = self._rows(
            "select (array_agg(d.project order by d.id desc))[1] from decisions d "  # noqa: S608
            f"where {where} group by d.project_key order by max(d.id) desc limit %(limit)s",
            values | {"limit": limit},
        )
        return tuple(row[0] for row in rows)

    def keep_thread(self, tenant: Tenant, channel_id: str, message_ts: str, subject: str) -> None:
        """Keep what the thread below a message is about, in the place of what was known."""
        self._execute(_KEEP_THREAD, (tenant.key, channel_id, message_ts, subject))

    def thread_subject(self, tenant: Tenant, channel_id: str, message_ts: str) -> str | None:
        """Return what the thread below a message is about."""
        rows = self._rows(_THREAD, (tenant.key, channel_id, message_ts))
        return str(rows[0][0]) if rows else None

    def _decisions(self, tail: str, values: dict[str, Any]) -> tuple[Decision, ...]:
        rows = self._rows(
            f"select d.decision_json from decisions d where {tail}",  # noqa: S608
            values,
        )
        return tuple(Decision.model_validate_json(row[0]) for row in rows)

    def _rows(self, statement: str, values: Any = None) -> list[tuple[Any, ...]]:  # noqa: ANN401 (psycopg's)
        return self._connection.execute(statement.encode(), values).fetchall()

    def _execute(self, statement: str, values: Any) -> None:  # noqa: ANN401 (psycopg's)
        self._connection.execute(statement.encode(), values)


def _seen(sight: Sight) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the conditions on who sees what, and their values."""
    conditions: list[str] = []
    values: dict[str, Any] = {}
    if sight.tenant is not None:
        conditions.append("d.tenant = %(tenant)s")
        values["tenant"] = sight.tenant.key
    if sight.viewer is not None:
        conditions.append(
            "(d.is_open or d.channel_id = %(channel)s or exists (select 1 from decision_people p "
            "where p.decision_id = d.id and p.role = 'part' and p.subject = %(viewer)s))"
        )
        values |= {"channel": sight.channel_id, "viewer": sight.viewer}
    return tuple(conditions), values


_PEOPLE: Final = (
    "select 1 from decision_people p where p.decision_id = d.id and p.subject = any(%(subjects)s)"
)


def _asked(wanted: Wanted) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the conditions of what is looked for, and their values."""
    tokens = query_tokens(wanted.text)
    conditions = {
        # Each word is quoted: no operator is read in what somebody typed.
        "match": (
            "d.search @@ %(match)s::tsquery",
            " & ".join(f"'{token}':*" for token in tokens) or None,
        ),
        "project": ("d.project_key = %(project)s", project_key(wanted.project)),
        "requester": ("d.requester_id = %(requester)s", wanted.requester_id),
        "states": ("d.state = any(%(states)s)", [*map(str, wanted.states)] or None),
        "model": (
            "exists (select 1 from decision_models m "
            "where m.decision_id = d.id and m.model = %(model)s)",
            wanted.model,
        ),
        "subjects": (
            f"exists ({_PEOPLE} and p.role = 'waiting') "
            f"and not exists ({_PEOPLE} and p.role = 'done')",
            [*wanted.waiting_for] or None,
        ),
    }
    asked = {name: one for name, one in conditions.items() if one[1] is not None}
    return tuple(sql for sql, _ in asked.values()), {name: one[1] for name, one in asked.items()}
