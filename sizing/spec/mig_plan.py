"""How cards are cut into MIG slices: which slice each model has, and what is typed for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sizing.records import Count, GpuRecord, Positive, PositiveCount, ProfileName, Record, Text
from sizing.spec.cards import CardSet
from sizing.spec.sharing import Seat, sliced_cards


class MigSlice(Record):
    """One slice, and the model in it."""

    workload: Count
    """Place of the workload in the spec, from 0."""

    mig_profile: ProfileName
    """Which slice."""

    memory_slice: Count
    """First memory slice of the card that it takes, from 0."""

    usable_bytes: PositiveCount
    """Memory the driver shows of it, bytes."""

    sm_percent: Positive
    """Its share of the card's multiprocessors, per cent."""


class MigCard(Record):
    """One card that is cut into slices."""

    server: PositiveCount
    """Number of the server, from 1."""

    card: Count
    """Number of the card in it, from 0, as `nvidia-smi` counts."""

    slices: tuple[MigSlice, ...]
    """Slices in the order in which they are created: the widest first."""

    commands: tuple[Text, ...]
    """What turns MIG on and creates them, as root."""


def mig_cards(cards: CardSet, places: Mapping[int, tuple[int, int]]) -> tuple[MigCard, ...]:
    """Return the cards that are cut; `places` has the server and the number of each, from 0."""
    found = (_card(card, cards, places) for card in sliced_cards(cards.seats))
    return tuple(sorted(found, key=lambda each: (each.server, each.card)))


def _card(card: int, cards: CardSet, places: Mapping[int, tuple[int, int]]) -> MigCard:
    server, number = places[card]
    slices = tuple(_slices(cards.gpu, (seat for seat in cards.seats if card in seat.cards)))
    return MigCard(
        server=server + 1, card=number, slices=slices, commands=_commands(number, slices)
    )


def _slices(gpu: GpuRecord, seats: Iterable[Seat]) -> Iterator[MigSlice]:
    for seat in seats:
        profile = gpu.mig_profile(seat.mig_profile or "")
        if profile is None or seat.memory_slice is None:
            continue
        yield MigSlice(
            workload=seat.workload,
            mig_profile=profile.name,
            memory_slice=seat.memory_slice,
            usable_bytes=profile.usable_bytes,
            sm_percent=round(profile.sm_share * 100, 1),
        )


def _commands(card: int, slices: Iterable[MigSlice]) -> tuple[str, ...]:
    """Return what is typed: each profile with its place, since the order alone may not do.

    Source: MIG user guide v580, "Creating GPU instances" (half a card has to be created first);
    `nvidia-smi mig --help`: a profile and, behind a colon, the memory slice it starts at.
    """
    profiles = ",".join(f"{each.mig_profile}:{each.memory_slice}" for each in slices)
    return (
        f"sudo nvidia-smi -i {card} -mig 1",
        f"sudo nvidia-smi mig -i {card} -cgi {profiles} -C",
    )
