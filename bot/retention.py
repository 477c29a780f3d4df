"""Old answers that no decision rests on, taken out day by day while the bot runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.storage.values import moment

if TYPE_CHECKING:
    from bot.storage import Log

logger = logging.getLogger(__name__)

MOST_AT_ONCE: Final = 2000
"""Answers that are taken out in one transaction: others wait to write for as long as it takes."""

FROM_HOUR: Final = 3
"""Hour from which it is done, UTC: when few people ask, in Europe and America."""


def before(now: datetime, age: timedelta) -> str:
    """Return the moment from before which answers are older than `age`, as the log writes it."""
    return moment(now - age)


def retention(days: int, log: Log) -> Callable[[datetime], None]:
    """Return the work of a day that takes out what is older than `days` days of 24 hours."""

    def do(now: datetime) -> None:
        bound, taken = before(now, timedelta(days=days)), 0
        while True:
            pruned = log.prune_some(bound, most=MOST_AT_ONCE)
            taken += pruned.answers
            if pruned.answers < MOST_AT_ONCE:
                break
        logger.info("old answers taken out: %d", taken)

    return do
