"""Work that is done once a day, by one of all replicas, in a thread that stops with the bot."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

logger = logging.getLogger(__name__)

PAUSE_S: Final = 600.0
"""Pause before each look at the clock, s."""

CLAIMED_S: Final = 48 * 3600.0
"""How long it is remembered who does the work of a day, s: beyond its end in every time zone."""

JOIN_S: Final = 5.0
"""Time that work under way gets when the bot stops, s; it goes on a day later."""

Claim = Callable[..., bool]
"""Returns whether a key comes for the first time: `first_seen` of the log."""


@dataclass(frozen=True)
class Job:
    """Work of a day."""

    name: str
    """Which, in the log's claims: never two of one name."""

    do: Callable[[datetime], None]
    """Does it; takes the moment, UTC."""

    from_hour: int = 6
    """Hour from which it is done, UTC, 0-23."""


class Rounds:
    """Does each job once a day while the bot runs."""

    def __init__(
        self,
        jobs: Sequence[Job],
        claim: Claim,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        pause_s: float = PAUSE_S,
    ) -> None:
        self.jobs = tuple(jobs)
        self._claim = claim
        self._clock = clock
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="rounds", daemon=True)

    def start(self) -> None:
        """Begin to look at the clock; without jobs nothing is begun."""
        if self.jobs:
            self._thread.start()

    def stop(self) -> None:
        """Let no more work begin, and wait a little for what is under way."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(JOIN_S)

    def look(self) -> tuple[str, ...]:
        """Do the jobs that are due and that no other replica has claimed; return their names.

        A job that fails is reported and done again a day later: it must not fill the log.
        """
        now = self._clock()
        done = []
        for job in self.jobs:
            if self._stop.is_set() or now.hour < job.from_hour:
                continue
            if self._claim(f"round:{job.name}:{now:%Y-%m-%d}", window_s=CLAIMED_S):
                self._do(job, now)
                done.append(job.name)
        return tuple(done)

    def _do(self, job: Job, now: datetime) -> None:
        try:
            job.do(now)
        except Exception:
            logger.exception("the daily round %s failed", job.name)

    def _run(self) -> None:
        # The first pause leaves the start to those who wait for it.
        while not self._stop.wait(self._pause_s):
            try:
                self.look()
            except Exception:
                # The log may be busy or gone for a while: the next look finds it.
                logger.exception("the daily rounds could not be looked at")
