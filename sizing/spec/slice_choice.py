"""Which MIG slice carries a workload, or why none does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

from sizing.answer import SizingAnswer, Verdict
from sizing.records import GpuRecord, MigProfile
from sizing.request import GpuChoice, SizingRequest, Targets
from sizing.spec.mig_layout import compute_slices, memory_slices, width

Sizer = Callable[[SizingRequest], SizingAnswer]


class Whole(StrEnum):
    """Why slices are not tried for a workload."""

    ASKED = "asked"
    """Its cards were counted."""

    SPEED = "speed"
    """Its load is a rate, or it has wishes about speed: what a slice reaches was not measured."""


def whole_because(demand: SizingRequest, gpu: GpuRecord) -> Whole | None:
    """Return why a demand has whole cards from the start; None where slices are to be tried."""
    if any(choice.gpu == gpu.id and choice.count for choice in demand.gpus):
        return Whole.ASKED
    is_rate = demand.requests_per_s is not None and demand.concurrent_requests is None
    if is_rate or demand.targets != Targets():
        return Whole.SPEED
    return None


def in_slices(
    gpu: GpuRecord, demand: SizingRequest, whole: SizingAnswer, size: Sizer
) -> SizingAnswer | None:
    """Return the answer on the slices that take least of the cards; None where whole ones do.

    `whole` is the answer on whole cards. Of slices with the same memory the one with fewer compute
    slices is taken: nothing that can be held against a measurement asks for more.
    """
    if whole_because(demand, gpu):
        return None
    limit = whole.options[0].gpus * memory_slices(gpu)
    least_bytes = whole.memory.weights_bytes
    found = list(_holding(gpu, demand, size, least_bytes=least_bytes))
    least = min(found, key=lambda each: _taken(each, gpu), default=None)
    if least is None or _taken(least, gpu)[0] >= limit:
        return None
    return least[1]


def _holding(
    gpu: GpuRecord, demand: SizingRequest, size: Sizer, *, least_bytes: int
) -> Iterator[tuple[MigProfile, SizingAnswer]]:
    """Yield the slices that hold a copy; those smaller than its weights are not tried."""
    for profile in gpu.mig_profiles:
        if profile.memory_share == 1 or profile.usable_bytes < least_bytes:
            continue
        answer = size(_on_slice(gpu, profile, demand))
        if answer.options and answer.options[0].verdict is Verdict.FITS:
            yield profile, answer


def _on_slice(gpu: GpuRecord, profile: MigProfile, demand: SizingRequest) -> SizingRequest:
    choice = GpuChoice(gpu=gpu.id, mig_profile=profile.name)
    return demand.model_copy(update={"gpus": (choice,)})


def _taken(found: tuple[MigProfile, SizingAnswer], gpu: GpuRecord) -> tuple[int, int, int]:
    """Return the memory slices that all copies take, how many copies, and compute slices of one."""
    profile, answer = found
    copies = answer.options[0].gpus
    return width(profile, gpu) * copies, copies, compute_slices(profile)
