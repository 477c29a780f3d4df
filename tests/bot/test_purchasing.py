"""The checklist, with and without a plan, as people ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.command import AskChecklist, AskSpec, Grammar
from bot.contract import reply_contract
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Asker, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue

BEN = Asker("ben", None, Transport.TERMINAL, "en")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def service(catalogue: Catalogue, log: SqliteLog) -> Service:
    return Service(catalogue, log, Renderer(catalogue))


@pytest.fixture(scope="module")
def grammar(catalogue: Catalogue) -> Grammar:
    return Grammar(catalogue)


class TestGrammar:
    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("checklist", None),
            ("lista", None),
            ("checklist lang=es", "es"),
            ("Checklist --json", None),
            ("licitación cluster GPU: qué datos del sitio pido", "es"),
            ("pliego: equivalencias de GPU por nodo", "es"),
            ("dos equipos con GPU para IA, bases técnicas", "es"),
            ("dos equipos con GPU para IA, bases técnicas lang=en", "en"),
            ("tender for a GPU server", "en"),
            ("RFP GPU server", None),
        ],
    )
    def test_lines_about_a_purchase(self, grammar, text, language):
        command = grammar.parse(text)
        assert isinstance(command, AskChecklist)
        assert command.language == language

    @pytest.mark.parametrize("text", ["tender: llama 13b int8", "licitación llama 13b int8"])
    def test_a_line_that_names_a_model_is_about_the_model(self, grammar, text):
        assert grammar.parse(text).request.model_id == "llama-2-13b"

    def test_the_checklist_of_a_server_is_of_that_server(self, grammar):
        command = grammar.parse("checklist llama-3.1-8b fp8 l40s")
        assert isinstance(command, AskSpec)
        assert command.checklist


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # University tender: the lift rules out a rack, the site gives water.
        ("licitación cluster GPU: qué datos del sitio pido", ("delivery_path", "coolant")),
        # State data centre: memory by card and by node; ports, optics and cables; no over-spec.
        (
            "pliego: equivalencias de GPU por nodo",
            ("gpu_memory", "network", "os_disks", "no_more_than_needed"),
        ),
        # Agency with a budget in a unit of account.
        ("dos equipos con GPU para IA, bases técnicas", ("currency", "price_breakdown")),
    ],
)
def test_real_questions_find_their_items(service, text, words):
    reply = service.handle(text, BEN, None)
    data = reply_contract(reply, service.messages(reply.language))
    assert (reply.kind, reply.language, reply.private) == (ReplyKind.CHECKLIST, "es", True)
    assert set(words) <= {item["id"] for item in data["checklist"]}
    assert reply.markdown.startswith("# Lista de compra")


def test_spanish_site_questions_are_in_the_page(service):
    page = service.handle("licitación cluster GPU: qué datos del sitio pido", BEN, None).markdown
    for words in ("Alto, ancho y fondo de cada puerta y ascensor", "parte del calor", "mangueras"):
        assert words in page


def test_a_general_checklist_is_no_answer_to_be_logged(service, log):
    service.handle("checklist", BEN, None)
    assert log.list_answers(team_id=None) == ()


def test_the_checklist_of_a_plan_has_its_figures(service):
    reply = service.handle("checklist llama-3.1-70b fp8 4xh100 users=8", BEN, None)
    assert reply.kind is ReplyKind.SPEC
    assert reply.markdown.startswith("# Procurement checklist")
    assert "Models to run: Llama 3.1 70B · FP8." in reply.markdown
    items = {item["id"]: item for item in reply.data["checklist"]}
    assert items["gpu_bandwidth"]["state"] == "filled"
    assert items["gpu_bandwidth"]["lines"][0]["values"]["gpu_bandwidth_gb_per_s"] == 3350
    assert items["circuits"]["state"] == "filled"
    assert items["ups"]["asks"] == "facilities"
    bill = {line["id"]: line["quantity"] for line in reply.data["bill_of_materials"]}
    assert bill["gpus"] == 4


@pytest.mark.parametrize("text", ["checklist", "checklist llama-3.1-8b fp8 l40s"])
@pytest.mark.parametrize("language", ["en", "es"])
def test_every_key_is_there_and_slack_takes_the_page(service, text, language):
    reply = service.handle(f"{text} lang={language}", BEN, None)
    keys = {"id", "group", "kind", "state", "title", "topics", "lines", "question", "asks"}
    assert all(item.keys() == keys for item in reply.data["checklist"])
    lines = {"id", "group", "quantity", "description"}
    assert all(line.keys() == lines for line in reply.data["bill_of_materials"])
    assert_valid("message", to_message(reply))
