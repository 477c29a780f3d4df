"""Make the next Web API calls fail as Slack sometimes does."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Fault:
    """How calls of one method go wrong."""

    status: int = 200
    """HTTP status of the answer; 200 answers `ok: false` with the error code."""
    error: str = "internal_error"
    retry_after_s: int | None = None
    """Seconds in the Retry-After header, with status 429."""
    hang_s: float = 0.0
    """Seconds to wait before the answer."""
    after_work: bool = False
    """Whether the call is carried out first, and only its answer is lost."""
    times: int = 1


class Faults:
    """The faults still to come, by method."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._coming: dict[str, Fault] = {}

    def add(self, method: str, fault: Fault) -> None:
        """Let the next calls of a method (`*`: of any) go wrong."""
        with self._lock:
            self._coming[method] = fault

    def take(self, method: str) -> Fault | None:
        """Return the fault of this call, if one is due, and count it."""
        with self._lock:
            key = method if method in self._coming else "*"
            fault = self._coming.pop(key, None)
            if fault is not None and fault.times > 1:
                self._coming[key] = replace(fault, times=fault.times - 1)
            return fault
