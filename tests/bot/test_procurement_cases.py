"""Public questions about money and purchases, each within all that is known of its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue
from sizing.units import GIB

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = Asker("U0ANA", "C1", Transport.SLACK, "es", team_id="T1", user_name="ana")
ASKERS = pytest.mark.parametrize("asker", [BEN, ANA], ids=["en", "es"])

QUESTIONS = Path(__file__).parents[1] / "accuracy" / "cases" / "questions.jsonl"
ROWS = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
CASES = {row["id"]: row for row in ROWS if row["id"].startswith("M")}

FACTS = {
    "M02": {
        "en": ["break-even", "hours of use a day", "staff", "data centre", "spare parts"],
        "es": ["punto de equilibrio", "horas de uso al día", "personal", "centro de datos",
               "repuestos"],
    },
    "M03": {
        "en": ["first token after", "recommended", "Cost"],
        "es": ["primer token tras", "recomendada", "Costo"],
    },
    "M05": {
        "es": ["Alto, ancho y fondo de cada puerta y ascensor", "carga máxima en kg",
               "parte del calor que retira", "quién suministra mangueras, intercambiadores"],
    },
    "M06": {
        "en": ["7.2 × 10²⁴", "5,100,000", "40 %", "a billion is 10⁹", "“un billón” is 10¹²"],
        "es": ["7,2 × 10²⁴", "5.100.000", "40 %", "un billón es 10¹²", "es 10⁹"],
    },
    "M08": {
        "es": ["Memoria por GPU y por servidor", "se aceptan como equivalentes",
               "los cables forman parte de la oferta en ambos extremos", "las ópticas",
               "licitaciones que se relajaron tarde porque se pidió un disco o un puerto"],
    },
    "M09": {"es": ["# Lista de compra", "¿En qué moneda o unidad de cuenta se ofrece"]},
}  # fmt: skip
"""What an answer has to say, by case and language; a Spanish word for a tender decides it."""


@pytest.fixture(scope="module")
def service(catalogue: Catalogue, tmp_path_factory) -> Iterator[Service]:
    log = SqliteLog(Path(tmp_path_factory.mktemp("log")) / "gpusize.db")
    yield Service(catalogue, log, Renderer(catalogue))
    log.close()


def asks(service: Service, text: str, asker: Asker) -> Reply:
    return service.handle(text, asker, None)


def lines(case: dict) -> list[str]:
    """Return what was typed, and what the check of each figure sends."""
    told = [line for lines in case.get("sub_cases", {}).values() for line in lines.values()]
    return [case["bot_input"], *case.get("bot_inputs", ()), *told]


def test_every_case_of_the_file_is_here() -> None:
    assert CASES.keys() == FACTS.keys()


@ASKERS
@pytest.mark.parametrize("name", FACTS)
def test_it_says_what_it_has_to(service, name: str, asker: Asker) -> None:
    for line in lines(CASES[name]):
        reply = asks(service, line, asker)
        assert reply.language in FACTS[name]
        for fact in FACTS[name][reply.language]:
            assert fact in reply.markdown, (line, fact)
        assert_valid("message", to_message(reply))


class TestFigures:
    """The figures that the cases publish."""

    def test_kv_cache_of_80_requests(self, service) -> None:
        low, high = CASES["M03"]["check"]["kv_gib_80x10k"]
        reply = asks(service, "llama-3.1-70b users=80 ctx=10k", BEN)
        assert low <= reply.answer.memory.kv_cache_bytes / GIB <= high
        assert len(reply.answer.options) >= 2

    def test_arithmetic_of_a_run(self, service) -> None:
        reply = asks(service, CASES["M06"]["bot_input"], ANA)
        expected = CASES["M06"]["check"]["flops_6ND"]
        assert reply.answer.training.run.run_operations == pytest.approx(expected, rel=0.01)

    def test_items_of_the_checklist(self, service) -> None:
        items = asks(service, CASES["M05"]["bot_input"], ANA).data["checklist"]
        topics = {topic for item in items for topic in item["topics"]}
        assert topics.issuperset(CASES["M05"]["check"]["checklist"])


@ASKERS
@pytest.mark.parametrize(
    "line",
    [
        "is on-prem cheaper than the cloud for inference?",
        "rent or buy GPUs for 24x7",
        "comprar o alquilar 8xH100",
        "¿nube o servidores propios?",
        "GPU server TCO over 3 years",
        "break-even of 4xL40S against cloud",
        "alquiler frente a compra de H200",
        "when does on premises pay off vs AWS cloud",
    ],
)
def test_renting_against_buying_asks_for_the_model(service, line: str, asker: Asker) -> None:
    reply = asks(service, line, asker)
    assert reply.error.code == "rent_or_buy"
    command = "/gpusize spec" if asker is BEN else "/gpusize ficha"
    assert f"{command} llama-3.1-70b fp8" in reply.markdown


@pytest.mark.parametrize(
    "line", ["cloud u on-premise para llama 3.1 8b fp8 24x7", "rent or buy for llama-8b users=20"]
)
def test_with_a_model_it_is_answered(service, line: str) -> None:
    reply = asks(service, line, BEN)
    assert reply.kind is ReplyKind.ANSWER
    assert "pay for themselves" in reply.markdown or "bought USD" in reply.markdown


def test_what_the_sentence_promises_is_in_the_plan(service) -> None:
    """The line it offers: break-even from staff, electricity, support and spare parts."""
    line = "spec llama-3.1-70b fp8 users=20 gpu=2xh100 hours=24 staff=60000 support=10%"
    reply = asks(service, line, BEN)
    cost = reply.data["cost"]
    assert {"staff", "support", "electricity", "site"} <= {
        one["code"] for one in cost["years"][1]["lines"]
    }
    # Two cards do not pay 60,000 a year for their staff: no number of hours makes up for it.
    assert cost["cloud"]["break_even_hours_per_day"]["typical"] > 24
    assert "owning never costs less" in reply.markdown


def test_hours_from_which_buying_pays_stand_on_the_first_page(service) -> None:
    line = "spec llama-3.1-70b fp8 users=40 gpu=8xh100 staff=1 support=1%"
    reply = asks(service, line, BEN)
    hours = reply.data["cost"]["cloud"]["break_even_hours_per_day"]["typical"]
    assert hours < 24
    assert "owning costs less from" in reply.markdown


def test_cards_that_nobody_rents_are_told(service) -> None:
    reply = asks(service, "spec llama-3.1-70b fp8 gpu=2xh200-nvl", BEN)
    assert reply.data["cost"]["cloud"] is None
    assert "no price list rents these cards" in reply.markdown


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("dos equipos con GPU para IA, bases técnicas, presupuesto 500 UTM", "500 utm"),
        ("licitación de servidores GPU por 300 millones de pesos", "300m de pesos"),
        ("pliego GPU presupuesto=40.000 EUR", "40.000eur"),
        ("tender for a GPU cluster, budget 200k", "budget=200000"),
        ("rfp 8xh100 CLP 20.000.000", "clp 20.000.000"),
    ],
)
def test_a_budget_without_a_model_is_told_above_the_checklist(service, line, told) -> None:
    reply = asks(service, line, BEN)
    assert reply.kind is ReplyKind.CHECKLIST
    assert told in reply.markdown.splitlines()[2]
    assert "fx=72" in reply.markdown or "cambio=72" in reply.markdown
    assert told in reply.data["not_reckoned_with"]


def test_a_line_without_money_has_nothing_to_tell(service) -> None:
    reply = asks(service, "pliego: equivalencias de GPU por nodo", ANA)
    assert reply.data["not_reckoned_with"] is None
    assert "⚠️" not in reply.markdown


@pytest.mark.parametrize(
    ("line", "budget_usd", "currency"),
    [
        ("spec llama-8b fp8 1xl4 budget=500UTM fx=72", 36_000, "UTM"),
        ("ficha llama-8b fp8 1xl4 presupuesto 500 UTM cambio=72", 36_000, "UTM"),
        ("spec llama-8b fp8 1xl4 budget=20k eur fx=1.1", 22_000, "EUR"),
        ("spec llama-8b fp8 1xl4 budget=€20k fx=1.1 currency=EUR", 22_000, "EUR"),
        ("ficha llama-8b fp8 1xl4 presupuesto de 20 millones de pesos cambio=0,001 moneda=CLP",
         20_000, "CLP"),
        ("spec llama-8b fp8 1xl4 CLP 20.000.000 fx=0.001", 20_000, "CLP"),
    ],
)  # fmt: skip
def test_with_its_rate_another_unit_is_reckoned_with(service, line, budget_usd, currency) -> None:
    cost = asks(service, line, BEN).data["cost"]
    assert cost["budget"]["budget_usd"] == pytest.approx(budget_usd)
    assert cost["currency"] == currency


@pytest.mark.parametrize(
    "line",
    [
        "llama-8b presupuesto=20.000.000 CLP",
        "llama-8b presupuesto 1000 UF",
        "spec llama-8b fp8 1xl4 budget=500UTM",
        "spec llama-8b fp8 1xl4 staff=30000 eur",
        "spec llama-8b fp8 1xl4 budget=20k eur fx=1.1 currency=GBP",
        "bases técnicas llama-8b presupuesto 500 UTM",
    ],
)
@ASKERS
def test_without_its_rate_it_is_refused_with_what_to_type(service, line, asker: Asker) -> None:
    reply = asks(service, line, asker)
    assert reply.error.values["reason"] == "currency"
    assert ("fx=72" if reply.language == "en" else "cambio=72") in reply.markdown
