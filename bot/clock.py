"""The day of today, which prices are aged by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime

FIXED = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 that stand for now, so that pages made from answers stay the same
(reproducible-builds.org/specs/source-date-epoch)."""


def today(environ: Mapping[str, str]) -> date:
    """Return the day, UTC."""
    fixed = environ.get(FIXED, "")
    now = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return now.date()
