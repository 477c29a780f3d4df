"""Read what the environment says about re-checking decisions by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from bot.errors import CodedError

DAYS: Final = "GPUSIZE_RECHECK_DAYS"
"""Name of the variable."""

DEFAULT_DAYS: Final = 90
"""Days after which a decision is checked again, unless told: as long as a price counts as new."""

MOST_DAYS: Final = 3650
"""Most days that can be asked for."""


def recheck_days(environ: Mapping[str, str]) -> int | None:
    """Return the days after which decisions are checked again; None where that is off."""
    value = environ.get(DAYS, "").strip().lower()
    if value == "off":
        return None
    return int(value) if value else DEFAULT_DAYS


def recheck_problems(environ: Mapping[str, str]) -> Iterator[CodedError]:
    """Yield what is wrong with the variable."""
    value = environ.get(DAYS, "").strip().lower()
    if value in {"", "off"}:
        return
    if not (re.fullmatch("[0-9]{1,4}", value) and 1 <= int(value) <= MOST_DAYS):
        yield CodedError("recheck_days", name=DAYS, value=value, most=MOST_DAYS)
