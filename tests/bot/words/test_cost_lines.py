"""The line about costs, and what stands behind it, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from bot.contract import to_contract
from bot.labels import Labels
from bot.messages import load_messages
from bot.render import Renderer
from sizing.catalogue import load_catalogue
from sizing.cost import with_prices
from sizing.engine import size
from sizing.performance import BoundBy, Confidence, Estimate, Performance
from sizing.records import (
    FacilityRecord,
    InstanceRecord,
    PriceBook,
    PriceListRecord,
    PurchaseRecord,
)
from sizing.request import GpuChoice, SizingRequest
from sizing.spending import Means, Spending

DAY = date(2026, 11, 1)
SOURCED = {"sources": ("a price page",), "checked": date(2026, 11, 30)}
REQUEST = SizingRequest(
    model_id="llama-3.1-70b",
    precision="fp8",
    input_tokens=2000,
    output_tokens=400,
    concurrent_requests=50,
    gpus=(GpuChoice(gpu="h100-sxm", count=4),),
)


def _prices(*, rent=16.0, low=25_000, typical=27_500, high=30_000, gpus=4):
    instance = InstanceRecord(name="node", gpu="h100-sxm", gpus=gpus, price_usd_per_hour=rent)
    return PriceBook(
        lists=(
            PriceListRecord(
                id="near-2026-11-01",
                provider="Near",
                region="here",
                dated=DAY,
                instances=(instance,),
                **SOURCED,
            ),
        ),
        purchases={
            "h100-sxm": PurchaseRecord(
                gpu="h100-sxm",
                low_usd=low,
                typical_usd=typical,
                high_usd=high,
                dated=DAY,
                **SOURCED,
            )
        },
        facility=FacilityRecord(pue=1.5, electricity_usd_per_kwh=0.1, lifetime_years=3, **SOURCED),
    )


def _about(typical):
    return Estimate(low=0.8 * typical, typical=typical, high=1.25 * typical)


def _speed(**changed):
    figures = {
        name: _about(value)
        for name, value in {
            "single_stream_tokens_per_s": 80,
            "output_tokens_per_s": 2_000,
            "full_output_tokens_per_s": 4_000,
            "total_tokens_per_s": 12_000,
            "prefill_tokens_per_s": 30_000,
            "requests_per_s": 5,
            "ttft_ms": 200,
            "itl_ms": 25,
        }.items()
    }
    values = {
        "confidence": Confidence.HIGH,
        "concurrent_requests": 50,
        "at_saturation": False,
        "input_tokens": 2000,
        "output_tokens": 400,
        "bound_by": BoundBy.WEIGHTS,
        "users_per_replica": None,
    }
    return Performance(**(values | figures | changed))


@pytest.fixture(scope="module")
def real_catalogue():
    return load_catalogue()


@pytest.fixture(scope="module")
def answered(real_catalogue):
    """Return an answer about 4 x H100 whose speed and prices are told, not computed."""
    bare = size(REQUEST, replace(real_catalogue, prices=PriceBook()))

    def answer(speed=None, book=None, **asked):
        catalogue = replace(real_catalogue, prices=book or _prices())
        first = bare.options[0].model_copy(update={"performance": speed, "reasons": ()})
        plain = bare.model_copy(update={"options": (first,), "assumptions": (), "warnings": ()})
        request = REQUEST.model_copy(update={"as_of": date(2026, 11, 30)} | asked)
        return catalogue, with_prices(plain, request, catalogue)

    return answer


def _lines(answered, language, *starts, **asked):
    catalogue, answer = answered(**asked)
    page = Renderer(catalogue).answer(answer, language, "A-1")
    return [line for line in page.splitlines() if line.startswith(starts)]


# 16 USD / (2,000 x 0.0036) = 2.2222, full 1.1111. Owned: 110,000 / 26,280 + 4 x 0.7 x 1.5 x 0.1
# = 4.6057 USD an hour: / 7.2 = 0.6397, full 0.3198. Energy: 4,200 W / 2,000 / 3.6 = 0.5833 Wh.
# Break-even: 110,000 / 1,095 / (16 - 0.42) = 6.448 hours.
EXPECTED = {
    "en": "**Cost** per million output tokens: rented USD 2.2 (1.8–2.8), USD 1.1 (0.89–1.4) when"
    " full, on 1 × node of Near at USD 16.00 an hour (2026-11-01) · bought USD 0.64 (0.47–0.87),"
    " USD 0.32 (0.23–0.43) when full, for 4 cards at USD 110,000 (100,000–120,000) · energy"
    " 0.58 (0.47–0.73) Wh per thousand tokens · the cards pay for themselves from 6.4 (5.9–7.0)"
    " hours of use a day.",
    "es": "**Costo** por millón de tokens de salida: en alquiler USD 2,2 (1,8–2,8), USD 1,1"
    " (0,89–1,4) con el conjunto lleno, en 1 × node de Near a USD 16,00 por hora (2026-11-01)"
    " · en compra USD 0,64 (0,47–0,87), USD 0,32 (0,23–0,43) con el conjunto lleno, por 4"
    " tarjetas a USD 110.000 (100.000–120.000) · energía 0,58 (0,47–0,73) Wh por mil tokens"
    " · las tarjetas se amortizan desde 6,4 (5,9–7,0) horas de uso al día.",
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_whole_line(answered, language):
    assert _lines(answered, language, "**Cost", speed=_speed()) == [EXPECTED[language]]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            "> Bought means the cards alone, over 3 years of 24 hours a day, at their full power "
            "with a PUE of 1.50 and USD 0.10 per kWh: no server, network, staff or support.",
        ),
        (
            "es",
            "> La compra es solo de las tarjetas, en 3 años de 24 horas al día, a plena potencia "
            "con un PUE de 1,50 y USD 0,10 por kWh: sin servidor, red, personal ni soporte.",
        ),
    ],
)
def test_what_owning_leaves_out_is_said(answered, language, words):
    assert words in _lines(answered, language, ">", speed=_speed())


def test_without_a_load_the_full_set_alone_is_told(answered):
    (line,) = _lines(
        answered,
        "en",
        "**Cost",
        speed=_speed(at_saturation=True, output_tokens_per_s=_about(4_000)),
    )
    assert "rented USD 1.1 (0.89–1.4) when full, on 1 × node" in line


def test_without_a_speed_the_prices_stand_alone(answered):
    assert _lines(answered, "en", "**Price") == [
        "**Price**: rented USD 16.00 an hour: 1 × node of Near (2026-11-01) · bought 4 cards at "
        "USD 110,000 (100,000–120,000)."
    ]
    assert _lines(answered, "es", "**Precio") == [
        "**Precio**: en alquiler USD 16,00 por hora: 1 × node de Near (2026-11-01) · en compra "
        "4 tarjetas a USD 110.000 (100.000–120.000)."
    ]


def test_more_gpus_than_asked_are_named(answered):
    (line,) = _lines(answered, "en", "**Cost", speed=_speed(), book=_prices(gpus=8))
    assert "on 1 × node of Near with 8 GPUs at USD 16.00 an hour" in line


@pytest.mark.parametrize(
    ("rent", "ends"),
    [
        # 110,000 / 1,095 / (r - 0.42) hours: 24 at r = 4.606; below 0.42 an hour owned costs more
        (4.7, "pay for themselves from 23 (21–26) hours of use a day."),
        (4.5, "renting stays cheaper at any hours of use."),
        (0.4, "renting stays cheaper at any hours of use."),
    ],
)
def test_whether_buying_ever_pays(answered, rent, ends):
    (line,) = _lines(answered, "en", "**Cost", speed=_speed(), book=_prices(rent=rent))
    assert line.endswith(ends)


@pytest.mark.parametrize(
    ("means", "there", "missing"),
    [(Means.RENT, "rented", ("bought", "pay")), (Means.BUY, "bought", ("rented", "pay"))],
)
def test_one_way_alone(answered, means, there, missing):
    (line,) = _lines(answered, "en", "**Cost", speed=_speed(), spending=Spending(means=means))
    assert there in line
    assert not any(word in line for word in missing)


def test_old_prices_are_marked(answered):
    asked = {"speed": _speed(), "as_of": date(2027, 1, 31)}
    assert _lines(answered, "es", "⚠️", **asked) == [
        "⚠️ Hay precios de hace más de 90 días (el más antiguo, del 2026-11-01): consúltelos de "
        "nuevo antes de presupuestar."
    ]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "> No price of H100 SXM 80 GB is known: ask for a quote."),
        ("es", "> No se conoce precio de H100 SXM 80 GB: pida una cotización."),
    ],
)
def test_no_price_is_not_zero(answered, language, words):
    lines = _lines(answered, language, "**Cost", "**Pr", ">", speed=_speed(), book=PriceBook())
    assert lines.count(words) == 1
    assert all(line.startswith(">") for line in lines)


@pytest.mark.parametrize(
    ("budget", "means", "words"),
    [
        (120e3, None, "✅ Inside the budget of USD 120,000: the cards cost USD 120,000 at most."),
        (110e3, None, "⚠️ The budget of USD 110,000 may not do: the cards cost USD 100,000 to USD"),
        (99e3, None, "❌ Beyond the budget of USD 99,000: the cards cost at least USD 100,000."),
        (
            5e3,
            Means.RENT,
            "❌ Beyond the budget of USD 5,000 a month: 24 hours a day cost USD 11,680.",
        ),
    ],
)
def test_the_budget(answered, budget, means, words):
    found = _lines(
        answered, "en", words[0], speed=_speed(), budget_usd=budget, spending=Spending(means=means)
    )
    assert any(line.startswith(words) for line in found)


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_explanation_has_the_arithmetic_and_the_sources(answered, language):
    catalogue, answer = answered(speed=_speed())
    page = Renderer(catalogue).explain(answer, language, "A-1")
    spoken = {
        "en": (
            "- Rented: USD 16.00 an hour = USD 2.2 (1.8–2.8); input and output together USD 0.37",
            "- Bought: USD 110,000 (100,000–120,000) over 3 years, 2,800 W × PUE 1.50 × USD 0.10",
            "a month USD 3,100 (2,800–3,300) of the purchase + USD 310 of electricity",
            "- Rental prices Near here: a price page (checked 2026-11-30)",
        ),
        "es": (
            "- En alquiler: USD 16,00 por hora = USD 2,2 (1,8–2,8); entrada y salida juntas USD",
            "- En compra: USD 110.000 (100.000–120.000) en 3 años, 2.800 W × PUE 1,50 × USD 0,10",
            "al mes USD 3.100 (2.800–3.300) de la compra + USD 310 de electricidad",
            "- Precios de alquiler Near here: a price page",
        ),
    }
    for words in spoken[language]:
        assert words in page, words


def test_programs_read_the_same(answered):
    catalogue, answer = answered(speed=_speed())
    contract = to_contract(answer, load_messages("en", Labels(catalogue)))
    price = contract["options"][0]["price"]
    assert price["rental"] == {
        "provider": "Near",
        "region": "here",
        "instance": "node",
        "instances": 1,
        "gpus": 4,
        "price_usd_per_hour": 16.0,
        "dated": "2026-11-01",
        "is_old": False,
    }
    assert price["purchase"]["price_usd"]["typical"] == 110_000
    assert contract["cost"]["at_load"]["rented_usd_per_million_tokens"]["typical"] == (
        pytest.approx(2.2222, abs=5e-5)
    )
    assert contract["cost"]["terms"]["pue"] == 1.5


def test_programs_read_null_where_nothing_is_known(answered):
    catalogue, answer = answered(book=PriceBook())
    contract = to_contract(answer, load_messages("en", Labels(catalogue)))
    assert contract["options"][0]["price"] is None
    assert contract["cost"] is None
