"""What an answer says about its prices: what they rest on, how old they are, and the budget."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.answer import Note, Option, Verdict, note
from sizing.performance import Estimate
from sizing.price import Cost, Rental
from sizing.request import SizingRequest
from sizing.running import HOURS_PER_DAY, in_use_per_month
from sizing.spending import Means

RUNS = frozenset({Verdict.FITS, Verdict.TIGHT})
"""Verdicts of sets that somebody would pay for."""


def price_notes(option: Option, cost: Cost | None, request: SizingRequest) -> Iterator[Note]:
    """Say what the costs of the first option rest on, or that nobody's price is known."""
    if option.verdict not in RUNS:
        return
    if option.price is None:
        means = request.spending.means.value if request.spending.means else None
        yield note("no_price", gpu=option.gpu, means=means)
    yield from _hosts(request)
    terms = cost.terms if cost else None
    if terms is None or option.power_w is None:
        return
    if option.price and option.price.owned_usd_per_million_tokens:
        yield note(
            "owned_terms",
            lifetime_years=terms.lifetime_years,
            hours_per_day=terms.hours_per_day,
            pue=terms.pue,
            electricity_usd_per_kwh=terms.electricity_usd_per_kwh,
        )
    elif option.price:
        yield note("energy_terms", pue=terms.pue)


def _hosts(request: SizingRequest) -> Iterator[Note]:
    """Say what hosts of the model ask, where that was wanted."""
    quote = request.spending.api_quote
    if quote is None:
        if request.spending.wants_api:
            yield note("no_api_price")
        return
    yield note(
        "api_quote",
        hosts=quote.hosts,
        source=quote.source,
        dated=quote.dated.isoformat(),
        input_low_usd=quote.input_low_usd_per_million_tokens,
        input_usd=quote.input_usd_per_million_tokens,
        input_high_usd=quote.input_high_usd_per_million_tokens,
        output_low_usd=quote.output_low_usd_per_million_tokens,
        output_usd=quote.output_usd_per_million_tokens,
        output_high_usd=quote.output_high_usd_per_million_tokens,
    )


def price_warnings(option: Option) -> Iterator[Note]:
    """Warn of prices that are older than they may be."""
    price = option.price
    if price is None or option.verdict not in RUNS:
        return
    quoted = (price.rental, price.purchase)
    days = [each.dated for each in quoted if each and each.is_old]
    if days:
        yield note("old_prices", dated=min(days).isoformat())


def budget_notes(option: Option, request: SizingRequest) -> Iterator[Note]:
    """Hold the price of the first option against the budget: of the cards, or of a month's rent."""
    if request.budget_usd is None or option.verdict not in RUNS:
        return
    price = option.price
    if request.spending.means is Means.RENT and price and price.rental:
        yield _of_rent(
            request.budget_usd, price.rental, request.spending.hours_per_day or HOURS_PER_DAY
        )
    elif price and price.purchase:
        yield _of_purchase(request.budget_usd, price.purchase.price_usd)
    else:
        yield note("budget_unknown", budget_usd=request.budget_usd)


def _of_rent(budget_usd: float, rental: Rental, hours_per_day: float) -> Note:
    price_usd = in_use_per_month(rental.price_usd_per_hour, hours_per_day)
    return note(
        "rent_kept" if price_usd <= budget_usd else "rent_broken",
        budget_usd=budget_usd,
        price_usd_per_month=price_usd,
        hours_per_day=hours_per_day,
    )


def _of_purchase(budget_usd: float, price_usd: Estimate) -> Note:
    """Return `kept` where even the highest price is inside, `near` where only the lowest is."""
    return note(
        "purchase_kept"
        if price_usd.high <= budget_usd
        else "purchase_near"
        if price_usd.low <= budget_usd
        else "purchase_broken",
        budget_usd=budget_usd,
        low_usd=price_usd.low,
        high_usd=price_usd.high,
    )
