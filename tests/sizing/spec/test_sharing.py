"""Models that share a card."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sizing.spec.sharing import FULL_PERCENT, Copies, cards_of, seated, shared_cards


def test_a_small_model_stands_beside_a_large_one() -> None:
    """70 % + 20 % <= 95 %: on the first card of the two that the large one takes."""
    seats = seated([Copies(0, 1, 2, 0.7), Copies(1, 1, 1, 0.195)], shares=True)
    assert [(seat.workload, seat.cards, seat.fraction_percent) for seat in seats] == [
        (0, (0, 1), 70),
        (1, (0,), 20),
    ]
    assert (cards_of(seats), shared_cards(seats)) == (2, (0,))


def test_at_the_limit_of_a_card() -> None:
    assert cards_of(seated([Copies(0, 1, 1, 0.75), Copies(1, 1, 1, 0.2)], shares=True)) == 1
    assert cards_of(seated([Copies(0, 1, 1, 0.75), Copies(1, 1, 1, 0.21)], shares=True)) == 2


def test_what_takes_more_than_half_a_card_has_one_of_its_own() -> None:
    """40 % stand alone already; 51 % do not go beside, 50 % do."""
    alone = seated([Copies(0, 1, 1, 0.51), Copies(1, 1, 1, 0.44)], shares=True)
    assert cards_of(alone) == 1  # the wider one was first, and the smaller one goes beside it
    assert cards_of(seated([Copies(0, 1, 1, 0.51), Copies(1, 1, 1, 0.51)], shares=True)) == 2


def test_copies_of_one_model_never_share_a_card() -> None:
    assert cards_of(seated([Copies(0, 2, 1, 0.1)], shares=True)) == 2


def test_whoever_wants_no_sharing_gets_none() -> None:
    assert cards_of(seated([Copies(0, 1, 1, 0.1), Copies(1, 1, 1, 0.1)], shares=False)) == 2


@given(
    st.lists(
        st.builds(
            Copies,
            st.integers(0, 7),
            st.integers(1, 4),
            st.sampled_from([1, 2, 4, 8]),
            st.floats(0.01, 0.94),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda model: model.workload,
    )
)
def test_no_card_is_overfull(models: list[Copies]) -> None:
    """Shared cards never exceed what may be reserved; sharing never takes more cards."""
    seats = seated(models, shares=True)
    for card in shared_cards(seats):
        held = sum(seat.fraction_percent for seat in seats if card in seat.cards)
        assert held <= FULL_PERCENT
    assert len(seats) == sum(model.copies for model in models)
    assert cards_of(seats) <= cards_of(seated(models, shares=False))
