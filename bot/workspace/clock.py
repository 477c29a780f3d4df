"""The workspace's clock, so that tests can move time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tell the time in seconds since 1970."""

    def now_s(self) -> float:
        """Return the time now, in seconds since 1970."""


class SystemClock:
    """The machine's own clock."""

    def now_s(self) -> float:
        """Return the time now, in seconds since 1970."""
        return time.time()


class ManualClock:
    """A clock that only moves when it is told to, starting at the machine's time."""

    def __init__(self, start_s: float | None = None) -> None:
        self._now_s = time.time() if start_s is None else start_s

    def now_s(self) -> float:
        """Return the time now, in seconds since 1970."""
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move the clock forward by a number of seconds."""
        self._now_s += seconds
