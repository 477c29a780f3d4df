"""What the options of an answer cost: rented, bought, and for the tokens they write."""

from __future__ import annotations

from datetime import date

from sizing.answer import Option, SizingAnswer
from sizing.buying import Wanted, cheapest_rental, purchase_of, wanted_of
from sizing.catalogue import Catalogue
from sizing.cost_notes import budget_notes, price_notes, price_warnings
from sizing.ordering import BASES, Purse
from sizing.performance import Estimate, Performance
from sizing.price import ApiCost, Basis, Cost, Price, Running, Terms, amount_usd
from sizing.records import ApiQuote
from sizing.request import Goal, SizingRequest
from sizing.running import (
    HOURS_PER_DAY,
    all_times,
    api_usd_per_million,
    break_even_hours,
    capped,
    electricity_usd_per_hour,
    energy_wh_per_thousand,
    exactly,
    fixed_usd_per_month,
    in_use_per_month,
    owned_usd_per_hour,
    share_of,
    sum_of,
    usd_per_million,
)
from sizing.spending import Means


def with_prices(answer: SizingAnswer, request: SizingRequest, catalogue: Catalogue) -> SizingAnswer:
    """Return the answer with the price of each option and the cost of the first."""
    if not answer.options:
        return answer
    purse = Purse(request, catalogue)
    priced = tuple(_priced(each, request, purse, catalogue) for each in answer.options)
    first = priced[0]
    cost = _cost(first, request, purse.terms)
    is_listed = first.gpu in catalogue.gpus and not first.cards
    notes = price_notes(first, cost, request) if is_listed else ()
    return answer.model_copy(
        update={
            "options": tuple(_held_against_budget(each, request) for each in priced),
            "cost": cost,
            "ordered_by": _basis(priced, request),
            "assumptions": (*answer.assumptions, *notes),
            "warnings": (*answer.warnings, *price_warnings(first)),
        }
    )


def _held_against_budget(option: Option, request: SizingRequest) -> Option:
    if request.budget_usd is None:
        return option
    notes = tuple(budget_notes(option, request))
    return option.model_copy(update={"reasons": (*option.reasons, *notes)})


def _basis(options: tuple[Option, ...], request: SizingRequest) -> Basis:
    """Return what the order rests on: size where no price is known of any set."""
    if request.goal is not Goal.SIZE:
        return Basis.SIZE
    basis = BASES[request.spending.means]
    prices = [option.price for option in options if option.price]
    return basis if any(amount_usd(price, basis) for price in prices) else Basis.SIZE


def _priced(option: Option, request: SizingRequest, purse: Purse, catalogue: Catalogue) -> Option:
    """Return the option with its price; unchanged where nobody's is known."""
    price = _price(option, request, purse, catalogue)
    if price is None:
        return option
    priced = option.model_copy(update={"price": price})
    running = _at_load(priced, request, purse.terms) or _at_full(priced, purse.terms)
    if running is None:
        return priced
    tokens = {
        "rented_usd_per_million_tokens": running.rented_usd_per_million_tokens,
        "owned_usd_per_million_tokens": running.owned_usd_per_million_tokens,
    }
    return option.model_copy(update={"price": price.model_copy(update=tokens)})


def _price(
    option: Option, request: SizingRequest, purse: Purse, catalogue: Catalogue
) -> Price | None:
    wanted = _wanted(option, catalogue)
    if wanted is None:
        return None
    today = request.as_of or date.fromisoformat(catalogue.stamp.date)
    book, means = catalogue.prices, request.spending.means
    rental = None if means is Means.BUY else cheapest_rental(wanted, book, today)
    purchase = None if means is Means.RENT else purchase_of(wanted, book, today)
    if rental is None and purchase is None:
        return None
    least = purse.least_usd_per_month(wanted, option.power_w)
    return Price(rental=rental, purchase=purchase, least_usd_per_month=least)


def _wanted(option: Option, catalogue: Catalogue) -> Wanted | None:
    """Return the cards to pay for; None for unequal ones and for those named by memory alone."""
    gpu = catalogue.gpus.get(option.gpu)
    if gpu is None or option.cards:
        return None
    return wanted_of(gpu, option.mig_profile, gpus=option.gpus, replicas=option.replicas)


def _token_speed(option: Option) -> Performance | None:
    """Return the speed of an option that reads a prompt and writes an answer; None of others."""
    speed = option.performance
    return speed if speed and speed.input_tokens and speed.output_tokens else None


