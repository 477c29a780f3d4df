"""Reasons that are not money: for owning, and for renting or paying by token."""

from __future__ import annotations

from sizing.spec.money_plan import Reason, Side

_FOR_OWNING = (
    "residency",
    "compliance",
    "rate_limits",
    "outages",
    "price_changes",
    "latency",
    "own_models",
)
"""Data stay in the house; rules of the trade; no limits, outages and prices of others; the way
over the network; models and settings of one's own."""

_FOR_RENTING = (
    "skills",
    "lead_time",
    "peaks",
    "ageing",
    "room",
    "newest_models",
    "capital",
)
"""People and skills; weeks until delivery; load that comes and goes; cards that age; power,
cooling and space; models that nobody may run at home; money tied up."""


def reasons() -> tuple[Reason, ...]:
    """Return the reasons of both sides."""
    return (
        *(Reason(code=code, speaks_for=Side.OWN) for code in _FOR_OWNING),
        *(Reason(code=code, speaks_for=Side.RENT) for code in _FOR_RENTING),
    )
