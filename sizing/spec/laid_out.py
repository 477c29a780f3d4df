"""Chosen cards with all that stands around them: load of a server, host, room, software, money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import partial

from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.running import terms_of
from sizing.spec.around import Around, around_of, most_per_server
from sizing.spec.cards import CardSet, choose_cards, set_on
from sizing.spec.demand import demand_of, growth_factor
from sizing.spec.facts_files import SpecFacts
from sizing.spec.load import ServerLoad
from sizing.spec.money_plan import CostPlan
from sizing.spec.request import SpecRequest
from sizing.spec.servers import server_load
from sizing.spec.software import plan_software
from sizing.spec.software_plan import SoftwarePlan
from sizing.spec.spending_of import Parts, cost_of, spending_of


@dataclass(frozen=True)
class LaidOut:
    """Cards, and the plan around them."""

    cards: CardSet
    today: CardSet
    """Cards of that kind that the load of today takes."""
    load: ServerLoad
    around: Around
    software: SoftwarePlan
    cost: CostPlan


def plan_of(request: SpecRequest, catalogue: Catalogue, facts: SpecFacts) -> LaidOut:
    """Return the plan of a question; raise SizingError where it cannot be planned."""
    sizer, sharing = partial(size, catalogue=catalogue), request.sharing
    factor = growth_factor(request.growth)
    demands = [demand_of(workload, factor) for workload in request.workloads]
    cards = today = choose_cards(demands, sizer, catalogue, sharing=sharing)
    if factor != 1:
        now = [demand_of(workload, 1.0) for workload in request.workloads]
        today = set_on(cards.gpu, now, sizer, sharing=sharing)
    return laid_out(request, cards, catalogue, facts=facts, today=today)


def laid_out(
    request: SpecRequest,
    cards: CardSet,
    catalogue: Catalogue,
    *,
    facts: SpecFacts,
    today: CardSet,
) -> LaidOut:
    """Return the plan around `cards`, of which the load as it is takes those of `today`.

    Raises UnknownCountryError.
    """
    most = most_per_server(request, cards.gpu, facts)
    spare = request.growth.spare_servers or 0
    load = server_load(cards, most_per_server=most, spare=spare)
    day = day_of(request, catalogue)
    terms = terms_of(spending_of(request), catalogue.prices.facility)
    around = around_of(load, request, facts, terms)
    software = plan_software(load, request.software, facts=facts.software, today=day)
    cost = cost_of(
        load,
        request,
        cards.answers,
        Parts(around, software, today.cards),
        facts=facts,
        prices=catalogue.prices,
        today=day,
    )
    return LaidOut(cards, today, load, around, software, cost)


def day_of(request: SpecRequest, catalogue: Catalogue) -> date:
    """Return the day of the question, from which prices age."""
    days = [one.request.as_of for one in request.workloads if one.request.as_of]
    return next(iter(days), None) or date.fromisoformat(catalogue.stamp.date)
