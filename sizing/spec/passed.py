"""Which stated limits a plan passes, and what says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sizing.notes import Note
from sizing.spec.around import Around
from sizing.spec.money_plan import CostPlan

HOST: Final[Mapping[str, str]] = {
    "host_ram_given_short": "ram_gb",
    "host_cores_given_short": "cpu_cores",
}
"""Limits of the host by the code of the sentence that says they are passed."""

REFUSED: Final = "platform_wanted_does_not_do"
"""Sentence about a machine that was named and does not take the load; its reasons follow."""

NOT_LISTED: Final = "platform_not_listed"
"""Sentence about a machine that was named and that nobody listed: nothing can be checked."""


GENERAL: Final = frozenset({"platform_none_listed", "platform_more_listed", "platform_ask_vendor"})
"""Sentences that follow the reasons against a machine and are none of them."""


def passed_notes(around: Around) -> tuple[Note, ...]:
    """Return the sentences about limits of the room and the host that a plan does not keep."""
    site = around.facility.site
    return (
        *(told for told in site.notes if told.code in site.limits),
        *(told for told in around.host.notes if told.code in HOST),
    )


def refused_notes(around: Around) -> tuple[Note, ...]:
    """Return the sentences against the machine that was named, in order; none where it does."""
    notes = around.platform.notes
    codes = [told.code for told in notes]
    first = next((codes.index(code) for code in (NOT_LISTED, REFUSED) if code in codes), None)
    if first is None:
        return ()
    return tuple(told for told in notes[first:] if told.code not in GENERAL)


def limits_passed(around: Around, cost: CostPlan) -> tuple[str, ...]:
    """Return the limits that a plan passes by their codes, the budget last.

    A budget is passed where the usual price is above it, whatever is missing in that.
    """
    host = [HOST[told.code] for told in around.host.notes if told.code in HOST]
    is_refused = any(told.code == REFUSED for told in around.platform.notes)
    is_dear = cost.budget is not None and cost.budget.part is not None
    return (
        *around.facility.site.limits,
        *host,
        *(("platform",) if is_refused else ()),
        *(("budget",) if is_dear else ()),
    )
