"""The budget held against the purchase: kept or broken, by which part, and what would be inside."""

from __future__ import annotations

from sizing.performance import Estimate
from sizing.running import MONTHS_PER_YEAR, all_times
from sizing.spec.money_plan import (
    BudgetCheck,
    BudgetVerdict,
    CloudCost,
    CostLine,
    NearestPlan,
)
from sizing.spec.pricing import Pricing, sum_of_lines
from sizing.spec.purchase import purchase_lines
from sizing.spending import Means


def budget_of(
    pricing: Pricing, lines: tuple[CostLine, ...], cloud: CloudCost | None, *, is_complete: bool
) -> BudgetCheck | None:
    """Return the budget against the purchase, or against a month where renting is wanted."""
    budget_usd = pricing.wishes.budget_usd
    if budget_usd is None:
        return None
    if pricing.spending.means is Means.RENT:
        month = all_times(cloud.usd_per_year, 1 / MONTHS_PER_YEAR) if cloud else None
        verdict = _verdict(month, budget_usd, is_complete=True)
        part = "rent" if verdict is BudgetVerdict.BROKEN else None
        return BudgetCheck(verdict=verdict, budget_usd=budget_usd, usd=month, part=part)
    total = sum_of_lines(lines)
    verdict = _verdict(total, budget_usd, is_complete=is_complete)
    check = BudgetCheck(verdict=verdict, budget_usd=budget_usd, usd=total)
    is_inside = total is None or total.typical <= budget_usd
    return check if is_inside else _with_way_out(check, pricing, lines)


def _verdict(usd: Estimate | None, budget_usd: float, *, is_complete: bool) -> BudgetVerdict:
    """Return `broken` where even the lowest price is above; what is missing adds to it."""
    if usd is not None and usd.low > budget_usd:
        return BudgetVerdict.BROKEN
    if usd is None or not is_complete:
        return BudgetVerdict.UNKNOWN
    return BudgetVerdict.KEPT if usd.high <= budget_usd else BudgetVerdict.NEAR


def _with_way_out(check: BudgetCheck, pricing: Pricing, lines: tuple[CostLine, ...]) -> BudgetCheck:
    """Return the check with the part that breaks the budget, and the largest plan inside it."""
    nearest = _nearest(pricing, check.budget_usd)
    return check.model_copy(update={"part": _part(pricing, nearest, lines), "nearest": nearest})


def _nearest(pricing: Pricing, budget_usd: float) -> NearestPlan | None:
    """Return the plan of most servers whose usual price is inside: spare ones are given up first.

    Those for growth follow, then those of today; None where not one server is inside.
    """
    load = pricing.load
    today = load.servers - pricing.needs.growth_servers
    for servers in range(pricing.all_servers - 1, 0, -1):
        usd = sum_of_lines(purchase_lines(pricing, servers))
        if usd is not None and usd.typical <= budget_usd:
            in_use = min(servers, load.servers)
            return NearestPlan(
                servers=in_use,
                growth_servers=max(in_use - today, 0),
                spare_servers=servers - in_use,
                usd=usd,
            )
    return None


def _part(pricing: Pricing, nearest: NearestPlan | None, lines: tuple[CostLine, ...]) -> str:
    """Return the reserve that would have to go, where that is enough; else the largest line."""
    load = pricing.load
    if nearest and nearest.servers == load.servers:
        return "spare_servers"
    if nearest and nearest.servers >= load.servers - pricing.needs.growth_servers:
        return "growth_reserve"
    return max(lines, key=lambda line: line.usd.typical).code
