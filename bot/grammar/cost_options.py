"""Keys for what the costs rest on: electricity, years, hours of use."""

from __future__ import annotations

from typing import Final

from bot import numbers


def years(text: str) -> float | None:
    """Return a number of years."""
    return numbers.quantity(text, numbers.YEAR_SCALES)


def hours(text: str) -> float | None:
    """Return a number of hours."""
    return numbers.quantity(text, {"": 1, "h": 1})


def ratio(text: str) -> float | None:
    """Return a number without a unit."""
    return numbers.quantity(text, {"": 1})


COST_OPTIONS: Final = (
    ("electricity_usd_per_kwh", numbers.money, 0.0, 10.0, (
        "kwh", "usd/kwh", "electricity", "electricidad",
    )),
    ("pue", ratio, 1.0, 10.0, ("pue",)),
    ("lifetime_years", years, 0.0, 50.0, ("years", "anos", "amortization", "amortizacion")),
    ("hours_per_day", hours, 0.0, 24.0, ("hours", "horas", "hours/day", "horas/dia")),
)  # fmt: skip
"""Field, reader, least and largest value that is believed, and keys."""
