"""What a set of GPUs costs: rented, bought, and for the tokens it writes."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from sizing.performance import Estimate
from sizing.records import ApiQuote, Name, Positive, PositiveCount, Record


class Basis(StrEnum):
    """What sets of GPUs are ordered by."""

    SIZE = "size"
    """Fewer GPUs, less memory, fewer watts: no price is known."""

    RENT = "rent"
    """USD an hour on demand."""

    PURCHASE = "purchase"
    """Price of the cards, USD."""

    MONTH = "month"
    """USD a month, rented or owned, whichever is less."""


class Rental(Record):
    """The cheapest instances on demand that hold a set."""

    provider: Name
    """Company that rents."""

    region: Name
    """Region the price holds in."""

    instance: Name
    """What the provider calls the instance."""

    instances: PositiveCount
    """How many of them."""

    gpus: PositiveCount
    """Accelerators in all of them: what is paid for, used or not."""

    price_usd_per_hour: Positive
    """All instances, before tax, USD per hour."""

    dated: date
    """Day of the price."""

    is_old: bool
    """Whether that day is more than 90 days ago."""


class Purchase(Record):
    """The accelerators of a set bought, without the server around them."""

    gpus: PositiveCount
    """Accelerators that are bought: whole cards and boards."""

    price_usd: Estimate
    """All of them, before tax, USD."""

    dated: date
    """Day of the price."""

    is_old: bool
    """Whether that day is more than 90 days ago."""


class Price(Record):
    """What one option costs; None where nobody's price is known: ask for a quote."""

    rental: Rental | None
    """Rented on demand."""

    purchase: Purchase | None
    """Bought."""

    least_usd_per_month: Positive | None = None
    """Rented or owned for the hours in use, whichever costs less, USD per month."""

    rented_usd_per_million_tokens: Estimate | None = None
    """Rented, a million output tokens at the asked load (else of a full set), USD."""

    owned_usd_per_million_tokens: Estimate | None = None
    """The same on GPUs that are bought: purchase and electricity, USD."""


def amount_usd(price: Price, basis: Basis) -> float | None:
    """Return what a set costs by a basis, USD in its unit; None where that is not known."""
    if basis is Basis.RENT:
        return price.rental.price_usd_per_hour if price.rental else None
    if basis is Basis.PURCHASE:
        return price.purchase.price_usd.typical if price.purchase else None
    return price.least_usd_per_month if basis is Basis.MONTH else None


class Terms(Record):
    """What the costs of owning rest on."""

    lifetime_years: Positive
    """Years the purchase is spread over."""

    hours_per_day: Positive
    """Hours of a day in use."""

    pue: Positive
    """Power of the site over the power of its computers."""

    electricity_usd_per_kwh: Positive
    """Electricity, USD per kWh."""


class Running(Record):
    """Costs at one load."""

    output_tokens_per_s: Estimate
    """Tokens written each second, all replicas."""

    rented_usd_per_million_tokens: Estimate | None
    """Rented, a million output tokens, USD."""

    rented_blended_usd_per_million_tokens: Estimate | None
    """Rented, a million tokens read and written together, USD."""

    owned_usd_per_million_tokens: Estimate | None
    """Owned, a million output tokens, USD."""

    owned_blended_usd_per_million_tokens: Estimate | None
    """Owned, a million tokens read and written together, USD."""

    energy_wh_per_thousand_tokens: Estimate | None
    """Electricity of the site for a thousand output tokens at full board power, Wh."""


class ApiCost(Record):
    """What hosts of the model ask for the same tokens."""

    quote: ApiQuote
    """Their prices."""

    blended_usd_per_million_tokens: Estimate
    """A million tokens read and written in the shares of the load, USD."""

    break_even_share: Estimate | None
    """Share of the tokens of a full set from which renting it is cheaper; above 1 it never is."""


class Cost(Record):
    """What the first option costs to run."""

    terms: Terms | None
    """What the costs of owning rest on; None where no figure is known."""

    at_load: Running | None
    """With the asked load; None where none was asked."""

    at_full: Running | None
    """With as many requests as fit, or as keep to the wishes about speed."""

    rented_usd_per_month: Positive | None
    """Rented for the hours in use, USD per month."""

    purchase_usd_per_month: Estimate | None
    """Purchase spread over its years, USD per month."""

    electricity_usd_per_month: Positive | None
    """Electricity of the hours in use at full board power, USD per month."""

    owned_usd_per_month: Estimate | None
    """Owned: the sum of the two above, USD per month."""

    api: ApiCost | None = None
    """Hosts of the model; None where they were not asked for, or do not have it."""

    break_even_hours_per_day: Estimate | None
    """Hours of use from which owning is cheaper; None where it never is, or a price is missing."""
