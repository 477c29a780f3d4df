"""What goes before what: wishes, budget, servers, price, size; and which sets carry a mark."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.engine import size
from sizing.ordering import MOST_OPTIONS, Order, PaidSet, Place, Purse, first_of
from sizing.price import Basis, amount_usd
from sizing.records import (
    FacilityRecord,
    InstanceRecord,
    PriceBook,
    PriceListRecord,
    PurchaseRecord,
)
from sizing.request import Goal, GpuChoice, Mode, SizingRequest, Targets
from sizing.spending import Means, Spending

DAY = date(2026, 11, 1)
SOURCED = {"sources": ("a price page",), "checked": date(2026, 11, 30)}
RENT, BUY = Spending(means=Means.RENT), Spending(means=Means.BUY)


def card(gpu: str, usd: float) -> PurchaseRecord:
    """Return a price of 25 % to either side."""
    return PurchaseRecord(
        gpu=gpu, low_usd=0.75 * usd, typical_usd=usd, high_usd=1.25 * usd, dated=DAY, **SOURCED
    )


BOOK = PriceBook(
    lists=(
        PriceListRecord(
            id="near-2026-11-01",
            provider="Near",
            region="here",
            dated=DAY,
            instances=(
                InstanceRecord(name="four", gpu="h100-sxm", gpus=4, price_usd_per_hour=8.0),
                InstanceRecord(name="one", gpu="l40s", gpus=1, price_usd_per_hour=1.0),
            ),
            **SOURCED,
        ),
    ),
    purchases={"l40s": card("l40s", 7_200), "l4": card("l4", 1_800)},
    facility=FacilityRecord(pue=1.5, electricity_usd_per_kwh=0.1, lifetime_years=3, **SOURCED),
)


@pytest.fixture(scope="module")
def priced(catalogue: Catalogue) -> Catalogue:
    return replace(catalogue, prices=BOOK)


def paid(gpu: str, gpus: int = 1, *, replicas: int = 1, servers: int = 1) -> PaidSet:
    power_w = {"l40s": 350.0, "l4": 72.0, "h100-sxm": 700.0}.get(gpu)
    return PaidSet(gpu, None, gpus, replicas, servers, power_w and power_w * gpus)


def place(catalogue: Catalogue, one: PaidSet, **fields: object) -> Place:
    return Purse(SizingRequest(model_id="llama-3.1-8b", **fields), catalogue).place(one)


class TestPlaces:
    def test_a_month_costs_the_cheaper_way(self, priced: Catalogue) -> None:
        """L40S owned: 7,200 / 36 = 200, 350 W x 1.5 x 0.1 = 0.0525 USD an hour x 730 = 38.325.

        Rented 1 USD x 730 = 730; two hours a day 60.83, owned then 200 + 3.19.
        """
        assert place(priced, paid("l40s")) == (0, 1, False, pytest.approx(238.325))
        part = place(priced, paid("l40s"), spending=Spending(hours_per_day=2))
        assert part.usd == pytest.approx(60.8333, abs=1e-4)

    def test_rented_by_the_hour(self, priced: Catalogue) -> None:
        """Two of four H100 pay for four; an L4 that nobody rents has no price at all."""
        assert place(priced, paid("h100-sxm", 2), spending=RENT) == (0, 1, False, 8.0)
        assert place(priced, paid("l4"), spending=RENT) == (0, 1, True, inf)

    def test_bought_by_the_cards(self, priced: Catalogue) -> None:
        assert place(priced, paid("l4", 2), spending=BUY).usd == 3_600
        assert place(priced, paid("h100-sxm", 4), spending=BUY).is_unpriced

    def test_servers_count_where_the_price_leaves_them_out(self, priced: Catalogue) -> None:
        """Sixteen copies in two servers: rented they come with the price, one in each instance."""
        copies = paid("l40s", 16, replicas=16, servers=2)
        assert place(priced, copies).servers == 2
        assert place(priced, copies, spending=BUY).servers == 2
        assert place(priced, copies, spending=RENT).servers == 1
        whole = paid("l40s", 16, servers=2)
        assert place(priced, whole, spending=RENT).servers == 2

    @pytest.mark.parametrize(
        ("budget_usd", "expected"), [(9_000, 0), (8_999, 1), (5_400, 1), (5_399, 2)]
    )
    def test_a_budget_is_held_against_the_bounds(
        self, priced: Catalogue, budget_usd: float, expected: int
    ) -> None:
        """5,400 to 9,000 USD for the card."""
        assert place(priced, paid("l40s"), budget_usd=budget_usd).budget == expected

    @pytest.mark.parametrize(("budget_usd", "expected"), [(730, 0), (729, 2)])
    def test_a_budget_of_rent_is_a_month(
        self, priced: Catalogue, budget_usd: float, expected: int
    ) -> None:
        found = place(priced, paid("l40s"), budget_usd=budget_usd, spending=RENT)
        assert found.budget == expected

    def test_what_has_no_price_is_never_inside_a_budget(self, priced: Catalogue) -> None:
        assert place(priced, paid("h100-sxm", 4), budget_usd=10**9).budget == 3
        assert place(priced, paid("any-24gb"), budget_usd=10**9, spending=RENT).budget == 3

    def test_without_a_facility_only_rent_is_known(self, priced: Catalogue) -> None:
        bare = replace(priced, prices=replace(BOOK, facility=None))
        assert place(bare, paid("l40s")).usd == 730
        assert place(bare, paid("l4")).is_unpriced

    def test_the_most_of_something_is_not_weighed_by_money(self, priced: Catalogue) -> None:
        found = place(priced, paid("l40s"), goal=Goal.MAX_REQUESTS, spending=RENT)
        assert found.is_unpriced
        assert found.servers == 0


class Row:
    """A set that costs so much: key and id are its name."""

    def __init__(self, name: str, gpus: int, *, wishes: int = 0, servers: int = 1) -> None:
        self.key = name
        self.gpus, self.wishes, self.servers = gpus, wishes, servers


def order(catalogue: Catalogue, **fields: object) -> Order[Row]:
    return Order(
        Purse(SizingRequest(model_id="llama-3.1-8b", **fields), catalogue),
        paid=lambda row: paid(row.key.split("/")[0], row.gpus, servers=row.servers),
        size=lambda row: (row.gpus, 24.0 * row.gpus, False, 0.0, row.key),
        wishes=lambda row: row.wishes,
    )


def names(rows: list[Row]) -> list[str]:
    return [row.key for row in rows]


class TestOrder:
    def test_wishes_then_servers_then_price_and_unpriced_last(self, priced: Catalogue) -> None:
        """A month: 4 x L4 231.5 USD, L40S 238.3; rented H100 5,840; nobody sells the A16."""
        rows = [
            Row("a16", 1),
            Row("h100-sxm", 4),
            Row("l40s", 1),
            Row("l4", 4),
            Row("l4/spread", 2, servers=2),
            Row("l4/slow", 1, wishes=2),
            Row("l4/unknown", 1, wishes=1),
        ]
        assert names(order(priced).by_money(rows)) == [
            "l4", "l40s", "h100-sxm", "a16", "l4/spread", "l4/unknown", "l4/slow",
        ]  # fmt: skip

    def test_the_smallest_has_a_price_where_one_of_its_number_has(self, priced: Catalogue) -> None:
        rows = [Row("l4", 2), Row("a16", 1), Row("l40s", 1)]
        assert names(order(priced).by_size(rows)) == ["l40s", "a16", "l4"]

    def test_a_budget_goes_before_size(self, priced: Catalogue) -> None:
        """Two L4 cost 4,500 USD at most, an L40S 5,400 at least."""
        rows = [Row("l40s", 1), Row("l4", 2)]
        assert names(order(priced, budget_usd=4_500).by_size(rows)) == ["l4", "l40s"]

    def test_marks_lead_unless_renting_or_buying_was_asked_for(self, priced: Catalogue) -> None:
        l40s, l4 = Row("l40s", 1), Row("l4", 2)
        assert names(order(priced).listed([l40s], [l4])) == ["l40s", "l4"]
        assert names(order(priced, spending=BUY).listed([l40s], [l4])) == ["l4", "l40s"]

    def test_one_price_is_not_the_cheapest(self, priced: Catalogue) -> None:
        found = order(priced)
        assert found.cheapest([Row("l4", 2), Row("l4", 2), Row("a16", 1)]) == []
        assert names(found.cheapest([Row("l40s", 1), Row("l4", 2)])) == ["l4"]


def test_marked_rows_are_never_cut_off() -> None:
    rows = [Row(str(number), 1) for number in range(20)]
    kept = names(first_of(rows, [rows[19], rows[12]]))
    assert kept == [*map(str, range(8)), "12", "19"]
    assert len(first_of(rows, [])) == MOST_OPTIONS


def asked(catalogue: Catalogue, **fields: object) -> SizingAnswer:
    return size(
        SizingRequest(**{"model_id": "llama-2-13b", "precision": "int8"} | fields), catalogue
    )


def marked(found: SizingAnswer, code: str) -> list[Option]:
    return [one for one in found.options if code in {reason.code for reason in one.reasons}]


def prices(found: SizingAnswer, options: tuple[Option, ...]) -> list[float]:
    amounts = [each.price and amount_usd(each.price, found.ordered_by) for each in options]
    return [inf if amount is None else amount for amount in amounts]


@pytest.mark.parametrize(
    ("means", "basis"), [(Means.RENT, Basis.RENT), (Means.BUY, Basis.PURCHASE)]
)
def test_asked_for_money_the_cheapest_goes_first(catalogue, means, basis) -> None:
    found = asked(catalogue, spending=Spending(means=means))
    assert found.ordered_by is basis
    usd = prices(found, found.options)
    assert usd == sorted(usd)
    assert marked(found, "cheapest") == [found.options[0]]
    assert len(marked(found, "smallest")) == len(marked(found, "recommended")) == 1


def test_unasked_the_smallest_and_the_recommended_lead(catalogue) -> None:
    found = asked(catalogue)
    assert found.ordered_by is Basis.MONTH
    assert marked(found, "smallest") == [found.options[0]]
    assert marked(found, "recommended") == [found.options[1]]
    assert marked(found, "cheapest") == [found.options[2]]
    usd = prices(found, found.options[2:])
    assert usd == sorted(usd)
    assert usd[0] == min(prices(found, found.options))


def test_named_sets_stay_first_however_dear(catalogue) -> None:
    gpus = (GpuChoice(gpu="h100-sxm", count=8), GpuChoice(gpu="l40s", count=2))
    found = asked(catalogue, gpus=gpus, spending=RENT)
    assert [one.gpu for one in found.options[:2]] == ["h100-sxm", "l40s"]
    assert marked(found, "cheapest")[0] not in found.options[:2]


def test_sets_that_keep_the_wishes_go_before_those_of_unknown_speed(catalogue) -> None:
    """No speed is named of the RTX PRO 4500 Server, the smallest by memory."""
    found = asked(
        catalogue,
        model_id="llama-3.1-70b",
        precision="int4",
        context_tokens=8192,
        concurrent_requests=16,
        targets=Targets(ttft_ms=1000, itl_ms=50),
    )
    known = [one.performance is not None for one in found.options]
    assert known == sorted(known, reverse=True)
    assert found.options[0].performance.ttft_ms.typical <= 1000
    assert marked(found, "smallest") == [found.options[0]]


def test_sets_inside_the_budget_go_first_and_each_says_so(catalogue) -> None:
    found = asked(catalogue, model_id="llama-3.1-70b", precision="fp8", budget_usd=20_000)
    verdicts = [
        {"purchase_kept": 0, "purchase_near": 1, "purchase_broken": 2, "budget_unknown": 3}[code]
        for one in found.options
        for code in (reason.code for reason in one.reasons)
        if code.startswith(("purchase_", "budget_"))
    ]
    assert len(verdicts) == len(found.options)
    assert verdicts == sorted(verdicts)
    assert verdicts[0] == 0


def test_training_runs_and_passes_are_ordered_too(catalogue) -> None:
    for fields in ({"model_id": "flux.1-dev"}, {"model_id": "llama-3.1-8b", "mode": Mode.QLORA}):
        found = size(SizingRequest(**fields, spending=BUY), catalogue)
        usd = prices(found, found.options)
        assert usd == sorted(usd)
        assert marked(found, "cheapest") == [found.options[0]]


def test_the_most_of_something_keeps_its_order(catalogue) -> None:
    found = asked(catalogue, goal=Goal.MAX_REQUESTS, spending=BUY)
    assert found.ordered_by is Basis.SIZE
    assert marked(found, "cheapest") == []
    assert [one.gpus for one in found.options[2:]] == sorted(one.gpus for one in found.options[2:])


CATALOGUE = load_catalogue()


@settings(max_examples=25, deadline=None)
@given(
    model_id=st.sampled_from(["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b"]),
    users=st.sampled_from([1, 8, 64]),
    means=st.sampled_from([None, Means.RENT, Means.BUY]),
    budget_usd=st.sampled_from([None, 3_000.0, 50_000.0]),
)
def test_marks_are_on_sets_that_fit_and_that_are_listed(model_id, users, means, budget_usd) -> None:
    found = asked(
        CATALOGUE,
        model_id=model_id,
        precision="fp8",
        concurrent_requests=users,
        spending=Spending(means=means),
        budget_usd=budget_usd,
    )
    assert 0 < len(found.options) <= MOST_OPTIONS
    for code in ("smallest", "recommended", "cheapest"):
        (one,) = marked(found, code)
        assert one.verdict is Verdict.FITS
    dearest = prices(found, tuple(marked(found, "cheapest")))
    if budget_usd is None:
        inside = [o for o in found.options if o.nodes == marked(found, "cheapest")[0].nodes]
        assert dearest[0] == min(prices(found, tuple(inside)))
