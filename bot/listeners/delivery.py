"""One delivery from Slack: worked once, and never in silence."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import TracebackType

from bot.errors import StorageError
from bot.listeners.outbox import UnconfirmedError
from bot.service import Service
from bot.storage import SEEN_FOR_S

logger = logging.getLogger(__name__)


NO_ROOM = frozenset({"log_full", "log_file_read_only", "log_disk_full", "log_read_only"})
"""Codes of a log that takes nothing in, file or database."""


def fault_code(error: Exception) -> str:
    """Return the code of the sentence that the asker gets about a fault of ours."""
    has_no_room = isinstance(error, StorageError) and error.code in NO_ROOM
    return "log_kept_nothing" if has_no_room else "internal_error"


class Delivery:
    """Context of a listener's work: what it raises is reported, and its keys are let go.

    Bolt itself would only log it. Where a public message may have arrived the keys are kept.
    """

    def __init__(self, service: Service, report: Callable[[Exception], None]) -> None:
        self._service = service
        self._report = report
        self._keys: list[str] = []

    def claim(self, key: str, *, window_s: float = SEEN_FOR_S) -> bool:
        """Return whether `key` comes for the first time within `window_s` seconds."""
        is_first = self._service.first_seen(key, window_s=window_s)
        if is_first:
            self._keys.append(key)
        return is_first

    def release(self) -> None:
        """Let go of the claimed keys, so that the same thing may be asked again."""
        try:
            for key in self._keys:
                self._service.release(key)
        except StorageError:
            logger.exception("a failed delivery stays claimed")
        self._keys.clear()

    def __enter__(self) -> Delivery:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if not isinstance(error, UnconfirmedError):
            self.release()
        self._report(error)
        return True
