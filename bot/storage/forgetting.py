"""Put a pseudonym in the place of a person, wherever the log names them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from bot.archive.store import Forgotten
from bot.decisions.records import Event
from bot.errors import CodedError
from bot.storage.absorbing import put_events
from bot.storage.commenting import KEY as COMMENT_KEY
from bot.storage.commenting import TABLE as COMMENTS
from bot.storage.decision_rows import EVENT_COLUMNS, read_event
from bot.storage.tables import Tables

TABLES: Final = {
    "answers": ("id", "team_id", "user_id", "user_name", "question"),
    "ticks": ("id", "answer_id", "user_id", "user_name"),
    "actuals": ("id", "tenant", "user_id", "user_name", "measured_json", "note"),
    "preferences": ("tenant", "user_id", "settings_json"),
    COMMENTS: (*COMMENT_KEY, "user_id", "user_name", "text"),
}
"""Columns that say who, where, and what people wrote, beside the events of decisions."""

NAMED: Final = {
    "answers": "team_id",
    "ticks": "answer_id",
    "actuals": "tenant",
    "decision_events": "tenant",
    COMMENTS: "tenant",
}
"""Tables that have the name of an id, and the column that says where that is its name."""

KEYS: Final = {"preferences": ("tenant", "user_id"), COMMENTS: COMMENT_KEY}
"""Columns that name a row, where it is not `id`."""

FIXED: Final = frozenset(
    {"request_hash", "answer_hash", "catalogue_digest", "package_version", "at", "action"}
)
"""What an event says that no person wrote."""

DERIVED: Final = {
    "decision_models": "decision_id",
    "decision_people": "decision_id",
    "decision_events": "decision_id",
    "decisions": "id",
}
"""Tables that are written again from the events, with the column that names the decision."""


class Forgetting:
    """One person who is taken out; the caller holds the transaction and the lifted triggers."""

    def __init__(self, tables: Tables, user_id: str, team_id: str | None) -> None:
        self._tables = tables
        self._records = tables.records
        self._user_id = user_id
        self._team_id = team_id
        self._pseudonym = f"person-{secrets.token_hex(4)}"

    def run(self) -> Forgotten:
        """Replace them everywhere; raise CodedError where the log does not know them."""
        events = self._events()
        rows = {name: self._rows(name) for name in TABLES}
        if not events and not any(rows.values()):
            raise CodedError("forget_unknown", user=self._user_id)
        counts = {name: self._replace(name, found) for name, found in rows.items()}
        changed = sum(map(self._rewrite, events.values()))
        self._forget_deliveries()
        return Forgotten(pseudonym=self._pseudonym, events=changed, **counts)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """Return the id and all names that the log has for it there, the longest first."""
        named = (
            row["user_name"]
            for table, where in NAMED.items()
            for row in self._records.read(
                table, ("user_id", "user_name", where), by="user_id", values=[self._user_id]
            )
            if self._is_here(row)
        )
        return tuple(sorted({self._user_id, *filter(None, named)}, key=len, reverse=True))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Return what finds the names as words of their own, in any case of letters."""
        either = "|".join(map(re.escape, self._names))
        return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)

    @cached_property
    def _teams(self) -> dict[int, str | None]:
        """Return the workspace of each answer."""
        rows = self._records.read("answers", ("id", "team_id"))
        return {row["id"]: row["team_id"] for row in rows}

    def _rows(self, table: str) -> list[dict[str, Any]]:
        return [
            row
            for row in self._records.read(table, TABLES[table])
            if self._is_here(row) and self._replaced(row) != row
        ]

    def _is_here(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row belongs to the workspace that is meant."""
        if self._team_id is None:
            return True
        if "tenant" in row:
            return str(row["tenant"]).endswith(f"/{self._team_id}")
        team = row["team_id"] if "team_id" in row else self._teams.get(row["answer_id"])
        return team == self._team_id

    def _replace(self, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
        count = 0
        for row in rows:
            key = {name: row[name] for name in KEYS.get(table, ("id",))}
            if table == COMMENTS and row["user_id"] == self._user_id:
                # What somebody said to others is theirs: it goes with them.
                self._records.drop(table, key)
            else:
                new = self._replaced(row)
                self._records.change(table, key, {n: v for n, v in new.items() if v != row[n]})
            count += 1
        return count

    def _replaced(self, value: Any) -> Any:  # noqa: ANN401 (JSON)
        """Return JSON, or a row, with the pseudonym in the place of every name."""
        if isinstance(value, str):
            return self._pattern.sub(self._pseudonym, value)
        if isinstance(value, dict):
            return {
                name: one if name in FIXED else self._replaced(one) for name, one in value.items()
            }
        return [self._replaced(one) for one in value] if isinstance(value, list) else value

    def _events(self) -> dict[int, list[Event]]:
        """Return all events of the decisions that name the person, by decision."""
        found: dict[int, list[Event]] = {}
        named: set[int] = set()
        for row in self._records.read("decision_events", EVENT_COLUMNS):
            if self._is_here(row):
                event = read_event(row)
                found.setdefault(event.decision, []).append(event)
                if self._without(event) != event:
                    named.add(event.decision)
        return {number: events for number, events in found.items() if number in named}

    def _without(self, event: Event) -> Event:
        return Event.model_validate(self._replaced(event.model_dump(mode="json")))

    def _rewrite(self, events: list[Event]) -> int:
        """Write a decision again from its events and return how many of these have changed."""
        ordered = sorted(events, key=lambda event: event.sequence)
        new = [self._without(event) for event in ordered]
        for table, column in DERIVED.items():
            self._records.remove(table, column, [ordered[0].decision])
        put_events(self._tables, new)
        return sum(one != other for one, other in zip(ordered, new, strict=True))

    def _forget_deliveries(self) -> None:
        keys = [row["key"] for row in self._records.read("seen", ("key",))]
        self._records.remove("seen", "key", [key for key in keys if self._pattern.search(key)])
