"""What the plan of the costs tells a purchase."""

from __future__ import annotations

from typing import Any

from sizing.spec.money_plan import CostPlan

Facts = dict[str, Any]


def cost_values(cost: CostPlan) -> Facts:
    """Return values of ChecklistFacts by name; None for what is not known.

    Nothing is said of a sum that lacks a part, such as the servers around the cards.
    """
    terms = {
        "budget_usd": cost.budget.budget_usd if cost.budget else None,
        "tax_percent": cost.tax_percent,
    }
    told = {name: value for name, value in terms.items() if value is not None}
    if not cost.is_complete:
        return told
    return {**told, **_purchase(cost), **_years(cost)}


def _has_support(cost: CostPlan) -> bool:
    """Return whether support is reckoned with in each year."""
    return any(line.code == "support" for year in cost.years for line in year.lines)


def _purchase(cost: CostPlan) -> Facts:
    """Return the purchase: all that is paid before the first year."""
    first = next((year for year in cost.years if year.year == 0), None)
    if first is None or first.total_usd is None:
        return {}
    dates = [line.dated for line in first.lines if line.dated]
    return {
        "purchase_low_usd": first.total_usd.low,
        "purchase_high_usd": first.total_usd.high,
        "price_date": min(dates).isoformat() if dates else None,
    }


def _years(cost: CostPlan) -> Facts:
    cloud = cost.cloud
    hours = cloud.break_even_hours_per_day if cloud else None
    return {
        "tco_usd": cost.total_usd.typical if cost.total_usd else None,
        "tco_years": cost.horizon_years,
        "license_years": cost.horizon_years,
        "support_years": cost.horizon_years if _has_support(cost) else None,
        "cloud_usd": cloud.usd_over_horizon.typical if cloud else None,
        "break_even_hours_per_day": hours.typical if hours else None,
    }
