"""What there is to know of the cards of a spec: how they are shared, and how they could be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sizing.answer import Note, note
from sizing.catalogue import Catalogue
from sizing.records import GpuRecord, Segment
from sizing.request import SizingRequest
from sizing.spec.cards import CardSet, cards_with_slices, set_on
from sizing.spec.sharing import shared_cards, sliced_cards
from sizing.spec.slice_choice import Sizer, Whole, whole_because
from sizing.spec.wishes import Sharing

MOST_NAMED = 5
"""Cards that are named to who wants slices of one that has none."""


def card_warnings(
    cards: CardSet, demands: Sequence[SizingRequest], catalogue: Catalogue, *, sharing: Sharing
) -> Iterator[Note]:
    """Yield what should be known before the cards are trusted."""
    if not cards.runs:
        yield note("spec_does_not_run", gpu=cards.gpu.id)
    if set(shared_cards(cards.seats)) - set(sliced_cards(cards.seats)):
        yield note("shared_speed")
    if sharing is Sharing.SLICES:
        yield from _not_sliced(cards, demands, catalogue)


def _not_sliced(
    cards: CardSet, demands: Sequence[SizingRequest], catalogue: Catalogue
) -> Iterator[Note]:
    """Yield why slices that were wanted are not to be had: by the card, or by the model."""
    if not cards.gpu.mig_profiles:
        gpus = tuple(gpu.id for gpu in cards_with_slices(catalogue)[:MOST_NAMED])
        yield note("mig_not_on_card", gpu=cards.gpu.id, gpus=gpus)
        return
    whole = [
        (answer.understood.model, whole_because(demand, cards.gpu))
        for answer, demand in zip(cards.answers, demands, strict=True)
        if answer.options[0].mig_profile is None
    ]
    if by_speed := tuple(model for model, why in whole if why is Whole.SPEED):
        yield note("mig_whole_speed", models=by_speed)
    if by_size := tuple(model for model, why in whole if why is None):
        yield note("mig_whole_size", models=by_size, gpu=cards.gpu.id)


def card_assumptions(
    cards: CardSet, demands: Sequence[SizingRequest], size: Sizer
) -> Iterator[Note]:
    """Yield how slices are kept apart, or what they would make of cards shared by fractions."""
    if sliced_cards(cards.seats):
        yield note("mig_apart")
        yield _after_restart(cards.gpu)
        if cards.gpu.segment is Segment.WORKSTATION:
            # MIG user guide v580, "Prerequisites": workstation editions show graphics by default.
            yield note("mig_display_mode", gpu=cards.gpu.id)
    elif shared_cards(cards.seats) and cards.gpu.mig_profiles:
        yield from _would_do(cards, demands, size)


def _after_restart(gpu: GpuRecord) -> Note:
    """Return what outlives a restart.

    Source: MIG user guide v580, "Deployment considerations": on Ampere the mode is kept; "Creating
    GPU instances": the slices never are.
    """
    if gpu.architecture == "ampere":
        return note("mig_mode_kept", gpu=gpu.id)
    return note("mig_mode_lost", gpu=gpu.id)


def _would_do(cards: CardSet, demands: Sequence[SizingRequest], size: Sizer) -> Iterator[Note]:
    """Yield how many cards slices would take for what shares cards by fractions of memory."""
    cut = set_on(cards.gpu, demands, size, sharing=Sharing.SLICES)
    parts = tuple(
        f"{answer.understood.model}: {_counted(answer.options[0].gpus, profile)}"
        for answer in cut.answers
        if (profile := answer.options[0].mig_profile)
    )
    if not parts or not cut.runs:
        return
    if cut.cards == cards.cards:
        yield note("mig_would_do", parts=parts)
    elif cut.cards > cards.cards:
        yield note("mig_takes_more", parts=parts, cards=cards.cards, mig_cards=cut.cards)
    else:
        yield note("mig_takes_fewer", parts=parts, cards=cards.cards, mig_cards=cut.cards)


def _counted(slices: int, profile: str) -> str:
    return profile if slices == 1 else f"{slices} x {profile}"
