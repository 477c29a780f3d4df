"""The price of each option, the cost of the first, and what is said about them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Note, Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue, load_catalogue
from sizing.cost import with_prices
from sizing.engine import size
from sizing.performance import BoundBy, Confidence, Estimate, Performance
from sizing.records import (
    ApiQuote,
    FacilityRecord,
    InstanceRecord,
    PriceBook,
    PriceListRecord,
    PurchaseRecord,
)
from sizing.request import GpuChoice, Mode, SizingRequest
from sizing.spending import Means, Spending

DAY = date(2026, 11, 1)
SOURCED = {"sources": ("a price page",), "checked": date(2026, 11, 30)}
BOOK = PriceBook(
    lists=(
        PriceListRecord(
            id="near-2026-11-01",
            provider="Near",
            region="here",
            dated=DAY,
            instances=(
                InstanceRecord(name="pair", gpu="h100-sxm", gpus=2, price_usd_per_hour=8.38),
                InstanceRecord(name="eight", gpu="l40s", gpus=8, price_usd_per_hour=18.0),
            ),
            **SOURCED,
        ),
    ),
    purchases={
        "h100-sxm": PurchaseRecord(
            gpu="h100-sxm",
            low_usd=25_000,
            typical_usd=27_500,
            high_usd=30_000,
            dated=DAY,
            **SOURCED,
        )
    },
    facility=FacilityRecord(pue=1.5, electricity_usd_per_kwh=0.1, lifetime_years=3, **SOURCED),
)


@pytest.fixture(scope="module")
def priced(catalogue: Catalogue) -> Catalogue:
    return replace(catalogue, prices=BOOK)


def sized(
    catalogue: Catalogue, gpu: str = "h100-sxm", count: int = 2, **more: object
) -> SizingAnswer:
    request = SizingRequest(
        model_id="llama-3.1-70b",
        precision="fp8",
        input_tokens=2000,
        output_tokens=400,
        gpus=(GpuChoice(gpu=gpu, count=count),),
        **more,
    )
    return size(request, catalogue)


def about(typical: float) -> Estimate:
    return Estimate(low=0.8 * typical, typical=typical, high=1.25 * typical)


def speed(**changed: object) -> Performance:
    """Return 1,900 tokens/s with 50 requests of 2,000 + 400 tokens in flight, 3,800 when full."""
    values = {
        "confidence": Confidence.HIGH,
        "concurrent_requests": 50,
        "at_saturation": False,
        "input_tokens": 2000,
        "output_tokens": 400,
        "single_stream_tokens_per_s": about(57),
        "output_tokens_per_s": about(1_900),
        "full_output_tokens_per_s": about(3_800),
        "total_tokens_per_s": about(11_400),
        "prefill_tokens_per_s": about(15_000),
        "requests_per_s": about(4.75),
        "ttft_ms": about(250),
        "itl_ms": about(26),
        "bound_by": BoundBy.WEIGHTS,
        "users_per_replica": None,
    }
    return Performance(**(values | changed))


def with_speed(
    catalogue: Catalogue, found: Performance | None, *, request: SizingRequest | None = None
) -> SizingAnswer:
    """Return the answer about 2 x H100 whose speed is known to be `found`."""
    answer = sized(catalogue)
    bare = replace(catalogue, prices=PriceBook())
    first = sized(bare).options[0].model_copy(update={"performance": found})
    return with_prices(
        answer.model_copy(update={"options": (first,), "assumptions": (), "warnings": ()}),
        request or SizingRequest(),
        catalogue,
    )


def codes(notes: tuple[Note, ...]) -> set[str]:
    return {note.code for note in notes}


def test_two_rented_h100(priced: Catalogue) -> None:
    """8.38 USD / (1,900 x 0.0036) = 1.2251; full 0.6126; 400 of 2,400 tokens: / 6 = 0.2042."""
    cost = with_speed(priced, speed()).cost
    assert cost is not None
    assert cost.at_load is not None
    assert cost.at_full is not None
    assert cost.at_load.rented_usd_per_million_tokens.typical == pytest.approx(1.2251, abs=5e-5)
    assert cost.at_full.rented_usd_per_million_tokens.typical == pytest.approx(0.6126, abs=5e-5)
    assert cost.at_load.rented_blended_usd_per_million_tokens.typical == pytest.approx(
        0.2042, abs=5e-5
    )
    assert cost.rented_usd_per_month == pytest.approx(6_117.40)


def test_two_owned_h100(priced: Catalogue) -> None:
    """A board of four: 110,000 USD / 26,280 h = 4.1857; 2 x 700 W x 1.5 x 0.1 = 0.21: 4.3957 USD.

    / 6.84 million an hour = 0.6426. A month: 110,000 / 36 = 3,055.56, and 0.21 x 730 = 153.30.
    Break-even: 110,000 / 1,095 days = 100.457 USD a day / 8.17 saved an hour = 12.2958 hours.
    """
    cost = with_speed(priced, speed()).cost
    assert cost is not None
    assert cost.at_load.owned_usd_per_million_tokens.typical == pytest.approx(0.6426, abs=5e-5)
    assert cost.purchase_usd_per_month.typical == pytest.approx(3_055.56, abs=5e-3)
    assert cost.electricity_usd_per_month == pytest.approx(153.30)
    assert cost.owned_usd_per_month.typical == pytest.approx(3_208.86, abs=5e-3)
    assert cost.break_even_hours_per_day.typical == pytest.approx(12.2958, abs=5e-5)


def test_the_option_carries_the_price_of_its_tokens(priced: Catalogue) -> None:
    answer = with_speed(priced, speed())
    price = answer.options[0].price
    assert price.rental.instance == "pair"
    assert price.purchase.gpus == 4
    assert price.rented_usd_per_million_tokens == answer.cost.at_load.rented_usd_per_million_tokens
    assert price.owned_usd_per_million_tokens == answer.cost.at_load.owned_usd_per_million_tokens


def test_without_a_load_only_the_full_set_is_told(priced: Catalogue) -> None:
    full = about(3_800)
    answer = with_speed(priced, speed(at_saturation=True, output_tokens_per_s=full))
    assert answer.cost.at_load is None
    assert answer.options[0].price.rented_usd_per_million_tokens.typical == pytest.approx(
        8.38 / (3_800 * 0.0036)
    )


def test_no_more_tokens_are_paid_by_than_arrive(priced: Catalogue) -> None:
    """2 requests a second of 400 tokens are 800 tokens/s: 8.38 / 2.88 = 2.9097 USD, no range."""
    request = SizingRequest(requests_per_s=2)
    rented = with_speed(priced, speed(), request=request).cost.at_load.rented_usd_per_million_tokens
    assert rented.low == rented.high == pytest.approx(2.9097, abs=5e-5)


def test_an_engine_of_one_request_costs_what_that_one_costs(priced: Catalogue) -> None:
    """57 tokens/s: 8.38 / 0.2052 million an hour = 40.84 USD; of several nothing is known."""
    alone = {"output_tokens_per_s": None, "full_output_tokens_per_s": None}
    one = with_speed(priced, speed(concurrent_requests=1, at_saturation=True, **alone)).cost
    assert one.at_load.rented_usd_per_million_tokens.typical == pytest.approx(40.84, abs=5e-3)
    assert one.at_full is None
    assert with_speed(priced, speed(concurrent_requests=2, **alone)).cost is None


def test_without_a_speed_there_is_a_price_and_no_cost(priced: Catalogue) -> None:
    answer = with_speed(priced, None)
    assert answer.cost is None
    assert answer.options[0].price.rental.price_usd_per_hour == 8.38
    assert answer.options[0].price.rented_usd_per_million_tokens is None
    assert codes(answer.assumptions) == set()


def test_what_nobody_prices_is_null_and_said(priced: Catalogue) -> None:
    answer = sized(priced, gpu="gaudi3-pcie", count=1)
    assert answer.options[0].price is None
    assert "no_price" in codes(answer.assumptions)
    assert "old_prices" not in codes(answer.warnings)


def test_an_instance_larger_than_the_set_is_paid_whole(priced: Catalogue) -> None:
    """Four L40S in a server of eight: 18 USD, not 9."""
    rental = sized(priced, gpu="l40s", count=4).options[0].price.rental
    assert (rental.instances, rental.gpus, rental.price_usd_per_hour) == (1, 8, 18.0)


def test_cards_of_which_only_the_rent_is_known(priced: Catalogue) -> None:
    answer = sized(priced, gpu="l40s", count=4, concurrent_requests=8)
    assert answer.options[0].price.purchase is None
    assert answer.cost.at_load.owned_usd_per_million_tokens is None
    assert answer.cost.break_even_hours_per_day is None
    assert codes(answer.assumptions) >= {"energy_terms"}


@pytest.mark.parametrize(
    ("as_of", "is_old"),
    [(None, False), (date(2027, 1, 30), False), (date(2027, 1, 31), True)],
)
def test_prices_age_from_the_day_of_the_question(
    priced: Catalogue, as_of: date | None, is_old: bool
) -> None:
    """1 November is 29 days before the catalogue; 30 January is 90 days after it."""
    answer = sized(priced, as_of=as_of)
    assert answer.options[0].price.rental.is_old is is_old
    assert ("old_prices" in codes(answer.warnings)) is is_old


@pytest.mark.parametrize(
    ("means", "has_rental", "has_purchase"),
    [(None, True, True), (Means.RENT, True, False), (Means.BUY, False, True)],
)
def test_who_rents_is_told_of_rent_alone(
    priced: Catalogue, means: Means | None, has_rental: bool, has_purchase: bool
) -> None:
    price = sized(priced, spending=Spending(means=means)).options[0].price
    assert (price.rental is not None, price.purchase is not None) == (has_rental, has_purchase)


def test_figures_of_the_asker_replace_those_of_the_catalogue(priced: Catalogue) -> None:
    asked = {
        "lifetime_years": 5,
        "hours_per_day": 12,
        "pue": 1.2,
        "electricity_usd_per_kwh": 0.2,
    }
    answer = sized(priced, concurrent_requests=10, spending=Spending(**asked))
    told = next(note for note in answer.assumptions if note.code == "owned_terms")
    assert told.values == asked
    assert answer.cost.terms.model_dump() == asked
    # 8.38 x 12 x 365 / 12
    assert answer.cost.rented_usd_per_month == pytest.approx(3_058.70)


QUOTE = ApiQuote(
    source="a table 1.0",
    dated=DAY,
    hosts=3,
    input_low_usd_per_million_tokens=0.1,
    input_usd_per_million_tokens=0.3,
    input_high_usd_per_million_tokens=0.6,
    output_low_usd_per_million_tokens=0.4,
    output_usd_per_million_tokens=0.9,
    output_high_usd_per_million_tokens=1.2,
)


def test_hosts_are_held_against_the_same_tokens(priced: Catalogue) -> None:
    """5 of 6 tokens are read: (5 x 0.3 + 0.9) / 6 = 0.4 USD a million, 0.15 to 0.7.

    A full set costs 8.38 / (3,800 x 0.0036 x 6) = 0.1021 a million: cheaper from 0.1021 / 0.4 =
    25.5 % of its tokens on; at the worst 0.1276 / 0.15 = 85.1 %.
    """
    request = SizingRequest(spending=Spending(api_quote=QUOTE, wants_api=True))
    api = with_speed(priced, speed(), request=request).cost.api
    blended, share = api.blended_usd_per_million_tokens, api.break_even_share
    assert blended.low == pytest.approx(0.15)
    assert blended.typical == pytest.approx(0.4)
    assert blended.high == pytest.approx(0.7)
    assert share.typical == pytest.approx(0.2552, abs=5e-5)
    assert share.high == pytest.approx(0.8508, abs=5e-4)


def test_hosts_without_a_rent_to_hold_against(priced: Catalogue) -> None:
    request = SizingRequest(spending=Spending(api_quote=QUOTE, wants_api=True))
    bare = replace(priced, prices=replace(BOOK, lists=()))
    assert with_speed(bare, speed(), request=request).cost.api.break_even_share is None


def test_a_wish_for_hosts_that_nobody_fulfils_is_said(priced: Catalogue) -> None:
    assert "no_api_price" in codes(sized(priced, spending=Spending(wants_api=True)).assumptions)
    assert "no_api_price" not in codes(sized(priced).assumptions)


@pytest.mark.parametrize(
    ("budget", "means", "code"),
    [
        (120_000, None, "purchase_kept"),
        (119_999, None, "purchase_near"),
        (100_000, Means.BUY, "purchase_near"),
        (99_999, None, "purchase_broken"),
        (6_118, Means.RENT, "rent_kept"),
        (6_117, Means.RENT, "rent_broken"),
    ],
)
def test_the_budget_is_held_against_the_price(
    priced: Catalogue, budget: float, means: Means | None, code: str
) -> None:
    """The board of four costs 100,000 to 120,000 USD; a month of rent 6,117.40."""
    answer = sized(priced, budget_usd=budget, spending=Spending(means=means))
    assert code in codes(answer.options[0].reasons)
    assert "option_not_covered" not in codes(answer.warnings)


def test_a_budget_without_a_price_is_not_called_kept(priced: Catalogue) -> None:
    reasons = codes(sized(priced, gpu="l40s", count=4, budget_usd=1e9).options[0].reasons)
    assert "budget_unknown" in reasons
    assert not reasons & {"purchase_kept", "rent_kept"}


def test_nothing_is_said_about_the_price_of_what_does_not_run(priced: Catalogue) -> None:
    answer = sized(priced, gpu="t4", count=1, budget_usd=1_000)
    assert answer.options[0].verdict is Verdict.DOES_NOT_FIT
    said = codes((*answer.assumptions, *answer.warnings, *answer.options[0].reasons))
    assert not said & {"no_price", "old_prices", "budget_unknown", "purchase_kept"}


def test_slices_are_paid_as_the_cards_they_are_cut_from(priced: Catalogue) -> None:
    """Three slices 1g.10gb, of which a card gives seven, stand on one card: one pair is rented."""
    request = SizingRequest(
        model_id="qwen2.5-0.5b",
        gpus=(GpuChoice(gpu="h100-sxm", count=3, mig_profile="1g.10gb"),),
    )
    option = size(request, priced).options[0]
    assert (option.gpus, option.mig_profile) == (3, "1g.10gb")
    assert (option.price.rental.instances, option.price.purchase.gpus) == (1, 4)


def test_unequal_cards_have_no_price(priced: Catalogue) -> None:
    request = SizingRequest(
        model_id="llama-3.1-8b",
        gpus=(GpuChoice(gpu="rtx-3090", count=1), GpuChoice(gpu="rtx-4090", count=1)),
        mixed_gpus=True,
    )
    answer = size(request, priced)
    assert answer.options[0].cards
    assert answer.options[0].price is None
    assert "no_price" not in codes(answer.assumptions)


def test_a_card_named_by_its_memory_has_no_price(priced: Catalogue) -> None:
    request = SizingRequest(model_id="llama-3.1-8b", gpus=(GpuChoice(memory_gb=48, count=1),))
    answer = size(request, priced)
    assert answer.options[0].price is None
    assert "no_price" not in codes(answer.assumptions)


def test_other_work_has_prices_too(priced: Catalogue) -> None:
    training = SizingRequest(
        model_id="llama-3.1-8b", mode=Mode.QLORA, gpus=(GpuChoice(gpu="h100-sxm", count=2),)
    )
    pictures = SizingRequest(model_id="sdxl-base-1.0", gpus=(GpuChoice(gpu="h100-sxm", count=1),))
    for request in (training, pictures):
        answer = size(request, priced)
        assert answer.options[0].price.rental.instance == "pair"
        assert answer.cost is None


def test_a_catalogue_without_prices_prices_nothing(catalogue: Catalogue) -> None:
    answer = sized(replace(catalogue, prices=PriceBook()), concurrent_requests=4)
    assert all(option.price is None for option in answer.options)
    assert answer.cost.terms is None
    assert answer.cost.at_load.rented_usd_per_million_tokens is None
    assert answer.cost.at_load.energy_wh_per_thousand_tokens is None


def test_without_figures_of_the_site_owning_has_no_cost(priced: Catalogue) -> None:
    bare = replace(priced, prices=replace(BOOK, facility=None))
    answer = sized(bare, concurrent_requests=4)
    assert answer.options[0].price.purchase is not None
    assert answer.cost.owned_usd_per_month is None
    assert answer.cost.at_load.owned_usd_per_million_tokens is None


CATALOGUE = load_catalogue()


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "qwen3-32b"]),
    st.sampled_from(["l40s", "h100-sxm", "l4", "b200-sxm", "a100-sxm-80"]),
    st.integers(1, 8),
    st.integers(1, 64),
    st.floats(1, 24),
    st.floats(0.01, 1),
)
def test_parts_sum_and_bounds_ascend(
    model: str, gpu: str, count: int, users: int, hours: float, kwh: float
) -> None:
    """A full set is never dearer a token; a month is the sum of its parts; bounds ascend."""
    request = SizingRequest(
        model_id=model,
        precision="int4",
        concurrent_requests=users,
        gpus=(GpuChoice(gpu=gpu, count=count),),
        spending=Spending(hours_per_day=hours, electricity_usd_per_kwh=kwh),
    )
    answer = size(request, CATALOGUE)
    cost = answer.cost
    if cost is None:
        return
    if cost.owned_usd_per_month is not None:
        for (_, part), (_, total) in zip(
            cost.purchase_usd_per_month, cost.owned_usd_per_month, strict=True
        ):
            assert total == pytest.approx(part + cost.electricity_usd_per_month)
    for running in filter(None, (cost.at_load, cost.at_full)):
        for _, figure in running:
            assert figure is None or figure.low <= figure.typical <= figure.high


def test_every_option_of_a_common_question_is_rented_whole(catalogue: Catalogue) -> None:
    """What is rented holds at least the GPUs of the option."""
    options: tuple[Option, ...] = size(SizingRequest(model_id="llama-3.1-70b"), catalogue).options
    rentals = [(option, option.price.rental) for option in options if option.price]
    assert any(rental for _, rental in rentals)
    for option, rental in rentals:
        assert rental is None or rental.gpus >= option.gpus
