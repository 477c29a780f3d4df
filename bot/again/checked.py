"""What a re-check found: figures before and today, why they differ, and what to act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from bot.again.figures import PRICES, changes_of, runs

Json = dict[str, Any]

CHEAPER_BY: Final = 0.10
"""Share of its price that another set has to save to be worth a message."""

LEAST_SHARE: Final = 0.0005
"""Share of a price below which a difference is not told: half of a tenth of a per cent."""

NEED_BY: Final = 0.05
"""Share of the needed memory that has to change to be worth a message."""


@dataclass(frozen=True)
class Cheaper:
    """A set that fits and costs less than the decided one, both at the prices of today."""

    name: str
    """The set as programs read it: `2xl40s`."""

    price: str
    """Which price: `usd_per_month` or `purchase_usd`."""

    usd: float
    """Its price, USD."""

    decided_usd: float
    """Price of the decided set, USD."""

    @property
    def saved(self) -> float:
        """Return the share of the price that it saves, 0-1."""
        return 1 - self.usd / self.decided_usd

    @property
    def saved_percent(self) -> float:
        """Return the same, per cent."""
        return 100 * self.saved


@dataclass(frozen=True)
class Checked:
    """A decision held against the facts of today."""

    before: Json | None
    """Figures of the decided set; None where the answer cannot be read any more."""

    after: Json
    """The same with the facts of today."""

    catalogue: tuple[str | None, str]
    """Digests of the catalogue, then and today."""

    engine: tuple[str, str]
    """Versions of the program, then and today."""

    cheaper: Cheaper | None = None
    """The cheapest set of today that fits, where the decided one costs more."""

    was_cheaper: float = 0.0
    """Share of the price that the cheapest set saved when it was decided, 0-1."""

    @property
    def has_new_facts(self) -> bool:
        """Return whether the catalogue or the program is another one than it was."""
        return len({*self.catalogue}) + len({*self.engine}) > 2

    @property
    def is_cheaper_now(self) -> bool:
        """Return whether another set saves more than one did when it was decided.

        With the facts of then nothing is cheaper than it was, whether anybody looked or not.
        """
        return self.cheaper is not None and (
            self.has_new_facts and self.cheaper.saved > self.was_cheaper + LEAST_SHARE
        )

    @property
    def changes(self) -> Json:
        """Return the figures that differ; none where there is nothing to hold them against."""
        return changes_of(self.before, self.after) if self.before is not None else {}

    @property
    def causes(self) -> tuple[str, ...]:
        """Return why figures differ: `price` alone, else `engine`, `catalogue` or both.

        `program` says that neither name changed: a build of the same version.
        """
        if not self.changes:
            return ()
        if self.changes.keys() <= PRICES:
            return ("price",)
        found = [
            name
            for name, pair in (("engine", self.engine), ("catalogue", self.catalogue))
            if pair[0] != pair[1]
        ]
        return tuple(found) or ("program",)

    @property
    def no_longer_fits(self) -> bool:
        """Return whether what ran when it was decided would not run any more."""
        return self.before is not None and runs(self.before) and not runs(self.after)

    @property
    def need_change(self) -> float:
        """Return by which share the needed memory changed, negative for less."""
        before, after = (self.before or {}).get("need_bytes"), self.after.get("need_bytes")
        return after / before - 1 if before and after else 0.0

    def is_important(self, told: Json | None = None) -> bool:
        """Return whether somebody has to know, unless an earlier re-check `told` the same."""
        told = told or {}
        fails = self.no_longer_fits and not told.get("no_longer_fits")
        saves = self.cheaper.saved if self.cheaper else 0.0
        known = max(self.was_cheaper, told.get("saved") or 0.0)
        cheaper = self.is_cheaper_now and saves >= CHEAPER_BY > known
        grown = abs(self.need_change - (told.get("need_change") or 0.0)) >= NEED_BY
        return fails or cheaper or grown

    @property
    def data(self) -> Json:
        """Return all of it as JSON."""
        found = self.cheaper
        return {
            "before": self.before,
            "after": self.after,
            "changes": self.changes,
            "causes": list(self.causes),
            "no_longer_fits": self.no_longer_fits,
            "need_change": self.need_change,
            "cheaper": {
                "set": found.name,
                "price": found.price,
                "usd": found.usd,
                "decided_usd": found.decided_usd,
            }
            if found
            else None,
            "saved": found.saved if found else 0.0,
            "catalogue": {"before": self.catalogue[0], "after": self.catalogue[1]},
            "engine": {"before": self.engine[0], "after": self.engine[1]},
        }
