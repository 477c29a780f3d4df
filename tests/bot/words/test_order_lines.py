"""What an answer says of the order of its sets, in both languages."""

from __future__ import annotations

import pytest

from bot.command import parse
from bot.contract import to_contract
from bot.labels import Labels
from bot.messages import load_messages
from bot.render import Renderer
from bot.views import AnswerView
from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.price import amount_usd

CATALOGUE = load_catalogue()
RENDERER = Renderer(CATALOGUE)

HEADS = {
    ("", "en"): "| GPU | Verdict | At once | A month |",
    ("", "es"): "| GPU | Veredicto | A la vez | Al mes |",
    ("rent", "en"): "| GPU | Verdict | At once | Rented, an hour |",
    ("rent", "es"): "| GPU | Veredicto | A la vez | Alquiler por hora |",
    ("buy", "en"): "| GPU | Verdict | At once | Cards |",
    ("buy", "es"): "| GPU | Veredicto | A la vez | Tarjetas |",
}

ORDERS = {
    ("", "en"): "Order: smallest, recommended, then fewer servers and the price of a month,"
    " rented or owned",
    ("", "es"): "Orden: menor, recomendada, luego menos servidores y precio al mes, en alquiler o"
    " propias",
    ("rent budget=9k", "en"): "Order: inside the budget, price of an hour rented",
    ("rent budget=9k", "es"): "Orden: dentro del presupuesto, precio por hora de alquiler",
    ("buy itl<90ms gpu=h100", "en"): "Order: as asked, then limits kept, fewer servers, price of"
    " the cards",
    ("buy itl<90ms gpu=h100", "es"): "Orden: lo pedido, luego límites cumplidos, menos servidores,"
    " precio de las tarjetas",
    ("max users", "en"): "Order: fewer GPUs, less memory",
    ("max users", "es"): "Orden: menos GPU, menos memoria",
}


def answered(words: str = "", model: str = "llama-13b int8") -> SizingAnswer:
    return size(parse(f"{model} {words}", CATALOGUE).request, CATALOGUE)


def page(words: str, language: str) -> str:
    return RENDERER.answer(answered(words), language, "A-1")


@pytest.mark.parametrize(("words", "language"), HEADS)
def test_the_table_shows_the_price_that_decides(words: str, language: str) -> None:
    lines = page(words, language).splitlines()
    at = lines.index(HEADS[words, language])
    assert lines[at + 1] == "|---|---|--:|--:|"
    assert lines[at + 2].count("|") == 5
    assert "USD" in lines[at + 2]


@pytest.mark.parametrize(("words", "language"), ORDERS)
def test_the_line_under_the_table_names_the_order(words: str, language: str) -> None:
    assert f"{ORDERS[words, language]} · Cat" in page(words, language)


def test_a_set_without_a_price_has_a_dash() -> None:
    """Of rented sets one that nobody rents: the workstation cards at the end."""
    found = answered("rent")
    unpriced = [one for one in found.options if one.price is None]
    assert unpriced
    lines = RENDERER.explain(found, "en", "A-1").splitlines()
    rows = [line for line in lines if line.startswith("|") and line.endswith("| – |")]
    assert len(rows) == len(unpriced)


def test_the_cheapest_is_always_in_the_table() -> None:
    view = AnswerView(answered())
    assert view.cheapest in view.rows
    usd = {id(one): amount_usd(one.price, view.answer.ordered_by) for one in view.rows}
    assert min(usd, key=usd.__getitem__) == id(view.cheapest)


@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("", "a month, rented or owned, whichever is less"),
        ("rent", "for an hour rented"),
        ("buy", "for the cards"),
    ],
)
def test_the_mark_says_the_price_in_its_unit(words: str, unit: str) -> None:
    found = answered(words)
    messages = load_messages("en", Labels(CATALOGUE))
    data = to_contract(found, messages)
    (cheapest,) = [one for one in found.options if "cheapest" in codes(one)]
    notes = [each for one in data["options"] for each in one["reasons"]]
    (told,) = [each["text"] for each in notes if each["code"] == "cheapest"]
    usd = messages.numbers.usd(amount_usd(cheapest.price, found.ordered_by))
    assert told.endswith(f"of as few servers: {usd} {unit}.")
    assert data["understood"]["ordered_by"] == found.ordered_by.value


def codes(option: Option) -> set[str]:
    return {reason.code for reason in option.reasons}


class TestDoubtfulWishes:
    WORDS = "users=16 ctx=8k ttft<1s itl<50ms"

    def test_the_next_that_keeps_them_is_named(self) -> None:
        """The first token of four H100 may take longer than a second; eight MI300X keep both."""
        found = answered(self.WORDS, "llama-3.1-70b int4")
        view = AnswerView(found)
        assert "time_near" in codes(found.options[0])
        assert view.next_kept in view.rows
        assert view.next_kept.verdict is Verdict.FITS
        assert not codes(view.next_kept) & {"time_near", "time_broken"}
        name = RENDERER.messages("en").gpu_set(view.next_kept)
        assert f"**Keeps every limit for certain**: {name}" in RENDERER.answer(found, "en", "A-1")
        spanish = RENDERER.answer(found, "es", "A-1")
        assert f"**Cumple todos los límites con seguridad**: {name}" in spanish

    def test_nothing_is_named_where_the_first_keeps_them(self) -> None:
        assert AnswerView(answered("users=2 itl<2s")).next_kept is None

    def test_nothing_is_named_without_wishes(self) -> None:
        assert AnswerView(answered("users=16")).next_kept is None
