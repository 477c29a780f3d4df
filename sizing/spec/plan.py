"""From workloads to a server spec: the order of the steps, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import partial

from sizing.answer import Note, note
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.running import terms_of
from sizing.spec.answer import Servers, Spec, SpecWorkload
from sizing.spec.around import around_of, most_per_server
from sizing.spec.cards import CardSet, choose_cards, set_on
from sizing.spec.demand import DEFAULT_YEARS, demand_of, growth_factor
from sizing.spec.facts_files import SpecFacts, load_facts
from sizing.spec.load import ServerLoad
from sizing.spec.nim import NimSupport, nim_support
from sizing.spec.request import SpecRequest
from sizing.spec.servers import server_load
from sizing.spec.sharing import shared_cards
from sizing.spec.software import plan_software
from sizing.spec.spending_of import Parts, cost_of, spending_of


def spec_of(request: SpecRequest, catalogue: Catalogue, facts: SpecFacts | None = None) -> Spec:
    """Return the spec of `request`; raise SizingError where it cannot be planned."""
    known = facts or load_facts()
    factor = growth_factor(request.growth)
    cards = _cards(request, catalogue, factor)
    now = cards if factor == 1 else _cards_today(request, catalogue, cards)
    most = most_per_server(request, cards.gpu, known)
    load = server_load(cards, most_per_server=most, spare=request.growth.spare_servers or 0)
    today = _today(request, catalogue)
    terms = terms_of(spending_of(request), catalogue.prices.facility)
    around = around_of(load, request, known, terms)
    software = plan_software(load, request.software, facts=known.software, today=today)
    parts = Parts(around, software, now.cards)
    return Spec(
        workloads=_workloads(request, cards),
        servers=_servers(cards, now, load, factor),
        around=around,
        software=software,
        nim=tuple(_nim(cards, known)),
        cost=cost_of(
            load,
            request,
            cards.answers,
            parts,
            facts=known,
            prices=catalogue.prices,
            today=today,
        ),
        warnings=tuple(_warnings(cards)),
        assumptions=tuple(_assumptions(request, cards, factor)),
        catalogue=catalogue.stamp,
    )


def _today(request: SpecRequest, catalogue: Catalogue) -> date:
    """Return the day of the question, from which prices age."""
    days = [one.request.as_of for one in request.workloads if one.request.as_of]
    return next(iter(days), None) or date.fromisoformat(catalogue.stamp.date)


def _nim(cards: CardSet, facts: SpecFacts) -> Iterator[NimSupport]:
    for answer in cards.answers:
        asked = answer.understood
        yield nim_support(
            asked.model_id, cards.gpu, asked.precision, facts.nim, parameters=asked.parameters
        )


def _cards(request: SpecRequest, catalogue: Catalogue, factor: float) -> CardSet:
    demands = [demand_of(workload, factor) for workload in request.workloads]
    sizer = partial(size, catalogue=catalogue)
    return choose_cards(demands, sizer, catalogue, shares=request.shares_cards)


def _cards_today(request: SpecRequest, catalogue: Catalogue, grown: CardSet) -> CardSet:
    """Return the cards, of the kind that was chosen, for the load as it is."""
    demands = [demand_of(workload, 1.0) for workload in request.workloads]
    sizer = partial(size, catalogue=catalogue)
    return set_on(grown.gpu, demands, sizer, shares=request.shares_cards)


def _workloads(request: SpecRequest, cards: CardSet) -> tuple[SpecWorkload, ...]:
    return tuple(
        SpecWorkload(
            people=workload.people,
            requests_per_person_per_hour=workload.requests_per_person_per_hour,
            answer=answer,
            seats=tuple(seat for seat in cards.seats if seat.workload == place),
        )
        for place, (workload, answer) in enumerate(
            zip(request.workloads, cards.answers, strict=True)
        )
    )


def _servers(cards: CardSet, today: CardSet, load: ServerLoad, factor: float) -> Servers:
    return Servers(
        gpu=cards.gpu.id,
        gpus_needed=cards.cards,
        gpus_needed_today=min(cards.cards, today.cards),
        gpus_per_server=load.gpus,
        servers=load.servers,
        spare_servers=load.spare_servers,
        gpus=load.gpus * (load.servers + load.spare_servers),
        shared_cards=len(shared_cards(cards.seats)),
        spans_servers=load.spans_servers,
        growth_factor=factor,
        runs=cards.runs,
    )


def _warnings(cards: CardSet) -> Iterator[Note]:
    if not cards.runs:
        yield note("spec_does_not_run", gpu=cards.gpu.id)
    if shared_cards(cards.seats):
        yield note("shared_speed")


def _assumptions(request: SpecRequest, cards: CardSet, factor: float) -> Iterator[Note]:
    if factor != 1:
        yield note(
            "growth_compound",
            growth_percent=request.growth.growth_percent,
            years=request.growth.horizon_years or DEFAULT_YEARS,
            factor=factor,
        )
    elif request.growth.growth_percent is None:
        yield note("no_growth")
    if request.growth.spare_servers is None:
        yield note("no_spare")
    for workload in request.workloads:
        if workload.people is not None:
            yield note(
                "people_rate",
                people=workload.people,
                requests_per_person_per_hour=workload.requests_per_person_per_hour,
                requests_per_s=workload.requests_per_s,
            )
    if not any(choice.gpu for one in request.workloads for choice in one.request.gpus):
        yield note("spec_card_chosen", gpu=cards.gpu.id)
