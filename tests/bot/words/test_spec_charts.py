"""What is drawn of a server: cards and costs, as Slack's blocks and as pictures."""

from __future__ import annotations

import struct
from functools import cache

import pytest

from bot.command import Grammar
from bot.format import Numbers
from bot.limits import assert_valid
from bot.pictures import DOTS_PER_INCH, INCHES, picture_of
from bot.plots import Form, Plot, Track, block_of, plot_block
from bot.render import Renderer
from bot.spec_charts import cost_plot, memory_plot, plots_of
from bot.spec_view import SpecView
from sizing.catalogue import load_catalogue
from sizing.spec.answer import Spec
from sizing.spec.money_plan import TokenCost
from sizing.spec.plan import spec_of

CATALOGUE = load_catalogue()
THREE = "spec llama-3.1-8b 1xl40s users=4 + bge-m3 + whisper-large-v3"


@cache
def planned(text: str) -> Spec:
    return spec_of(Grammar(CATALOGUE).parse(text).request, CATALOGUE)


def plots(text: str, language: str = "en") -> tuple[Plot, ...]:
    return plots_of(SpecView(planned(text)), Renderer(CATALOGUE).messages(language))


def stacked(plot: Plot) -> list[float]:
    return [sum(parts) for parts in zip(*(track.values for track in plot.tracks), strict=True)]


def test_a_bar_sums_to_the_budget_of_a_card_of_its_own() -> None:
    (card, _) = plots("spec llama-13b int8 users=4 4xl4")
    gpu = planned("spec llama-13b int8 users=4 4xl4").workloads[0].answer.options[0].per_gpu
    assert stacked(card) == [pytest.approx(gpu.budget_bytes / 10**9)]
    assert card.categories == ("Llama 2 13B INT8",)
    assert card.details == ("each of 4 cards",)
    assert card.tracks[-1].name == "free"
    assert card.tracks[-1].values == (pytest.approx(gpu.free_bytes / 10**9),)


def test_bars_of_a_shared_card_sum_to_what_is_reserved_of_it() -> None:
    """The engines of one card reserve 95 % of it together at most."""
    card = plots(THREE)[0]
    (usable,) = {one.answer.options[0].per_gpu.usable_bytes for one in planned(THREE).workloads}
    shares = [one.seats[0].fraction_percent for one in planned(THREE).workloads]
    assert stacked(card) == [pytest.approx(usable * each / 100 / 10**9) for each in shares]
    assert sum(stacked(card)) <= 0.95 * usable / 10**9
    assert [detail.endswith("of a card") for detail in card.details] == [True] * 3


def test_a_training_run_shows_what_only_training_holds() -> None:
    names = {track.name for track in plots("spec llama-3.1-8b qlora 1xl40s")[0].tracks}
    assert {"adapters", "gradients", "optimizer"} <= names
    assert "KV cache" not in names


def test_what_does_not_fit_leaves_nothing_free() -> None:
    (card, *_) = plots("spec llama-13b fp16 1xl4")
    assert "free" not in [track.name for track in card.tracks]
    need, room = card.captions[0].split(" of ")
    assert float(need) > float(room.split()[0])


def test_owning_starts_with_the_purchase_and_renting_with_nothing() -> None:
    cost = plots("spec llama-13b int8 users=4 4xl4")[1]
    plan = planned("spec llama-13b int8 users=4 4xl4").cost
    owned, rented = cost.tracks
    assert cost.categories == ("Purchase", "1", "2", "3", "4", "5")
    assert owned.values[0] == plan.years[0].total_usd.typical
    assert owned.values[-1] == plan.total_usd.typical
    assert owned.bounds[-1] == (plan.total_usd.low, plan.total_usd.high)
    assert (rented.values[0], rented.values[-1]) == (0, plan.cloud.usd_over_horizon.typical)
    assert rented.bounds == ()
    ((place, words),) = cost.marks
    assert place == pytest.approx(plan.cloud.break_even_months.typical / 12)
    assert "Owning costs less after " in words


