"""What hosts ask: names that mean one model, the median of them, and the way without the table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from genai_prices import data
from genai_prices.types import (
    ClauseEquals,
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    Provider,
    StartDateConstraint,
    Tier,
    TieredPrices,
)

from bot.errors import CodedError
from bot.render import Renderer
from bot.reply import Asker, ReplyKind, Transport
from bot.service import Service
from bot.sources import api_prices
from bot.sources.api_prices import name_of, quote_of
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue

TODAY = date(2026, 11, 30)
ANA = Asker("ana", None, Transport.TERMINAL)


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    api_prices._offers.cache_clear()
    yield
    api_prices._offers.cache_clear()


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (
            [
                "meta-llama/Llama-3.3-70B-Instruct",
                "Meta-Llama-3_3-70B-Instruct",
                "meta.llama3-3-70b-instruct-v1:0",
                "databricks-meta-llama-3-3-70b-instruct",
                "accounts/fireworks/models/llama-v3p3-70b-instruct",
                "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
                "llama-3.3-70b-versatile",
                "meta-llama/Llama-3.3-70B-Instruct-Turbo",
                "llama-3.3-70b",
            ],
            "llama-3.3-70b",
        ),
        (["meta-llama/llama-3-8b-instruct", "llama3-8b"], "llama-3-8b"),
        (["openai.gpt-oss-120b-1:0", "@cf/openai/gpt-oss-120b"], "gpt-oss-120b"),
        (["Qwen/Qwen2.5-72B-Instruct", "qwen/qwen-2.5-72b-instruct"], "qwen2.5-72b"),
        (["google/gemma-2-9b-it", "gemma2-9b-it"], "gemma-2-9b"),
        (["nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron-nano-9b-v2"], "nemotron-nano-9b-v2"),
    ],
)
def test_one_model_has_one_name(names: list[str], meant: str) -> None:
    assert {name_of(name) for name in names} == {meant}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("glm-5", "glm-5-turbo"),
        ("qwq-32b", "qwq-32b-preview"),
        ("Qwen3-235B-A22B", "Qwen3-235B-A22B-Instruct-2507"),
        ("llama-3-70b-instruct", "llama-3.3-70b-instruct"),
        ("deepseek-r1", "deepseek-r1-distill-llama-70b"),
        ("whisper-large-v3", "whisper-large-v3-turbo"),
    ],
)
def test_other_models_keep_their_names(one: str, other: str) -> None:
    assert name_of(one) != name_of(other)


def _model(name: str, *prices: ModelPrice | ConditionalPrice, **more: object) -> ModelInfo:
    listed = list(prices) if isinstance(prices[0], ConditionalPrice) else prices[0]
    return ModelInfo(id=name, match=ClauseEquals(equals=name), prices=listed, **more)


def _price(read: str | TieredPrices, written: str) -> ModelPrice:
    read_usd = Decimal(read) if isinstance(read, str) else read
    return ModelPrice(input_mtok=read_usd, output_mtok=Decimal(written))


def _since(day: date, price: ModelPrice) -> ConditionalPrice:
    return ConditionalPrice(constraint=StartDateConstraint(start_date=day), prices=price)


def _host(name: str, *models: ModelInfo) -> Provider:
    return Provider(id=name, name=name, api_pattern=name, models=list(models))


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a few hosts of Llama 3.3 70B in the place of the package's table."""
    changed = [
        ConditionalPrice(constraint=None, prices=_price("9", "9")),
        _since(date(2026, 10, 1), _price("0.4", "0.8")),
        _since(date(2026, 12, 1), _price("9", "9")),
    ]
    tiers = TieredPrices(base=Decimal("0.2"), tiers=[Tier(start=100_000, price=Decimal(5))])
    providers = [
        _host("one", _model("llama-3.3-70b-instruct", *changed)),
        _host(
            "two",
            _model("meta-llama/Llama-3.3-70B-Instruct", _price("0.6", "1.0")),
            _model("meta-llama/Llama-3.3-70B-Instruct-Turbo", _price("0.8", "0.9")),
        ),
        _host("huggingface_two", _model("Llama-3.3-70B-Instruct", _price("0.5", "0.6"))),
        _host("three", _model("llama-3.3-70b", _price(tiers, "2.0"))),
        _host("free", _model("llama-3.3-70b-instruct:free", ModelPrice())),
        _host("gone", _model("llama-3.3-70b", _price("7", "7"), deprecated=True)),
        _host("cursor", _model("llama-3.3-70b", _price("7", "7"))),
        _host("other", _model("llama-3.1-8b-instruct", _price("0.1", "0.1"))),
    ]
    monkeypatch.setattr(data, "providers", providers)


