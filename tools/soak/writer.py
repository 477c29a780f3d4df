"""A process that writes answers, decisions and ticks as fast as it can, until it is killed."""

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass, replace
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from bot.deciding import Deciding, Move, Proposal
from bot.decisions.records import Decision, Rules
from bot.decisions.states import Action, State
from bot.decisions.store import Wanted
from bot.errors import CodedError, StorageError
from bot.history import History
from bot.reply import Asker, Transport
from bot.storage import Log, NewAnswer
from bot.storage.stores import open_log
from bot.ticks import TickClick

TEAM, CHANNEL = "T1", "C1"
WRITERS: Final = 8
PAUSE_S: Final = 0.02
"""Pause after the server was away, s."""


class Everybody:
    """A directory of one conversation, in which all writers are."""

    def members(self, subject: str) -> frozenset[str]:
        """Return the ids of all writers."""
        return frozenset(map(person, range(WRITERS))) if subject == CHANNEL else frozenset()

    def name(self, subject: str) -> str:
        """Return the id itself."""
        return subject


@dataclass(frozen=True)
class Place:
    """Where a log stands."""

    path: Path
    """File of SQLite."""

    url: str | None
    """Address of the PostgreSQL database; None for SQLite."""

    def open(self) -> Log:
        """Open the log as the program does."""
        return open_log(self.path, self.url)


@dataclass(frozen=True)
class Kept:
    """What a writer was told is kept: the event of this name, under this number."""

    kind: str
    """`answer`, `event` or `tick`."""

    name: str
    """Name that no other event has."""

    number: tuple[int, ...]
    """Number of the answer, the decision and its event, or the tick."""

    waited_s: float
    """Time from call to return, s."""


@dataclass(frozen=True)
class Refused:
    """An error of the store that reached a writer."""

    code: str
    """Code of the error."""

    detail: str
    """What it says."""


def person(number: int) -> str:
    """Return the id of a writer."""
    return f"U{number:04d}"


def write(pipe: Connection, place: Place, sample: NewAnswer, seed: str, number: int) -> None:
    """Write until killed, and tell the parent of every event after the call has returned."""
    # The pool tells of every attempt; what counts is what the log raises.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    writer: _Writer | None = None
    chance = random.Random(seed)  # noqa: S311 (no secret: it has to come again)
    while True:
        try:
            writer = writer or _Writer(pipe, place.open(), sample, f"{seed}/", number)
            writer.write_something(chance)
        except StorageError as error:
            pipe.send(Refused(error.code, str(error)))
            time.sleep(PAUSE_S)


class _Writer:
    def __init__(
        self, pipe: Connection, log: Log, sample: NewAnswer, prefix: str, number: int
    ) -> None:
        self._pipe, self._log, self._sample = pipe, log, sample
        self._names = (f"{prefix}{one:06d}" for one in count(1))
        self._asker = Asker(
            person(number), CHANNEL, Transport.SLACK, team_id=TEAM, directory=Everybody()
        )
        rules = Rules(channels=(CHANNEL,), needed=2)
        self._deciding = Deciding(History(log, "digest"), log, standing=lambda: rules)
        self._answer = self._record(next(self._names))

    def write_something(self, chance: random.Random) -> None:
        """Write one thing of a kind that chance chooses."""
        chance.choice((self._answers, self._save, self._tick, self._move, self._move, self._move))(
            chance
        )

    def _answers(self, chance: random.Random) -> None:
        if chance.random() < 0.7:
            self._answer = self._record(next(self._names))
            return
        names = [next(self._names) for _ in range(3)]
        began = time.monotonic()
        with self._log.together():
            ids = [self._log.record_answer(self._named(name)) for name in names]
        for name, one in zip(names, ids, strict=True):
            self._told("answer", name, began, int(one[2:]))

    def _record(self, name: str) -> str:
        began = time.monotonic()
        answer = self._log.record_answer(self._named(name))
        self._told("answer", name, began, int(answer[2:]))
        return answer

    def _named(self, name: str) -> NewAnswer:
        return replace(self._sample, question=name, user_id=self._asker.user_id)

    def _save(self, chance: random.Random) -> None:
        name, began = next(self._names), time.monotonic()
        proposal = Proposal(title=name, project=chance.choice(("Atlas", "Vega", None)))
        decision = self._deciding.save(self._answer, proposal, self._asker)
        self._told("event", name, began, decision.number, decision.sequence)

    def _tick(self, chance: random.Random) -> None:
        # Ticks of all writers stand in the same checklists.
        name, began = next(self._names), time.monotonic()
        click = TickClick(
            answer_id=f"A-{chance.randint(1, int(self._answer[2:]))}",
            items=frozenset({name}),
            chosen=frozenset({name}),
            seen=0,
            user_id=self._asker.user_id,
        )
        ticks = self._log.record_ticks(click)
        for tick in ticks:
            if tick.item_id == name:
                self._told("tick", name, began, tick.number)

    def _move(self, chance: random.Random) -> None:
        """Do something to one of the latest decisions, which others try as well."""
        wanted = Wanted(states=frozenset({State.DRAFT, State.PROPOSED}), limit=WRITERS)
        found = self._deciding.found(wanted, self._asker)
        if not found:
            return
        decision = chance.choice(found)
        name, began = next(self._names), time.monotonic()
        try:
            moved = self._moved(decision, name, chance)
        except CodedError as error:
            # Somebody else came first, or this writer may not: the store has done what it should.
            if error.code == "decision_busy" or isinstance(error, StorageError):
                raise
            return
        self._told("event", name, began, moved.number, moved.sequence)

    def _moved(self, decision: Decision, name: str, chance: random.Random) -> Decision:
        actions = (Action.APPROVE, Action.APPROVE, Action.REJECT, Action.PLACE, Action.REVISE)
        action = Action.PROPOSE if decision.state is State.DRAFT else chance.choice(actions)
        if action is Action.REVISE:
            return self._deciding.revise(decision.number, self._answer, self._asker, reason=name)
        return self._deciding.act(decision.number, Move(action=action, reason=name), self._asker)

    def _told(self, kind: str, name: str, began: float, *number: int) -> None:
        self._pipe.send(Kept(kind, name, number, time.monotonic() - began))
