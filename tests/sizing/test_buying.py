"""Which instances hold a set, what they cost together, and what buying the cards costs."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.buying import (
    FRESH,
    Wanted,
    cheapest_rental,
    instances_needed,
    purchase_of,
    sold_gpus,
)
from sizing.catalogue import Catalogue, load_catalogue
from sizing.records import InstanceRecord, PriceBook, PriceListRecord, PurchaseRecord

DAY = date(2026, 9, 1)
L40S = load_catalogue().gpus["l40s"]
SOURCED = {"sources": ("a price page",), "checked": date(2026, 11, 30)}


def prices(
    provider: str, *instances: tuple[str, int, float], dated: date = DAY, gpu: str = "h100-sxm"
) -> PriceListRecord:
    return PriceListRecord(
        id=f"{provider}-{dated}".lower(),
        provider=provider,
        region="here",
        dated=dated,
        instances=tuple(
            InstanceRecord(name=name, gpu=gpu, gpus=gpus, price_usd_per_hour=usd)
            for name, gpus, usd in instances
        ),
        **SOURCED,
    )


def h100s(catalogue: Catalogue, copies: int, gpus_per_copy: int) -> Wanted:
    return Wanted(catalogue.gpus["h100-sxm"], copies, gpus_per_copy)


@pytest.mark.parametrize(
    ("copies", "gpus_per_copy", "instance_gpus", "needed"),
    [
        (1, 2, 2, 1),
        (1, 2, 1, None),  # one GPU each: no link joins them
        (1, 2, 8, 1),  # six of the eight stay idle
        (3, 1, 1, 3),
        (3, 2, 4, 2),  # two copies in the first, one in the second
        (2, 3, 4, 2),  # one copy of three in each, a GPU left over
        (1, 16, 8, 2),  # a copy over two whole servers
        (2, 16, 8, 4),
        (1, 16, 4, None),  # half servers do not make one
        (1, 16, 16, 1),
    ],
)
def test_whole_groups_stay_inside_an_instance(
    catalogue: Catalogue, copies: int, gpus_per_copy: int, instance_gpus: int, needed: int | None
) -> None:
    assert instances_needed(h100s(catalogue, copies, gpus_per_copy), instance_gpus) == needed


def test_a_copy_larger_than_a_tray_takes_whole_trays(catalogue: Catalogue) -> None:
    """A tray of a GB200 rack has 4 GPUs: two of them hold a copy on 8."""
    assert instances_needed(Wanted(catalogue.gpus["gb200"], 1, 8), 4) == 2


def test_the_lowest_price_of_the_whole_set_wins(catalogue: Catalogue) -> None:
    """Three copies on 2 GPUs each: 3 x 9 = 27 USD, or one server of 8 at 26 USD."""
    book = PriceBook(lists=(prices("Near", ("pair", 2, 9.0)), prices("Wide", ("eight", 8, 26.0))))
    found = cheapest_rental(h100s(catalogue, 3, 2), book, DAY)
    assert found is not None
    assert (found.provider, found.instance, found.instances, found.gpus) == ("Wide", "eight", 1, 8)
    assert found.price_usd_per_hour == 26.0
    two = cheapest_rental(h100s(catalogue, 2, 2), book, DAY)
    assert two is not None
    assert (two.instance, two.instances, two.gpus, two.price_usd_per_hour) == ("pair", 2, 4, 18.0)


def test_a_newer_list_of_the_same_place_counts(catalogue: Catalogue) -> None:
    """A price that rose is not undercut by the one it replaced, in whatever order they stand."""
    older, newer = (
        prices("Near", ("pair", 2, usd), dated=dated)
        for usd, dated in ((7.0, date(2026, 6, 18)), (9.0, date(2026, 11, 9)))
    )
    for lists in ((older, newer), (newer, older)):
        found = cheapest_rental(h100s(catalogue, 1, 2), PriceBook(lists=lists), DAY)
        assert found is not None
        assert (found.price_usd_per_hour, found.dated) == (9.0, date(2026, 11, 9))


def test_what_nobody_rents_has_no_price(catalogue: Catalogue) -> None:
    book = PriceBook(lists=(prices("Near", ("single", 1, 4.0)),))
    assert cheapest_rental(h100s(catalogue, 1, 2), book, DAY) is None
    assert cheapest_rental(Wanted(catalogue.gpus["l4"], 1, 1), book, DAY) is None
    assert cheapest_rental(h100s(catalogue, 1, 1), PriceBook(), DAY) is None


@pytest.mark.parametrize(("days", "is_old"), [(0, False), (90, False), (91, True)])
def test_a_price_ages_after_ninety_days(catalogue: Catalogue, days: int, is_old: bool) -> None:
    book = PriceBook(
        lists=(prices("Near", ("single", 1, 4.0)),), purchases={"h100-sxm": bought("h100-sxm")}
    )
    wanted, today = h100s(catalogue, 1, 1), DAY + timedelta(days=days)
    rental, purchase = cheapest_rental(wanted, book, today), purchase_of(wanted, book, today)
    assert rental is not None
    assert purchase is not None
    assert (rental.is_old, purchase.is_old) == (is_old, is_old)
    assert timedelta(days=90) == FRESH


def bought(gpu: str) -> PurchaseRecord:
    return PurchaseRecord(
        gpu=gpu, low_usd=25_000, typical_usd=27_500, high_usd=30_000, dated=DAY, **SOURCED
    )


@pytest.mark.parametrize(
    ("gpu", "gpus", "sold"),
    [
        ("l40s", 3, 3),
        ("h100-sxm", 1, 4),  # on boards of 4 or 8
        ("h100-sxm", 4, 4),
        ("h100-sxm", 5, 8),
        ("h100-sxm", 9, 16),
        ("b200-sxm", 2, 8),
    ],
)
def test_whole_boards_are_bought(catalogue: Catalogue, gpu: str, gpus: int, sold: int) -> None:
    assert sold_gpus(catalogue.gpus[gpu], gpus) == sold


def test_the_price_of_cards_is_that_of_whole_boards(catalogue: Catalogue) -> None:
    """Two H100 SXM take a board of four: 4 x 27,500 = 110,000 USD."""
    book = PriceBook(purchases={"h100-sxm": bought("h100-sxm")})
    found = purchase_of(h100s(catalogue, 1, 2), book, DAY)
    assert found is not None
    assert found.gpus == 4
    low, typical, high = (bound for _, bound in found.price_usd)
    assert (low, typical, high) == (100_000, 110_000, 120_000)


def test_a_card_with_two_devices_is_paid_once(catalogue: Catalogue) -> None:
    """An MI250X shows two devices: eight of them, the smallest board, are four cards."""
    book = PriceBook(purchases={"mi250x": bought("mi250x")})
    found = purchase_of(Wanted(catalogue.gpus["mi250x"], 1, 2), book, DAY)
    assert found is not None
    assert (found.gpus, found.price_usd.typical) == (8, 4 * 27_500)


def test_a_card_without_a_price_is_not_free(catalogue: Catalogue) -> None:
    assert purchase_of(h100s(catalogue, 1, 1), PriceBook(), DAY) is None


@given(st.integers(1, 12), st.sampled_from([1, 2, 4, 8, 16]), st.sampled_from([1, 2, 4, 8]))
def test_instances_hold_what_is_wanted(copies: int, gpus_per_copy: int, gpus: int) -> None:
    wanted = Wanted(L40S, copies, gpus_per_copy)
    needed = instances_needed(wanted, gpus)
    assert needed is None or needed * gpus >= wanted.gpus
