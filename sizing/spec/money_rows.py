"""Purchase and year of a cost plan side by side, for a table."""

from __future__ import annotations

from sizing.performance import Estimate
from sizing.records import Name, Record
from sizing.spec.money_plan import CostLine, CostPlan
from sizing.spec.pricing import sum_of_lines


class CostRow(Record):
    """One row of a table: what is paid once, and what each year."""

    code: Name
    """What is paid for."""

    once_usd: Estimate | None
    """Once, USD."""

    year_usd: Estimate | None
    """Each year, USD."""

    is_weak: bool
    """Whether little stands behind it."""

    is_old: bool
    """Whether its price is more than 90 days old, or of no day."""


def rows_of(plan: CostPlan) -> tuple[CostRow, ...]:
    """Return one row for each code, in the order of purchase and year; its parts summed."""
    once, yearly = plan.years[0].lines, plan.years[1].lines
    codes = dict.fromkeys(line.code for line in (*once, *yearly))
    return tuple(_row(code, once, yearly) for code in codes)


def _row(code: str, once: tuple[CostLine, ...], yearly: tuple[CostLine, ...]) -> CostRow:
    first = [line for line in once if line.code == code]
    later = [line for line in yearly if line.code == code]
    return CostRow(
        code=code,
        once_usd=sum_of_lines(first),
        year_usd=sum_of_lines(later),
        is_weak=any(line.is_weak for line in (*first, *later)),
        is_old=any(line.is_old for line in (*first, *later)),
    )