@pytest.mark.usefixtures("hosts")
def test_the_median_of_the_hosts_with_their_bounds(catalogue: Catalogue) -> None:
    """One asks 0.4 and 0.8 since October, two 0.5 and 0.6 at its cheapest, three 0.2 and 2.0."""
    quote = quote_of(catalogue.models["llama-3.3-70b"], None, TODAY)
    assert quote is not None
    assert quote.hosts == 3
    assert (
        quote.input_low_usd_per_million_tokens,
        quote.input_usd_per_million_tokens,
        quote.input_high_usd_per_million_tokens,
    ) == (0.2, 0.4, 0.5)
    assert (
        quote.output_low_usd_per_million_tokens,
        quote.output_usd_per_million_tokens,
        quote.output_high_usd_per_million_tokens,
    ) == (0.6, 0.8, 2.0)
    # The last change that is not still to come.
    assert quote.dated == date(2026, 10, 1)
    assert quote.source.startswith("genai-prices 0.")


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize(
    ("reference", "count"),
    [("hf:meta-llama/Llama-3.1-8B-Instruct@main", 1), ("hf:someone/else", None), ("file:x", None)],
)
def test_a_model_outside_the_catalogue_is_found_by_its_repository(
    reference: str, count: int | None
) -> None:
    quote = quote_of(None, reference, TODAY)
    assert (quote and quote.hosts) == count


def test_the_package_has_hosts_of_the_models_people_ask_about(catalogue: Catalogue) -> None:
    """The spread is wide, but no price is off by a factor of a thousand."""
    for model in ("llama-3.3-70b", "llama-3.1-8b", "gpt-oss-120b", "qwen3-32b"):
        quote = quote_of(catalogue.models[model], None, TODAY)
        assert quote is not None, model
        assert quote.hosts >= 4, model
        assert 0.01 < quote.input_usd_per_million_tokens < 2, model
        assert 0.02 < quote.output_usd_per_million_tokens < 4, model


def test_without_the_package_it_says_what_to_install(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "genai_prices.data")
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(CodedError) as caught:
        quote_of(catalogue.models["llama-3.3-70b"], None, TODAY)
    assert caught.value.code == "api_not_installed"


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            "llama 3.3 70b fp8 4xh100 users=50 in=2000 out=400 --api",
            # (5 x 0.4 + 0.8) / 6, (5 x 0.2 + 0.6) / 6, (5 x 0.5 + 2.0) / 6
            "hosts ask USD 0.47 (0.27–0.75) for a million tokens in and out, here USD",
        ),
        (
            "llama 3.3 70b fp8 4xh100 --api lang=es",
            "Proveedores del modelo: 3, que piden USD 0,40 (0,20–0,50) por un millón de tokens de",
        ),
        ("qwen3-32b 2xl40s --api", "No host of this model is in the table of API prices."),
    ],
)
def test_it_stands_in_the_answer(
    catalogue: Catalogue, tmp_path: Path, question: str, words: str
) -> None:
    log = SqliteLog(tmp_path / "a.db")
    service = Service(catalogue, log, Renderer(catalogue), today=lambda: TODAY)
    reply = service.handle(question, ANA, None)
    log.close()
    assert reply.kind is ReplyKind.ANSWER
    assert words in reply.markdown


def test_who_does_not_ask_does_not_load_it(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table takes a second: an answer without `--api` is made where it is missing."""
    monkeypatch.delitem(sys.modules, "genai_prices.data")
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    log = SqliteLog(tmp_path / "a.db")
    service = Service(catalogue, log, Renderer(catalogue))
    plain = service.handle("llama 3.3 70b fp8 4xh100 api", ANA, None)
    refused = service.handle("llama 3.3 70b fp8 4xh100 --api", ANA, None)
    log.close()
    assert plain.kind is ReplyKind.ANSWER
    assert plain.answer is not None
    assert plain.answer.cost is not None
    assert plain.answer.cost.api is None
    assert (refused.kind, refused.private) == (ReplyKind.ERROR, True)
    assert "pip install genai-prices" in refused.markdown
