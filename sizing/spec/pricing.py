"""What all parts of a cost plan are reckoned with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from sizing.buying import FRESH
from sizing.performance import Estimate
from sizing.price import Terms
from sizing.records import PriceBook
from sizing.running import all_times, total_of
from sizing.spec.load import ServerLoad
from sizing.spec.money_plan import CostLine, MoneyNeeds
from sizing.spec.upkeep_facts import DatedRecord, UpkeepCatalogue
from sizing.spec.wishes import MoneyWishes
from sizing.spending import Spending

HOURS_PER_YEAR = 8760


@dataclass(frozen=True)
class Pricing:
    """The plan, what was asked of money, and the prices of a day."""

    load: ServerLoad
    needs: MoneyNeeds
    wishes: MoneyWishes
    spending: Spending
    prices: PriceBook
    upkeep: UpkeepCatalogue
    terms: Terms | None
    today: date

    @property
    def all_servers(self) -> int:
        """Return the servers in use and the spare ones."""
        return self.load.servers + self.load.spare_servers

    def told(self, code: str, usd: float) -> CostLine:
        """Return a line whose amount the asker told."""
        exact = Estimate(low=usd, typical=usd, high=usd)
        return CostLine(
            code=code, usd=exact, rule="as_told", is_weak=False, dated=None, is_old=False
        )

    def read(self, code: str, usd: Estimate, *, rule: str, record: DatedRecord) -> CostLine:
        """Return a line from a record of the catalogue."""
        return CostLine(
            code=code,
            usd=usd,
            rule=rule,
            is_weak=record.is_weak,
            dated=record.dated,
            is_old=self.is_old(record.dated),
        )

    def is_old(self, dated: date | None) -> bool:
        """Return whether a price is older than 90 days, or of no day."""
        return dated is None or self.today - dated > FRESH

    def taxed(self, lines: Iterable[CostLine]) -> tuple[CostLine, ...]:
        """Return lines with the tax on them, where one was told; wages bear none."""
        stated = tuple(lines)
        tax, base = (
            self.wishes.tax_percent,
            sum_of_lines(line for line in stated if line.code != "staff"),
        )
        if not tax or base is None:
            return stated
        line = CostLine(
            code="tax", usd=all_times(base, tax / 100), rule="as_told",
            is_weak=False, dated=None, is_old=False,
        )  # fmt: skip
        return (*stated, line)


def sum_of_lines(lines: Iterable[CostLine]) -> Estimate | None:
    """Return the sum of lines; None of none."""
    return total_of(line.usd for line in lines)
