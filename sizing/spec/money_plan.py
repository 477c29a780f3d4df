"""What a plan costs: the purchase, each year, and beside it renting and paying by token."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sizing.notes import Note
from sizing.performance import Estimate
from sizing.price import Rental, Terms
from sizing.records import (
    ApiQuote,
    Count,
    Name,
    Positive,
    PositiveCount,
    Record,
)
from sizing.running import MILLION, all_times
from sizing.spec.software_plan import LicenseNeed
from sizing.spec.upkeep_facts import HostKind


class TokenLoad(Record):
    """Tokens of a year, read and written together."""

    tokens_per_year: Positive | None = None
    """Tokens that the load takes; None where that is not known."""

    full_tokens_per_year: Estimate | None = None
    """Tokens that the servers would do, always full; None where their speed is not known."""

    written_share: Annotated[float, Field(ge=0, le=1)]
    """Part of them that is written; the rest is read."""


class MoneyNeeds(Record):
    """What the other parts of a spec say of costs."""

    host_kind: HostKind | None = None
    """What stands around the accelerators; None leaves it to the accelerator."""

    site_kwh_per_year: Estimate | None = None
    """Electricity of the site for the servers in use, its cooling included, kWh a year."""

    rack_units: Positive | None = None
    """Rack units of all servers; None where they are not known."""

    licenses: tuple[LicenseNeed, ...] = ()
    """Subscriptions."""

    growth_servers: Count = 0
    """Servers, of those in use, that are bought for later years."""

    tokens: TokenLoad | None = None
    """Tokens of a year, to be set against prices by token."""


class CostLine(Record):
    """One part of a sum."""

    code: Name
    """What is paid for."""

    usd: Estimate
    """Amount, USD."""

    rule: Name
    """Where the amount comes from."""

    is_weak: bool
    """Whether little stands behind it."""

    dated: date | None
    """Day of the price; None where it has none."""

    is_old: bool
    """Whether that day is more than 90 days ago, or not told."""


class YearCost(Record):
    """One year of owning; year 0 is the purchase."""

    year: Count
    """Number of the year."""

    lines: tuple[CostLine, ...]
    """Parts; none of a year in which nothing is known to cost."""

    total_usd: Estimate | None
    """Their sum, USD."""

    cumulated_usd: Estimate | None
    """Sum since the purchase, USD."""


class Reach(Record):
    """A figure that may never be reached: None stands for never."""

    low: Positive | None
    """Low bound."""

    typical: Positive | None
    """Estimate."""

    high: Positive | None
    """High bound."""


class CloudCost(Record):
    """The same GPUs rented on demand."""

    rental: Rental
    """Cheapest instances that hold the servers in use, without growth and spares."""

    lines: tuple[CostLine, ...]
    """Parts of a year."""

    usd_per_year: Estimate
    """Their sum, USD a year."""

    usd_over_horizon: Estimate
    """The same for all years of the comparison, USD."""

    break_even_months: Reach | None
    """Months after which owning has cost less; None where the purchase is not known."""

    break_even_hours_per_day: Estimate | None
    """Hours of use a day from which owning is cheaper over all years; None where it never is."""

    break_even_share: Estimate | None
    """The same as a share of all hours; above 1 it never is."""


class TokenCost(Record):
    """The same tokens from hosts of the model."""

    quote: ApiQuote
    """Their prices."""

    usd_per_million_tokens: Estimate
    """A million tokens read and written in the shares of the load, USD."""

    usd_per_year: Estimate | None
    """Tokens of the load, USD a year; None where they are not known."""

    break_even_tokens_per_month: Estimate
    """Tokens a month from which owning is cheaper over all years."""

    break_even_share: Estimate | None
    """The same as a share of what the servers would do; above 1 it never is."""

    @property
    def break_even_millions_per_month(self) -> Estimate:
        """Return the tokens a month from which owning is cheaper, in millions."""
        return all_times(self.break_even_tokens_per_month, 1 / MILLION)


class ReserveCost(Record):
    """What is bought beyond the load of today."""

    code: Name
    """`growth` or `spare`."""

    servers: PositiveCount
    """Servers."""

    usd_over_horizon: Estimate
    """Their part of the purchase and of all years, electricity left out, USD."""


class BudgetVerdict(StrEnum):
    """How the price stands to the budget."""

    KEPT = "kept"
    NEAR = "near"
    BROKEN = "broken"
    UNKNOWN = "unknown"


class NearestPlan(Record):
    """The largest plan whose usual price is inside the budget."""

    servers: PositiveCount
    """Servers in use."""

    growth_servers: Count
    """Those of them bought for later years."""

    spare_servers: Count
    """Servers that wait for another to fail."""

    usd: Estimate
    """Its purchase, tax included, USD."""


class BudgetCheck(Record):
    """The budget held against the purchase, or against a month of rent."""

    verdict: BudgetVerdict
    """How they stand."""

    budget_usd: Positive
    """Budget, USD."""

    usd: Estimate | None
    """What is held against it, USD; None where a price is missing."""

    part: Name | None = None
    """What breaks it: `spare_servers`, `growth_reserve`, or the largest line."""

    nearest: NearestPlan | None = None
    """The largest plan inside; None where the budget is kept, or not one server is inside."""


class Side(StrEnum):
    """What a reason speaks for."""

    OWN = "own"
    RENT = "rent"


class Reason(Record):
    """A reason that is not money."""

    code: Name
    """Key of its sentence."""

    speaks_for: Side
    """Owning, or renting and paying by token."""


class CostPlan(Record):
    """What a plan costs, in USD; the plan's currency only says how to show it."""

    currency: Name
    """Currency to show amounts in, ISO 4217."""

    usd_per_unit: Positive
    """USD for one unit of it."""

    horizon_years: PositiveCount
    """Years of the comparison."""

    tax_percent: float | None = None
    """Tax in all amounts, per cent; None where it was not told, and none is in them."""

    terms: Terms | None
    """PUE, hours and price of electricity; None where the catalogue has none."""

    years: tuple[YearCost, ...]
    """Purchase as year 0, then each year."""

    missing: tuple[Name, ...]
    """Parts that nobody priced: ask for quotes; the sums are without them."""

    total_usd: Estimate | None
    """All years, USD; None where neither cards nor anything else has a price."""

    is_complete: bool
    """Whether accelerators and host are in the sums."""

    cloud: CloudCost | None
    """Rented; None where nobody rents it."""

    by_token: TokenCost | None
    """From hosts of the model; None where they were not asked for."""

    reserves: tuple[ReserveCost, ...]
    """What is bought beyond the load of today."""

    budget: BudgetCheck | None
    """Budget; None where there is none."""

    reasons: tuple[Reason, ...]
    """Reasons that are not money, for both sides."""

    notes: tuple[Note, ...]
    """What was taken for granted, and what to see to."""

    def shown(self, usd: Estimate) -> Estimate:
        """Return an amount in the plan's currency."""
        return all_times(usd, 1 / self.usd_per_unit)

    def in_currency(self, amount_usd: float) -> float:
        """Return one exact amount in the plan's currency."""
        return amount_usd / self.usd_per_unit
