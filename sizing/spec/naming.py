"""Questions about the same load that name other cards."""

from __future__ import annotations

from collections.abc import Iterator

from sizing.records import GpuRecord
from sizing.request import GpuChoice, SizingRequest
from sizing.spec.cards import CardSet
from sizing.spec.demand import demand_of, growth_factor
from sizing.spec.request import SpecRequest
from sizing.spec.wishes import Sharing


def open_demands(asked: SpecRequest, factor: float) -> list[SizingRequest]:
    """Return the questions about all models `factor` times as busy, their cards left open."""
    return [_open(demand_of(workload, factor)) for workload in asked.workloads]


def _open(demand: SizingRequest) -> SizingRequest:
    return demand.model_copy(update={"gpus": (), "mixed_gpus": False})


def naming(asked: SpecRequest, gpu: GpuRecord, count: int | None = None) -> SpecRequest:
    """Return the question with these cards in place of all that were named."""
    choice = GpuChoice(gpu=gpu.id, count=count)
    workloads = tuple(
        workload.model_copy(
            update={
                "request": _open(workload.request).model_copy(
                    update={} if place else {"gpus": (choice,)}
                )
            }
        )
        for place, workload in enumerate(asked.workloads)
    )
    return asked.model_copy(update={"workloads": workloads})


def questions_for(cards: CardSet, asked: SpecRequest) -> Iterator[SpecRequest]:
    """Yield the questions that ask for those cards: by number where one load takes them."""
    alone = len(asked.workloads) == 1 and asked.sharing is not Sharing.SLICES
    if alone and growth_factor(asked.growth) == 1:
        yield naming(asked, cards.gpu, cards.cards)
    yield naming(asked, cards.gpu)