def test_amounts_are_in_the_currency_of_the_plan() -> None:
    """EUR 1 is USD 1.10: USD 25,000 are EUR 22,727."""
    usd = plots("spec llama-13b int8 users=4 4xl4")[1]
    eur = plots("spec llama-13b int8 users=4 4xl4 currency=EUR fx=1.1")[1]
    assert eur.unit == "EUR"
    assert eur.tracks[0].values[0] == pytest.approx(usd.tracks[0].values[0] / 1.1)


def test_costs_without_the_price_of_the_cards_are_not_drawn() -> None:
    plan = planned(THREE).cost.model_copy(update={"is_complete": False})
    assert cost_plot(plan, Renderer(CATALOGUE).messages("en")) is None


def test_no_mark_where_owning_never_pays() -> None:
    plan = planned(THREE).cost
    reach = plan.cloud.break_even_months.model_copy(update={"typical": None})
    cloud = plan.cloud.model_copy(update={"break_even_months": reach})
    found = cost_plot(plan.model_copy(update={"cloud": cloud}), Renderer(CATALOGUE).messages("en"))
    assert found.marks == ()
    assert "costs less" not in found.alt_text


def test_paying_by_token_is_a_line_of_its_own() -> None:
    plan = planned(THREE).cost
    told = Renderer(CATALOGUE).messages("es")
    by_token = TokenCost.model_construct(usd_per_year=plan.cloud.usd_per_year)
    cost = cost_plot(plan.model_copy(update={"by_token": by_token}), told)
    assert [track.name for track in cost.tracks] == ["En propiedad", "Alquilado", "Por token"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_slack_takes_both_blocks(language: str) -> None:
    many = "spec " + " + ".join(["llama-3.1-8b 1xl40s", "bge-m3", "bge-m3", "whisper-large-v3"])
    blocks = [block_of(plot) for plot in plots(many, language)]
    assert_valid("message", {"text": "A plan.", "blocks": blocks})
    labels = blocks[0]["chart"]["axis_config"]["categories"]
    assert len(set(labels)) == 4


def test_names_that_are_cut_alike_are_told_apart() -> None:
    names = ("a very long name of one model", "a very long name of one more")
    plot = Plot(
        form=Form.BARS, title="Memory", unit="GB", decimals=1, x_label="", alt_text="Two.",
        categories=names, tracks=(Track("weights", (1.0, 2.0)),), numbers=Numbers("en"),
    )  # fmt: skip
    labels = plot_block(plot)["chart"]["axis_config"]["categories"]
    assert labels == ["a very long name of…", "a very long name… 2"]
    assert_valid("message", {"text": "Two.", "blocks": [plot_block(plot)]})


def test_words_say_what_is_drawn() -> None:
    card, cost = plots("spec llama-13b int8 users=4 4xl4", "es")
    assert card.alt_text == (
        "Memoria de cada tarjeta en barras. Llama 2 13B INT8 en cada una de 4 tarjetas: "
        "pesos 3,3 GB, caché KV 3,4 GB, activaciones 0,2 GB, entorno de ejecución 1,7 GB, "
        "libre 13,1 GB."
    )
    assert card.captions == ("8,6 de 21,7 GB",)
    assert cost.alt_text.startswith("Lo que se paga hasta el final de cada uno de 5 años")
    assert "En propiedad cuesta menos tras " in cost.alt_text


def test_one_picture_holds_both_and_says_what_it_shows() -> None:
    both = plots("spec llama-13b int8 users=4 4xl4", "es")
    picture = picture_of(both)
    width, height = struct.unpack(">II", picture[16:24])
    assert width == round(INCHES[0] * DOTS_PER_INCH)
    assert height > INCHES[1] * DOTS_PER_INCH
    assert b"Memoria de cada tarjeta en barras" in picture
    assert picture_of(both) == picture


def test_a_drawing_for_print_is_the_same_each_time() -> None:
    card = memory_plot(SpecView(planned(THREE)), Renderer(CATALOGUE).messages("en"))
    drawn = picture_of(card, "svg")
    assert drawn.lstrip().startswith(b"<?xml")
    assert picture_of(card, "svg") == drawn
