"""Whether a log holds what its writers were told it keeps."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import groupby
from typing import Any

import psycopg

from bot.decisions.life import replayed
from bot.decisions.store import Sight, Wanted
from bot.storage import Log
from tools.soak.writer import Kept, Place

ALL = Sight(tenant=None)

_ROWS = {
    "answer": "select question, id from answers order by id",
    "tick": "select item_id, id from ticks order by id",
    "event": "select reason, decision_id, sequence, action, details_json from decision_events "
    "order by decision_id, sequence",
}
_SQLITE_OWN = ("pragma integrity_check", "pragma foreign_key_check")
_FTS_OWN = "insert into decisions_fts (decisions_fts, rank) values ('integrity-check', 1)"


class UnkeptError(Exception):
    """The log is not what it promises to be; says what is wrong."""


def check(place: Place, log: Log, acknowledged: Iterable[Kept]) -> int:
    """Return the number of events; raise UnkeptError where one is lost, doubled or out of place.

    Nobody writes meanwhile: a server may still end what a killed process had sent.
    """
    with log.together():
        rows = {kind: tuple(_rows(place, statement)) for kind, statement in _ROWS.items()}
        _check_replay(log)
    found = {"answer": _numbers(rows["answer"]), "tick": _numbers(rows["tick"])}
    found["event"] = _events(rows["event"])
    _check_acknowledged(found, acknowledged)
    _check_order(rows)
    if place.url is None:
        _check_file(place)
    return sum(map(len, rows.values()))


def _rows(place: Place, statement: str) -> Iterator[tuple[Any, ...]]:
    if place.url is None:
        with closing(sqlite3.connect(place.path)) as connection:
            yield from connection.execute(statement)
        return
    with psycopg.connect(place.url) as connection:
        yield from connection.execute(statement.encode())


def _numbers(rows: Iterable[tuple[Any, ...]]) -> Mapping[str, tuple[tuple[int, ...], ...]]:
    numbers = defaultdict(list)
    for name, *number in rows:
        numbers[name].append(tuple(number))
    return {name: tuple(found) for name, found in numbers.items()}


def _events(rows: Iterable[tuple[Any, ...]]) -> Mapping[str, tuple[tuple[int, ...], ...]]:
    """Return the numbers of events by name: the title that one begins with, else the reason."""
    return _numbers(
        (json.loads(details)["title"] if action == "save" else reason, number, sequence)
        for reason, number, sequence, action, details in rows
    )


def _check_acknowledged(
    found: Mapping[str, Mapping[str, tuple[tuple[int, ...], ...]]], acknowledged: Iterable[Kept]
) -> None:
    for kind, names in found.items():
        twice = [name for name, numbers in names.items() if len(numbers) > 1]
        if twice:
            raise UnkeptError(f"{kind} {twice[0]} stands {len(names[twice[0]])} times")
    for kept in acknowledged:
        if found[kept.kind].get(kept.name) != (kept.number,):
            where = found[kept.kind].get(kept.name)
            raise UnkeptError(f"{kept.kind} {kept.name} was kept as {kept.number}, is {where}")


def _check_order(rows: Mapping[str, tuple[tuple[Any, ...], ...]]) -> None:
    """Raise UnkeptError where numbers have gaps."""
    for kind in ("answer", "tick"):
        _check_row(kind, [number for _, number in rows[kind]])
    by_decision = groupby(rows["event"], key=lambda row: row[1])
    sequences = {number: [row[2] for row in events] for number, events in by_decision}
    _check_row("decision", list(sequences))
    for number, sequence in sequences.items():
        _check_row(f"event of D-{number}", sequence)


def _check_row(kind: str, numbers: list[int]) -> None:
    if numbers != list(range(1, len(numbers) + 1)):
        odd = Counter(range(1, len(numbers) + 1)) - Counter(numbers)
        raise UnkeptError(f"numbers of {kind} have gaps: {sorted(odd)[:5]} are missing")


def _check_replay(log: Log) -> None:
    """Raise UnkeptError where a decision is not what its events add up to, or is not found."""
    for decision in log.find_decisions(Wanted(limit=10**9), ALL):
        events = log.events_of(decision.number, ALL)
        if replayed(events) != decision:
            raise UnkeptError(f"{decision.name} is not what its {len(events)} events lead to")


def _check_file(place: Place) -> None:
    with closing(sqlite3.connect(place.path)) as connection:
        said = [str(row[0]) for one in _SQLITE_OWN for row in connection.execute(one)]
        connection.execute(_FTS_OWN)
    if said != ["ok"]:
        raise UnkeptError("; ".join(said))
