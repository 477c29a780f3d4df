"""What differs between two plans of servers, figure by figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeVar

from bot.difference import Change, Difference, difference_of

if TYPE_CHECKING:
    from sizing.spec.answer import Spec, SpecWorkload

T = TypeVar("T")


@dataclass(frozen=True)
class WorkloadDifference:
    """How one model of a plan differs; no difference where one of the plans lacks it."""

    name: str
    """Name of the model, in the second plan where it has one."""

    difference: Difference | None
    """How its answers differ."""

    @property
    def is_added(self) -> bool:
        """Return whether only one of the plans has it."""
        return self.difference is None


@dataclass(frozen=True)
class SpecDifference:
    """How a second plan differs from a first; None stands for what is the same in both."""

    workloads: tuple[WorkloadDifference, ...] = ()
    """Models that differ, in their order."""

    catalogue: Change[str] | None = None
    """Dates of the catalogue, where the facts are others."""

    gpu: Change[str] | None = None
    """Catalogue ids of the cards."""

    gpus: Change[int] | None = None
    """Cards of all servers."""

    servers: Change[int] | None = None
    """Servers in use."""

    spare_servers: Change[int] | None = None
    """Servers that wait for one of them to fail."""

    total_w: Change[float] | None = None
    """Highest draw of all servers, W."""

    purchase_usd: Change[float | None] | None = None
    """What is bought, USD."""

    total_usd: Change[float | None] | None = None
    """All years of the comparison, USD."""

    runs: Change[bool] | None = None
    """Whether every workload runs."""

    @property
    def is_same(self) -> bool:
        """Return whether the second plan says what the first said."""
        return not any(getattr(self, one.name) for one in fields(self))


def spec_difference_of(before: Spec, after: Spec) -> SpecDifference:
    """Return how a plan differs from an earlier one."""

    def change(figure: Callable[[Spec], T]) -> Change[T] | None:
        values = figure(before), figure(after)
        return None if values[0] == values[1] else Change(*values)

    stamps = (before.catalogue, after.catalogue)
    is_new = stamps[0].digest != stamps[1].digest
    pairs = zip_longest(before.workloads, after.workloads)
    workloads = (_workload(one, other) for one, other in pairs)
    return SpecDifference(
        workloads=tuple(filter(None, workloads)),
        catalogue=Change(stamps[0].date, stamps[1].date) if is_new else None,
        gpu=change(lambda one: one.servers.gpu),
        gpus=change(lambda one: one.servers.gpus),
        servers=change(lambda one: one.servers.servers),
        spare_servers=change(lambda one: one.servers.spare_servers),
        total_w=change(lambda one: one.around.facility.site.total_kw * 1000),
        purchase_usd=change(spec_purchase_usd),
        total_usd=change(spec_total_usd),
        runs=change(lambda one: one.servers.runs),
    )


def spec_purchase_usd(spec: Spec) -> float | None:
    """Return what a plan costs to buy, USD; None where no price is known."""
    bought = spec.cost.years[0].total_usd if spec.cost.years else None
    return bought.typical if bought else None


def spec_total_usd(spec: Spec) -> float | None:
    """Return what a plan costs over all years, USD; None where no price is known."""
    return spec.cost.total_usd.typical if spec.cost.total_usd else None


def _workload(before: SpecWorkload | None, after: SpecWorkload | None) -> WorkloadDifference | None:
    one = after or before
    if one is None:
        return None
    name = one.answer.understood.model
    if before is None or after is None:
        return WorkloadDifference(name, None)
    # The facts are told once, for the whole plan.
    difference = replace(difference_of(before.answer, after.answer), catalogue=None)
    return None if difference.is_same else WorkloadDifference(name, difference)
