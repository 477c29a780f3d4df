"""Rounds of writing and killing, one after the other, over one kind of store."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import connection as connections
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from bot.storage import NewAnswer
from tools.soak.check import UnkeptError, check
from tools.soak.writer import WRITERS, Kept, Place, Refused, write

PATIENCE_S: Final = 60.0
SHORTEST_S, LONGEST_S = 0.05, 0.4
"""Writing between two kills, s."""

ENDURANCE_S: Final = 15.0
"""Writing in an endurance round, s: longer than a writer waits for the others."""

_CONTEXT = get_context("forkserver")
# A writer starts within milliseconds: all that it needs is loaded already.
_CONTEXT.set_forkserver_preload(["tools.soak.writer", "tools.soak.warm"])


@dataclass
class Tally:
    """What came of the rounds over one store."""

    acknowledged: list[Kept] = field(default_factory=list)
    """What writers were told is kept."""

    found: int = 0
    """Events in the store."""

    cut: int = 0
    """Errors that writers got while the server was away."""

    longest_s: float = 0.0
    """Longest time from a call to its return, s."""


@dataclass(frozen=True)
class Plan:
    """What happens in one round."""

    seed: str
    """Seed of all that is random in it."""

    writing_s: float
    """Writing before each kill, s."""

    kills: int
    """How often one writer is killed, before all are."""

    has_crash: bool
    """Whether the server dies and comes back."""


def planned(seed: str, *, endurance: bool, can_crash: bool) -> Plan:
    """Return what chance chooses for a round."""
    chance = random.Random(seed)  # noqa: S311 (no secret: it has to come again)
    return Plan(
        seed=seed,
        writing_s=ENDURANCE_S if endurance else chance.uniform(SHORTEST_S, LONGEST_S),
        kills=chance.choice((0, 0, 1, 2)),
        has_crash=can_crash and chance.random() < 0.3,
    )


class Rounds:
    """Rounds over one store, which grows from one to the next."""

    def __init__(
        self, place: Place, sample: NewAnswer, crash: Callable[[], None] | None = None
    ) -> None:
        self._place, self._sample, self._crash = place, sample, crash
        self.tally = Tally()

    def run(self, seed: str, *, endurance: bool = False) -> None:
        """Write, kill, reopen and check; raise UnkeptError for what is not as promised."""
        plan = planned(seed, endurance=endurance, can_crash=self._crash is not None)
        with self._writers(plan) as writers:
            self._write_and_kill(plan, writers)
        with closing(self._place.open()) as log:
            self.tally.found = check(self._place, log, self.tally.acknowledged)

    def _write_and_kill(self, plan: Plan, writers: dict[Connection, BaseProcess]) -> None:
        chance = random.Random(plan.seed)  # noqa: S311
        self._listen(writers, plan.writing_s, plan)
        for _ in range(plan.kills):
            victim = chance.choice(list(writers))
            writers[victim].kill()
            self._listen(writers, plan.writing_s / 2, plan)
        if plan.has_crash and self._crash:
            self._crash()
            self._listen(writers, plan.writing_s, plan)

    @contextmanager
    def _writers(self, plan: Plan) -> Iterator[dict[Connection, BaseProcess]]:
        """Start the writers, wait for the first word of each, and kill all in the end."""
        writers = dict(self._started(plan, number) for number in range(WRITERS))
        try:
            for pipe in writers:
                if not pipe.poll(PATIENCE_S):
                    raise UnkeptError("a writer has not begun")
            yield writers
        finally:
            for process in writers.values():
                process.kill()
        self._hear_out(writers, plan)

    def _started(self, plan: Plan, number: int) -> tuple[Connection, BaseProcess]:
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        seed = f"{plan.seed}/{number}"
        process = _CONTEXT.Process(
            target=write, args=(theirs, self._place, self._sample, seed, number), daemon=True
        )
        process.start()
        theirs.close()
        return ours, process

    def _listen(self, writers: dict[Connection, BaseProcess], for_s: float, plan: Plan) -> None:
        ends = time.monotonic() + for_s
        heard = [pipe for pipe in writers if not pipe.closed]
        while (left := ends - time.monotonic()) > 0 and heard:
            for pipe in connections.wait(heard, left):
                if isinstance(pipe, Connection) and not self._hear(pipe, plan):
                    heard.remove(pipe)
                    pipe.close()

    def _hear_out(self, writers: dict[Connection, BaseProcess], plan: Plan) -> None:
        """Hear what the dead have said, and wait until they are gone."""
        for pipe, process in writers.items():
            process.join(PATIENCE_S)
            while not pipe.closed and self._hear(pipe, plan):
                pass
            pipe.close()
            process.close()

    def _hear(self, pipe: Connection, plan: Plan) -> bool:
        """Note what a writer says; return False where it says nothing any more."""
        try:
            said = pipe.recv()
        except (EOFError, OSError):
            return False
        if isinstance(said, Kept):
            self.tally.acknowledged.append(said)
            self.tally.longest_s = max(self.tally.longest_s, said.waited_s)
        if isinstance(said, Refused):
            self._note_refusal(said, plan)
        return True

    def _note_refusal(self, refused: Refused, plan: Plan) -> None:
        if not plan.has_crash or refused.code in {"log_busy", "decision_busy"}:
            raise UnkeptError(f"a writer got {refused.code}: {refused.detail}")
        self.tally.cut += 1