def _written_share(speed: Performance) -> float:
    """Return the part of all tokens that is written."""
    read, written = speed.input_tokens or 0, speed.output_tokens or 0
    return written / (read + written)


def _at_load(option: Option, request: SizingRequest, terms: Terms | None) -> Running | None:
    """Return the costs at the asked load; where an engine takes one request, those of that one."""
    speed = _token_speed(option)
    rate = _rate_at_load(speed, request) if speed else None
    return _running(option, speed, rate, terms) if speed and rate else None


def _rate_at_load(speed: Performance, request: SizingRequest) -> Estimate | None:
    """Return the tokens written each second: no more than what arrives, where that is told."""
    rate = speed.output_tokens_per_s
    if rate is None:
        return speed.single_stream_tokens_per_s if speed.concurrent_requests == 1 else None
    if speed.at_saturation:
        return None
    if request.requests_per_s is None:
        return rate
    return capped(rate, request.requests_per_s * (speed.output_tokens or 0))


def _at_full(option: Option, terms: Terms | None) -> Running | None:
    speed = _token_speed(option)
    rate = speed.full_output_tokens_per_s if speed else None
    return _running(option, speed, rate, terms) if speed and rate else None


def _running(option: Option, speed: Performance, rate: Estimate, terms: Terms | None) -> Running:
    """Return the costs of an option that writes `rate` tokens each second."""
    rented, owned = _rented_usd_per_hour(option), _owned_usd_per_hour(option, terms)
    written = _written_share(speed)
    rented_usd = rented and usd_per_million(rented, rate)
    owned_usd = owned and usd_per_million(owned, rate)
    power_w = option.power_w * terms.pue if option.power_w and terms else None
    return Running(
        output_tokens_per_s=rate,
        rented_usd_per_million_tokens=rented_usd,
        rented_blended_usd_per_million_tokens=rented_usd and all_times(rented_usd, written),
        owned_usd_per_million_tokens=owned_usd,
        owned_blended_usd_per_million_tokens=owned_usd and all_times(owned_usd, written),
        energy_wh_per_thousand_tokens=power_w and energy_wh_per_thousand(power_w, rate),
    )


def _rented_usd_per_hour(option: Option) -> Estimate | None:
    rental = option.price.rental if option.price else None
    return exactly(rental.price_usd_per_hour) if rental else None


def _owned_usd_per_hour(option: Option, terms: Terms | None) -> Estimate | None:
    """Return what an hour in use costs; None without the price or the power of the cards."""
    purchase = option.price.purchase if option.price else None
    if purchase is None or option.power_w is None or terms is None:
        return None
    return owned_usd_per_hour(purchase.price_usd, option.power_w, terms)


def _api(speed: Performance, full: Running | None, quote: ApiQuote) -> ApiCost:
    """Return what hosts ask for the tokens of the load, and when renting a full set is cheaper."""
    written = _written_share(speed)
    asked = api_usd_per_million(quote, written)
    rented = full.rented_blended_usd_per_million_tokens if full else None
    return ApiCost(
        quote=quote,
        blended_usd_per_million_tokens=asked,
        break_even_share=rented and share_of(rented, asked),
    )


def _cost(option: Option, request: SizingRequest, terms: Terms | None) -> Cost | None:
    """Return what the first option costs to run; None where its speed is not known."""
    load, full = _at_load(option, request, terms), _at_full(option, terms)
    speed, quote = _token_speed(option), request.spending.api_quote
    if speed is None or (load is None and full is None):
        return None
    price = option.price
    rent = price.rental.price_usd_per_hour if price and price.rental else None
    bought = price.purchase.price_usd if price and price.purchase else None
    power = electricity_usd_per_hour(option.power_w, terms) if option.power_w and terms else None
    hours = request.spending.hours_per_day or HOURS_PER_DAY
    fixed = fixed_usd_per_month(bought, terms) if bought and terms else None
    per_month = power and in_use_per_month(power, hours)
    return Cost(
        terms=terms,
        at_load=load,
        at_full=full,
        rented_usd_per_month=rent and in_use_per_month(rent, hours),
        purchase_usd_per_month=fixed,
        electricity_usd_per_month=per_month,
        owned_usd_per_month=sum_of(fixed, per_month) if fixed and per_month else None,
        api=_api(speed, full, quote) if quote else None,
        break_even_hours_per_day=break_even_hours(bought, rent - power, terms.lifetime_years)
        if bought and rent and power and terms
        else None,
    )
