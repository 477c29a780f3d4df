"""Models that share a card: each with a fraction of its memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil

from sizing.records import Count, PositiveCount, ProfileName, Record

FULL_PERCENT = 95
"""Most of a card that several engines together may reserve: the rest is left to their drivers."""

LARGEST_SHARE_PERCENT = 50
"""Largest share of a card that goes onto one together with others."""


class Seat(Record):
    """One copy of a model on its cards."""

    workload: int
    """Place of the workload in the spec, from 0."""

    cards: tuple[int, ...]
    """Cards it stands on, numbered through from 0."""

    fraction_percent: PositiveCount
    """Share of each card's memory that it reserves, per cent."""

    mig_profile: ProfileName | None = None
    """MIG slice of the card that it has to itself; None for whole cards and fractions of memory."""

    memory_slice: Count | None = None
    """First memory slice of the card that the MIG slice takes, from 0."""


@dataclass(frozen=True)
class Copies:
    """Equal copies of one model."""

    workload: int
    """Place of the workload in the spec, from 0."""

    copies: int
    """How many."""

    gpus_per_copy: int
    """Cards of one copy."""

    fraction: float
    """Share of a card's memory that one copy needs at the high bound, 0-1."""

    @property
    def percent(self) -> int:
        """Return the share as a whole number of per cent, rounded up."""
        return max(1, ceil(self.fraction * 100))

    @property
    def may_share(self) -> bool:
        """Return whether a copy goes onto a card beside others."""
        return self.gpus_per_copy == 1 and self.percent <= LARGEST_SHARE_PERCENT


@dataclass
class _Cards:
    """Cards while they are being filled."""

    free_percent: list[int] = field(default_factory=list)
    seats: list[Seat] = field(default_factory=list)

    def seat_alone(self, model: Copies) -> None:
        """Give a copy cards of its own."""
        first = len(self.free_percent)
        cards = tuple(range(first, first + model.gpus_per_copy))
        self.free_percent += [FULL_PERCENT - model.percent] * model.gpus_per_copy
        self._seat(model, cards)

    def seat_beside(self, model: Copies) -> bool:
        """Put a copy onto the fullest card that takes it; return whether there is one.

        Two copies of one model on a card would only halve each other's speed.
        """
        taken = {
            card for seat in self.seats if seat.workload == model.workload for card in seat.cards
        }
        places = [
            (free, card)
            for card, free in enumerate(self.free_percent)
            if free >= model.percent and card not in taken
        ]
        if not places:
            return False
        _, card = min(places)
        self.free_percent[card] -= model.percent
        self._seat(model, (card,))
        return True

    def _seat(self, model: Copies, cards: tuple[int, ...]) -> None:
        self.seats.append(
            Seat(workload=model.workload, cards=cards, fraction_percent=model.percent)
        )


def seated(models: Sequence[Copies], *, shares: bool) -> tuple[Seat, ...]:
    """Return where each copy stands: the widest first, small ones beside others where they may."""
    cards = _Cards()
    for model in _widest_first(models):
        for _ in range(model.copies):
            if not (shares and model.may_share and cards.seat_beside(model)):
                cards.seat_alone(model)
    return tuple(cards.seats)


def _widest_first(models: Iterable[Copies]) -> list[Copies]:
    return sorted(models, key=lambda model: (-model.gpus_per_copy, -model.fraction, model.workload))


def cards_of(seats: Iterable[Seat]) -> int:
    """Return how many cards the seats take."""
    return len({card for seat in seats for card in seat.cards})


def sliced_cards(seats: Iterable[Seat]) -> tuple[int, ...]:
    """Return the cards that are cut into MIG slices."""
    return tuple(sorted({card for seat in seats if seat.mig_profile for card in seat.cards}))


def shared_cards(seats: Iterable[Seat]) -> tuple[int, ...]:
    """Return the cards that carry more than one copy."""
    carried: dict[int, int] = {}
    for seat in seats:
        for card in seat.cards:
            carried[card] = carried.get(card, 0) + 1
    return tuple(sorted(card for card, copies in carried.items() if copies > 1))
