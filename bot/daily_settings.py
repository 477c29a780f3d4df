"""Read what the environment says about the work that is done once a day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bot.errors import CodedError

OFF: Final = "off"
"""Word that switches a work off."""


@dataclass(frozen=True)
class Days:
    """A variable that holds a number of days, or `off`."""

    name: str
    """Name of the variable."""

    default: int | None
    """Days unless told; None for off."""

    most: int
    """Most days that can be asked for."""

    def read(self, environ: Mapping[str, str]) -> int | None:
        """Return the days; None where the work is off."""
        value = environ.get(self.name, "").strip().lower()
        if not value:
            return self.default
        return None if value == OFF else int(value)

    def problems(self, environ: Mapping[str, str]) -> Iterator[CodedError]:
        """Yield what is wrong with the variable."""
        value = environ.get(self.name, "").strip().lower()
        if value in {"", OFF}:
            return
        if not (re.fullmatch("[0-9]{1,5}", value, re.ASCII) and 1 <= int(value) <= self.most):
            yield CodedError("days", name=self.name, value=value, most=self.most)


RECHECK_DAYS: Final = 90
"""Days after which a decision is checked again unless told: as long as a price counts as new."""

RECHECK: Final = Days("GPUSIZE_RECHECK_DAYS", RECHECK_DAYS, 3650)
"""Days after which an approved decision is checked again."""

REMIND: Final = Days("GPUSIZE_REMIND_DAYS", 3, 90)
"""Working days after which a proposal that waits is reminded of."""

KEEP: Final = Days("GPUSIZE_KEEP_DAYS", None, 36500)
"""Days that answers are kept on which no decision rests."""


def daily_problems(environ: Mapping[str, str]) -> Iterator[CodedError]:
    """Yield what is wrong with all of these variables."""
    for days in (RECHECK, REMIND, KEEP):
        yield from days.problems(environ)
