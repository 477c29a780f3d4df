"""What a plan may give up of what was asked to stay inside a limit, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final

from sizing.answer import SizingAnswer
from sizing.catalogue import Catalogue
from sizing.records import PrecisionScheme
from sizing.request import Mode
from sizing.spec.demand import growth_factor
from sizing.spec.request import SpecRequest, Workload

SPARE: Final = "spare_servers"
GROWTH: Final = "growth_reserve"
PRECISION: Final = "precision"

SMALLER_FORMATS: Final = ("fp8", "int4")
"""Formats for GPU engines, most bits first: half of 16 bits, and half of that."""

SMALLER_FILES: Final = ("q8-0", "q4-k-m")
"""GGUF files of about as many bits."""

WORTH_IT: Final = 0.75
"""Share of the bits from which a smaller format makes a difference to the cards."""


@dataclass(frozen=True)
class Concession:
    """What is given up."""

    reserves: tuple[str, ...] = ()
    """Spare servers, or those for growth."""

    precisions: tuple[str | None, ...] = ()
    """Precision of each workload in place of the one that was left open; None leaves it."""

    @property
    def precision(self) -> str | None:
        """Return the precision that stands in place of an open one."""
        return next(filter(None, self.precisions), None)

    @property
    def codes(self) -> tuple[str, ...]:
        """Return what is given up, by name."""
        return (*self.reserves, *((PRECISION,) if self.precision else ()))

    def of(self, request: SpecRequest) -> SpecRequest:
        """Return the question without what is given up."""
        growth = request.growth.model_copy(
            update={
                **({"spare_servers": None} if SPARE in self.reserves else {}),
                **({"growth_percent": None} if GROWTH in self.reserves else {}),
            }
        )
        workloads = tuple(
            _in_precision(workload, precision)
            for workload, precision in zip(
                request.workloads, self.precisions or [None] * len(request.workloads), strict=True
            )
        )
        return request.model_copy(update={"growth": growth, "workloads": workloads})


def _in_precision(workload: Workload, precision: str | None) -> Workload:
    if precision is None:
        return workload
    asked = workload.request.model_copy(update={"precision": precision})
    return workload.model_copy(update={"request": asked})


def without_reserves(request: SpecRequest) -> tuple[Concession, ...]:
    """Return each way to do without spare servers and those for growth, the fewest first."""
    reserves = [SPARE] if request.growth.spare_servers else []
    if growth_factor(request.growth) > 1:
        reserves.append(GROWTH)
    counts = range(1, len(reserves) + 1)
    ways = chain.from_iterable(combinations(reserves, count) for count in counts)
    return tuple(Concession(way) for way in ways)


def concessions(
    request: SpecRequest, answers: Sequence[SizingAnswer], catalogue: Catalogue
) -> tuple[Concession, ...]:
    """Return all that may be given up, what matters least first; the last gives up everything.

    Reserves go before precision: they can be bought later. `answers` tell in which precision the
    models are where it was left open; one that was named stays.
    """
    reserved = without_reserves(request)
    steps = tuple(dict.fromkeys(_steps(request, answers, catalogue)))
    alone = [Concession((), step) for step in steps]
    both = [Concession(way.reserves, step) for step in steps for way in reserved[-1:]]
    return (*reserved, *alone, *both)


def _steps(
    request: SpecRequest, answers: Sequence[SizingAnswer], catalogue: Catalogue
) -> Iterator[tuple[str | None, ...]]:
    """Yield the precisions of all workloads, step by step down; none where all were named."""
    for number in range(len(SMALLER_FORMATS)):
        step = tuple(
            _smaller(workload, answer, number, catalogue)
            for workload, answer in zip(request.workloads, answers, strict=True)
        )
        if any(step):
            yield step


def _smaller(
    workload: Workload, answer: SizingAnswer, number: int, catalogue: Catalogue
) -> str | None:
    """Return the smaller precision of a workload; None where it was told, or has fewer bits."""
    asked, model = workload.request, catalogue.models.get(workload.request.model_id or "")
    is_open = not (asked.precision or asked.checkpoint or asked.reference or asked.given)
    if not is_open or asked.mode is not Mode.INFER or (model and model.works_in_passes):
        return None
    current = catalogue.precisions[answer.understood.precision]
    is_file = current.scheme is PrecisionScheme.GGUF
    wanted = (SMALLER_FILES if is_file else SMALLER_FORMATS)[number]
    found = catalogue.precisions.get(wanted)
    most_bits = current.weight_bits * WORTH_IT
    return found.id if found and found.weight_bits <= most_bits else None
