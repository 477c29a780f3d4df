"""From workloads to a server spec: the order of the steps, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import SizingRequest
from sizing.running import terms_of
from sizing.spec.answer import Servers, Spec, SpecWorkload
from sizing.spec.around import around_of, most_per_server
from sizing.spec.assumed import assumptions, software_assumptions, software_warnings
from sizing.spec.card_notes import card_assumptions, card_warnings
from sizing.spec.cards import CardSet, choose_cards, set_on
from sizing.spec.demand import demand_of, growth_factor
from sizing.spec.equivalents import Equivalent, equivalents_of
from sizing.spec.facts_files import SpecFacts, load_facts
from sizing.spec.load import ServerLoad
from sizing.spec.mig_plan import mig_cards
from sizing.spec.nim import NimSupport, nim_support
from sizing.spec.request import SpecRequest, with_limits
from sizing.spec.servers import card_places, server_load
from sizing.spec.sharing import shared_cards
from sizing.spec.software import plan_software
from sizing.spec.spending_of import Parts, cost_of, spending_of


def spec_of(request: SpecRequest, catalogue: Catalogue, facts: SpecFacts | None = None) -> Spec:
    """Return the spec of `request`; raise SizingError where it cannot be planned."""
    known, request = facts or load_facts(), with_limits(request)
    factor = growth_factor(request.growth)
    demands = [demand_of(workload, factor) for workload in request.workloads]
    cards = _cards(request, catalogue, demands)
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
        servers=_servers(
            cards,
            now,
            load,
            factor,
            equivalents=_equivalents(cards, demands, request, catalogue),
        ),
        mig=mig_cards(cards, card_places(cards, most_per_server=most)),
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
        warnings=(
            *card_warnings(cards, demands, catalogue, sharing=request.sharing),
            *software_warnings(software),
        ),
        assumptions=(
            *assumptions(request, cards, factor),
            *software_assumptions(request.software, software, cards),
            *card_assumptions(cards, demands, partial(size, catalogue=catalogue)),
        ),
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


def _cards(request: SpecRequest, catalogue: Catalogue, demands: Sequence[SizingRequest]) -> CardSet:
    sizer = partial(size, catalogue=catalogue)
    return choose_cards(demands, sizer, catalogue, sharing=request.sharing)


def _cards_today(request: SpecRequest, catalogue: Catalogue, grown: CardSet) -> CardSet:
    """Return the cards, of the kind that was chosen, for the load as it is."""
    demands = [demand_of(workload, 1.0) for workload in request.workloads]
    sizer = partial(size, catalogue=catalogue)
    return set_on(grown.gpu, demands, sizer, sharing=request.sharing)


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


def _equivalents(
    cards: CardSet, demands: Sequence[SizingRequest], request: SpecRequest, catalogue: Catalogue
) -> tuple[Equivalent, ...]:
    sizer = partial(size, catalogue=catalogue)
    return equivalents_of(cards, demands, sizer, catalogue, sharing=request.sharing)


def _servers(
    cards: CardSet,
    today: CardSet,
    load: ServerLoad,
    factor: float,
    *,
    equivalents: tuple[Equivalent, ...],
) -> Servers:
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
        equivalents=equivalents,
    )
