"""Read what the environment says about second opinions on speed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

TIME_LIMIT = "GPUSIZE_SECOND_OPINION_S"
"""Variable that says how long one second opinion may take, s."""

DEFAULT_S, LONGEST_S = 60, 600
"""Time for one second opinion where nothing is said, and the longest that is taken, s."""


@dataclass(frozen=True)
class MeasuredSettings:
    """How second opinions are asked for."""

    time_limit_s: float = DEFAULT_S
    """Time for one, after which its process is killed, s."""

    command: tuple[str, ...] | None = None
    """Program to ask, in its own words; None for the one of this package."""


def measured_settings(environ: Mapping[str, str]) -> MeasuredSettings:
    """Return the settings; what is no number of seconds counts as not set."""
    value = environ.get(TIME_LIMIT, "").strip()
    return MeasuredSettings(int(value)) if is_time_limit(value) else MeasuredSettings()


def is_time_limit(value: str) -> bool:
    """Return whether `value` is a whole number of seconds that is taken."""
    return bool(re.fullmatch("[0-9]{1,3}", value, re.ASCII)) and 1 <= int(value) <= LONGEST_S
