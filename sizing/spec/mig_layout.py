"""Where MIG slices may stand on a card, and how slices of several models fill cards.

Source: NVIDIA MIG user guide v580, `nvidia-smi mig -lgipp`: a slice takes neighbouring memory
slices from one of a few places on. A100 and H100 alike: {0,1,2,3,4,5,6}:1, {0,2,4,6}:2, {0,2,4}:2,
{0,4}:4, {0}:4, {0}:8, that is every multiple of its own size, as often as a card gives it.
Slices whose memory does not overlap never ask for more compute slices than the card has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

from sizing.records import GpuRecord, MigProfile
from sizing.spec.sharing import Seat


@dataclass(frozen=True)
class SliceCopies:
    """Equal copies of one model, each in a slice."""

    workload: int
    """Place of the workload in the spec, from 0."""

    copies: int
    """How many."""

    profile: MigProfile
    """The slice of each."""


def memory_slices(gpu: GpuRecord) -> int:
    """Return into how many memory slices MIG divides a card: 8, 4 or 2."""
    return round(1 / min(profile.memory_share for profile in gpu.mig_profiles))


def compute_slices(profile: MigProfile) -> int:
    """Return the compute slices of a profile: the figure before its `g`."""
    return int(profile.name.partition("g")[0])


def width(profile: MigProfile, gpu: GpuRecord) -> int:
    """Return the memory slices that a slice takes."""
    return round(profile.memory_share * memory_slices(gpu))


def starts(profile: MigProfile, gpu: GpuRecord) -> range:
    """Return the memory slices at which a slice may begin."""
    size = width(profile, gpu)
    return range(0, size * profile.most_instances, size)


@dataclass
class _Card:
    """A card while it is being cut."""

    taken: set[int] = field(default_factory=set)
    """Memory slices in use."""

    def place(self, profile: MigProfile, gpu: GpuRecord) -> int | None:
        """Take the last free place of a slice and return it; None without one.

        The last place of half a card also covers the memory slice that has no compute of its own.
        """
        size = width(profile, gpu)
        for start in reversed(starts(profile, gpu)):
            held = set(range(start, start + size))
            if not held & self.taken:
                self.taken |= held
                return start
        return None


def packed(gpu: GpuRecord, models: Sequence[SliceCopies], first_card: int) -> tuple[Seat, ...]:
    """Return where each slice stands, the widest first, on as few cards as hold them all.

    Cards are numbered from `first_card` on.
    """
    cards: list[_Card] = []
    return tuple(_seats(gpu, _widest_first(gpu, models), cards, first_card))


def _seats(
    gpu: GpuRecord, models: Iterable[SliceCopies], cards: list[_Card], first_card: int
) -> Iterator[Seat]:
    for model in models:
        for _ in range(model.copies):
            number, start = _placed(gpu, model.profile, cards)
            yield Seat(
                workload=model.workload,
                cards=(first_card + number,),
                fraction_percent=ceil(model.profile.memory_share * 100),
                mig_profile=model.profile.name,
                memory_slice=start,
            )


def _placed(gpu: GpuRecord, profile: MigProfile, cards: list[_Card]) -> tuple[int, int]:
    """Return card and place of one more slice: the first card with room, else a new one."""
    for number, card in enumerate(cards):
        if (start := card.place(profile, gpu)) is not None:
            return number, start
    card = _Card()
    cards.append(card)
    start = card.place(profile, gpu)
    return len(cards) - 1, start or 0


def _widest_first(gpu: GpuRecord, models: Iterable[SliceCopies]) -> list[SliceCopies]:
    """Return the models by memory, then by compute slices: narrow ones fill what is left."""
    return sorted(
        models,
        key=lambda model: (
            -width(model.profile, gpu),
            -compute_slices(model.profile),
            model.workload,
        ),
    )
