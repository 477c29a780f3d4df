"""What the line about costs shows of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sizing.answer import Verdict
from sizing.price import Basis, amount_usd

if TYPE_CHECKING:
    from sizing.answer import Option, SizingAnswer
    from sizing.performance import Estimate
    from sizing.price import Running

HOURS_OF_A_DAY = 24


@dataclass(frozen=True)
class CostView:
    """An answer, and what its first option costs."""

    answer: SizingAnswer

    @property
    def is_priced(self) -> bool:
        """Return whether the first option runs and somebody's price for it is known."""
        first = self.answer.options[0] if self.answer.options else None
        runs = first is not None and first.verdict in (Verdict.FITS, Verdict.TIGHT)
        return runs and first is not None and first.price is not None

    @property
    def shows_prices(self) -> bool:
        """Return whether the table shows what the order rests on: a price is known."""
        return self.answer.ordered_by is not Basis.SIZE

    def usd_of(self, option: Option) -> float | None:
        """Return the price of an option that the order rests on, USD."""
        return amount_usd(option.price, self.answer.ordered_by) if option.price else None

    @property
    def is_owned_priced(self) -> bool:
        """Return whether it is known what a token costs on cards that are bought."""
        return self.running is not None and self.running.owned_usd_per_million_tokens is not None

    @property
    def energy(self) -> Estimate | None:
        """Return the energy of a thousand tokens, Wh, at the load that is told first."""
        return self.running.energy_wh_per_thousand_tokens if self.running else None

    @property
    def pays_from(self) -> Estimate | None:
        """Return the hours of use a day from which buying is cheaper, where a day has so many."""
        hours = self.answer.cost.break_even_hours_per_day if self.answer.cost else None
        return hours if hours is not None and hours.typical <= HOURS_OF_A_DAY else None

    @property
    def rent_is_cheaper(self) -> bool:
        """Return whether renting stays cheaper however long the cards are in use."""
        price = self.answer.options[0].price if self.answer.options else None
        if price is None or price.rental is None or not self.is_owned_priced:
            return False
        return self.pays_from is None

    @property
    def running(self) -> Running | None:
        """Return the costs that are told first: at the asked load, else of a full set."""
        cost = self.answer.cost
        return (cost.at_load or cost.at_full) if cost else None
