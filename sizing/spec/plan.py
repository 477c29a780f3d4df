"""From workloads to a server spec: the order of the steps, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.request import SizingRequest
from sizing.spec.answer import Servers, Spec, SpecWorkload
from sizing.spec.around import most_per_server
from sizing.spec.assumed import assumptions, software_assumptions, software_warnings
from sizing.spec.card_notes import card_assumptions, card_warnings
from sizing.spec.cards import CardSet
from sizing.spec.demand import demand_of, growth_factor
from sizing.spec.equivalents import Equivalent, equivalents_of
from sizing.spec.facts_files import SpecFacts, load_facts
from sizing.spec.laid_out import LaidOut, plan_of
from sizing.spec.mig_plan import mig_cards
from sizing.spec.nim import NimSupport, nim_support
from sizing.spec.request import SpecRequest, with_limits
from sizing.spec.search import plans_inside
from sizing.spec.servers import card_places
from sizing.spec.sharing import shared_cards


def spec_of(request: SpecRequest, catalogue: Catalogue, facts: SpecFacts | None = None) -> Spec:
    """Return the spec of `request`; raise SizingError where it cannot be planned."""
    known, request = facts or load_facts(), with_limits(request)
    factor = growth_factor(request.growth)
    demands = [demand_of(workload, factor) for workload in request.workloads]
    plan = plan_of(request, catalogue, known)
    cards = plan.cards
    most = most_per_server(request, cards.gpu, known)
    return Spec(
        workloads=_workloads(request, cards),
        servers=_servers(
            plan,
            factor,
            equivalents=_equivalents(cards, demands, request, catalogue),
        ),
        mig=mig_cards(cards, card_places(cards, most_per_server=most)),
        around=plan.around,
        software=plan.software,
        nim=tuple(_nim(cards, known)),
        cost=plan.cost,
        inside=plans_inside(plan, request, catalogue, known),
        warnings=(
            *card_warnings(cards, demands, catalogue, sharing=request.sharing),
            *software_warnings(plan.software),
        ),
        assumptions=(
            *assumptions(request, cards, factor),
            *software_assumptions(request.software, plan.software, cards),
            *card_assumptions(cards, demands, partial(size, catalogue=catalogue)),
        ),
        catalogue=catalogue.stamp,
    )


def _nim(cards: CardSet, facts: SpecFacts) -> Iterator[NimSupport]:
    for answer in cards.answers:
        asked = answer.understood
        yield nim_support(
            asked.model_id, cards.gpu, asked.precision, facts.nim, parameters=asked.parameters
        )


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


def _servers(plan: LaidOut, factor: float, *, equivalents: tuple[Equivalent, ...]) -> Servers:
    cards, load = plan.cards, plan.load
    return Servers(
        gpu=cards.gpu.id,
        gpus_needed=cards.cards,
        gpus_needed_today=min(cards.cards, plan.today.cards),
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
