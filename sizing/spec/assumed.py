"""What a spec takes for granted, or was told, of load, cards and software."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.notes import Note, note
from sizing.spec.cards import CardSet
from sizing.spec.demand import DEFAULT_YEARS
from sizing.spec.request import SpecRequest
from sizing.spec.sharing import sliced_cards
from sizing.spec.software_plan import SoftwarePlan
from sizing.spec.wishes import Orchestrator, SoftwareWishes


def assumptions(request: SpecRequest, cards: CardSet, factor: float) -> Iterator[Note]:
    """Yield what was filled in of the load and the cards."""
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


def software_assumptions(
    wishes: SoftwareWishes, plan: SoftwarePlan, cards: CardSet
) -> Iterator[Note]:
    """Yield what was told of the software, and how containers are handed MIG slices.

    Source: GPU Operator documentation, "GPU Operator with MIG": resources by profile with the
    strategy `mixed`; MIG user guide, "Running CUDA applications as containers": card:slice.
    """
    if wishes.orchestrator and plan.orchestration:
        yield note("orchestrator_asked", orchestrator=wishes.orchestrator.value)
    if wishes.operating_system:
        yield note("system_asked", system=wishes.operating_system)
    if plan.orchestration is None or not sliced_cards(cards.seats):
        return
    if plan.orchestration.orchestrator is Orchestrator.DOCKER:
        yield note("mig_docker")
    else:
        profiles = sorted({seat.mig_profile for seat in cards.seats if seat.mig_profile})
        resources = tuple(f"nvidia.com/mig-{profile}" for profile in profiles)
        yield note("mig_kubernetes", resources=resources)


def software_warnings(plan: SoftwarePlan) -> Iterator[Note]:
    """Yield what stands against a system that was asked for."""
    yield from (one for one in plan.notes if one.code == "software_system_not_tested")
