"""Which of several plans is nearest to the one that passes a limit, and what each gives up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Final

from sizing.records import GpuRecord, Segment
from sizing.request import Targets
from sizing.spec.concessions import Concession
from sizing.spec.inside import InsidePlan
from sizing.spec.laid_out import LaidOut
from sizing.spec.measures import is_rented, paid_usd
from sizing.spec.request import SpecRequest

MARKETS: Final = {
    Segment.RACK: Segment.DATACENTER,
    Segment.CLOUD_ONLY: Segment.DATACENTER,
    Segment.EDGE: Segment.DESKTOP_SOC,
}
"""Markets that count as another one: made for the same rooms."""

Key = tuple[bool | float | str, ...]


def nearness(plan: LaidOut, request: SpecRequest, first: LaidOut) -> Key:
    """Return what plans are ordered by: the kind, its maker, its market, servers; then money."""
    gpu, other = plan.cards.gpu, first.cards.gpu
    return (
        gpu.id != other.id,
        gpu.vendor != other.vendor,
        _market(gpu) != _market(other),
        plan.load.servers > first.load.servers,
        *thrift(plan, request),
    )


def thrift(plan: LaidOut, request: SpecRequest) -> Key:
    """Return what the cheapest come first by: on machines that are listed; without price, by kW."""
    usd = paid_usd(plan, request)
    site = plan.around.facility.site
    return (
        not plan.around.platform.options,
        usd is None,
        usd.typical if usd else inf,
        site.total_kw,
        plan.cards.gpu.id,
    )


def _market(gpu: GpuRecord) -> Segment:
    return MARKETS.get(gpu.segment, gpu.segment)


@dataclass(frozen=True)
class Named:
    """What the asker said of the cards."""

    kind: bool
    """Which they are."""
    count: bool
    """How many."""


def inside_plan(
    plan: LaidOut, question: SpecRequest, given_up: Concession, *, first: LaidOut, named: Named
) -> InsidePlan:
    """Return the record of a plan: what it is, and what it gives up of the `first` one."""
    load, facility = plan.load, plan.around.facility
    options = plan.around.platform.options
    return InsidePlan(
        gpu=load.gpu.id,
        gpus=load.gpus * (load.servers + load.spare_servers),
        gpus_per_server=load.gpus,
        servers=load.servers,
        spare_servers=load.spare_servers,
        machine=options[0].name if options else None,
        total_kw=facility.site.total_kw,
        rack_units=facility.site.rack_units,
        circuits=facility.needed.circuits,
        usd=paid_usd(plan, question),
        rental=plan.cost.cloud.rental if is_rented(question) and plan.cost.cloud else None,
        gives_up=(
            *given_up.codes,
            *_otherwise(plan, first, named),
            *(("speed_known",) if _speed_unknown(plan, question) else ()),
        ),
        precision=given_up.precision,
        request=question,
    )


def _otherwise(plan: LaidOut, first: LaidOut, named: Named) -> Iterator[str]:
    """Yield what is other about the cards."""
    mine, other = plan.cards.gpu, first.cards.gpu
    if named.kind and mine.id != other.id:
        yield "named_cards"
    elif named.count and plan.cards.cards != first.cards.cards:
        yield "named_count"
    if mine.vendor != other.vendor:
        yield "vendor"
    if _market(mine) != _market(other):
        yield "market"


def _speed_unknown(plan: LaidOut, question: SpecRequest) -> bool:
    """Return whether a wish about speed stands against a set whose speed nobody measured."""
    return any(
        workload.request.targets != Targets() and answer.options[0].performance is None
        for workload, answer in zip(question.workloads, plan.cards.answers, strict=True)
    )
