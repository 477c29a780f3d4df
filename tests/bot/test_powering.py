"""Questions about electricity, with the real catalogue and a real log."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.contract import reply_contract
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from bot.wordless import Wordless
from sizing.catalogue import Catalogue

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = Asker("U0ANA", "C1", Transport.SLACK, "es", team_id="T1", user_name="ana")


@pytest.fixture(scope="module")
def service(catalogue: Catalogue, tmp_path_factory) -> Iterator[Service]:
    log = SqliteLog(Path(tmp_path_factory.mktemp("log")) / "gpusize.db")
    yield Service(catalogue, log, Renderer(catalogue))
    log.close()


def asks(service: Service, text: str, asker: Asker = BEN) -> Reply:
    reply = service.handle(text, asker, None)
    assert reply.kind is ReplyKind.POWER, reply.markdown
    return reply


def data(service: Service, text: str) -> dict:
    reply = asks(service, text)
    return json.loads(json.dumps(reply_contract(reply, service.messages("en"))))


CASES = {
    "rack 500W nodes: 120V 20A o 208V 30A?": (
        ["4.2 | 3", "2.4 | 9", "1,920 W, 16 A", "24 A", "Amps are W / V", "continuous"],
        ["4,2 | 3", "2,4 | 9", "1.920 W, 16 A", "24 A", "son W / V", "continuas"],
    ),
    "circuito monofásico 230V 32A, ¿cuántos servidores de 8 GPU?": (
        ["**0 servers**", "7.36 kW", "5.89 kW", "22.17 kW", "21.62 kW", "21.56 kW", "√3",
         "A and B"],
        ["**0 servidores**", "7,36 kW", "5,89 kW", "22,17 kW", "21,62 kW", "21,56 kW", "√3",
         "A y B"],
    ),
    "7x4090 + EPYC 7763 fuente?": (
        ["3.9 kW (3.7 kW–4.3 kW) at the wall", "3.6 kW", "2.94 kW", "one needs 2 circuits",
         "230 V 32 A | 7.36 kW", "share one ground"],
        ["3,9 kW (3,7 kW–4,3 kW) en la pared", "3,6 kW", "2,94 kW", "uno necesita 2 circuitos",
         "230 V 32 A | 7,36 kW", "misma tierra"],
    ),
    "2x 1100W PSU cuántas A6000 de 300W": (
        ["At most **2** cards of 300 W", "worth one supply", "2.18", "200 µs"],
        ["Como máximo **2** tarjetas de 300 W", "vale por una fuente", "2,18", "200 µs"],
    ),
    "3090 se reinicia al entrenar": (
        ["`sudo nvidia-smi -pl 300`", "swap", "burn-in"],
        ["`sudo nvidia-smi -pl 300`", "intercambie", "burn-in"],
    ),
    "Lenovo P900 1400W + 3090": (
        ["each rail and each connector", "Not the total alone", "qualified", "“lenovo”, “p900”"],
        ["cada rail y cada conector", "No solo el total", "homologado", "«lenovo», «p900»"],
    ),
    "1600W PSU en toma 120V 15A": (
        ["1,440 W", "1,920 W", "is what it gives out", "wall = rating / efficiency",
         "**120 V 20 A**", "dedicated", "0 servers", "208 V 20 A"],
        ["1.440 W", "1.920 W", "es lo que entrega", "pared = nominal / rendimiento",
         "**120 V 20 A**", "dedicado", "0 servidores", "208 V 20 A"],
    ),
    "DGX H100 kW, BTU/h, enchufes": (
        ["10.2 kW at the wall", "34,802 BTU/h", "2.9 tons", "1.82 times", "5.6 kW", "C19",
         "6.5 kW–8.5 kW"],
        ["10,2 kW en la pared", "34.802 BTU/h", "2,9 toneladas", "1,82 veces", "5,6 kW", "C19",
         "6,5 kW–8,5 kW"],
    ),
}  # fmt: skip
"""Questions people really put, and what an answer has to say in each language."""


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize(("asker", "place"), [(BEN, 0), (ANA, 1)])
def test_real_questions(service, text: str, asker: Asker, place: int) -> None:
    reply = asks(service, text, asker)
    for fact in CASES[text][place]:
        assert fact in reply.markdown, reply.markdown
    assert reply.language == asker.language
    assert not reply.private


@pytest.mark.parametrize(("supply", "cards"), [(750, 1), (1100, 2), (1800, 4)])
def test_cards_on_a_redundant_pair(service, supply: int, cards: int) -> None:
    """Lenovo's table for cards of 300 W."""
    found = data(service, f"2x {supply}W PSU cuántas A6000 de 300W")
    assert found["supply_check"]["most_gpus"] == cards
    assert found["server"]["gpus"] == cards


def test_the_draw_of_seven_cards(service) -> None:
    found = data(service, "power 7x4090 cpu=280W")
    assert 3_400 < found["server"]["dc_w"]["typical"] < 3_700
    assert sum(part["draw_w"]["typical"] for part in found["server"]["parts"]) == pytest.approx(
        found["server"]["dc_w"]["typical"]
    )


def test_heat_of_a_dgx_h100(service) -> None:
    found = data(service, "power dgx h100")
    assert 34_500 < found["cooling"]["heat_btu_per_h"] < 35_000
    assert found["schema"] == "gpusize-power/1"
    assert {"code", "text"} == set(found["notes"][0])


def test_given_supplies_are_held_to_the_cards(service) -> None:
    """4 x 300 x 1.4 + 60 = 1,740 W: one of 1,800 does, one of 1,100 does not, both do."""
    enough = asks(service, "power 4x300W psu=2x1800W").markdown
    both = asks(service, "power 4x300W psu=2x1100W").markdown
    few = asks(service, "power 4x300W psu=2x750W").markdown
    assert "1,740 W with the peaks: ✅ enough" in enough
    assert "⚠️ only with all of them running" in both
    assert "❌ not enough" in few


def test_one_supply_is_held_to_all_of_a_workstation(service) -> None:
    """3090 with 437 W beside it: 437 + 1.4 x 350 = 927 W of 1,400, and room for one card alone."""
    found = data(service, "Lenovo P900 1400W + 3090")["supply_check"]
    assert found["need_w"] == pytest.approx(927, abs=1)
    assert found["most_gpus"] == 1


def test_more_cards_than_slots_are_told(service) -> None:
    page = asks(service, "2x 2400W PSU how many T4").markdown
    assert "8 × T4" in page
    assert "by power alone" in page


def test_servers_inside_a_limit_are_told(service) -> None:
    """40 / 10.2 = 3.9."""
    page = asks(service, "how many DGX H100 fit in a 40 kW rack").markdown
    assert "40.0 kW carry 3 such servers of 10.2 kW each" in page


def test_half_of_a_feed_is_told(service) -> None:
    """208 V 30 A with A and B: 12 A and 2.5 kVA on each while both run."""
    page = asks(service, "A/B PDU 2x 208V 30A, how much can I load each?").markdown
    assert "40 % while both run (of 208 V 30 A: 12 A, 2.50 kW)" in page


def test_circuits_of_a_country(service) -> None:
    page = asks(service, "power 8xh100 country=us").markdown
    assert "NEC 210.20(A)" in page
    assert "400 V" not in page
    spain = asks(service, "power 8xh100 en españa").markdown
    assert "a margin of ours" in spain
    assert "400 V three-phase 32 A | 22.17 kW | 17.74 kW, 25.6 A | 14.7 | 1 |" in spain


def test_both_feeds_and_how_many_circuits(service) -> None:
    """Two circuits of 400 V 63 A, A and B, carry three DGX H100; six servers take four."""
    found = data(service, "power dgx h100 a/b 2x 400V 63A servers=6")
    assert found["circuits"][0]["servers"] == 3
    assert found["needed"][0]["circuits"] == 4
    page = asks(service, "power dgx h100 a/b 2x 400V 63A servers=6").markdown
    assert "6 servers need **4** × 400 V three-phase 63 A on both feeds together" in page


def test_a_circuit_alone_is_told_for_one_kw(service) -> None:
    page = asks(service, "power 208V 30A").markdown
    assert "A of one kW" in page
    assert "| 4.8 | 4 |" in page


@pytest.mark.parametrize("text", ["power llama", "power country=es"])
def test_nothing_to_count_is_told(service, text: str) -> None:
    reply = service.handle(text, BEN, None)
    assert reply.kind is ReplyKind.ERROR
    assert "Power of what?" in reply.markdown


@pytest.mark.parametrize("text", [*CASES, "power gb200 nvl72", "power tpu-v5e", "power 1xl4"])
@pytest.mark.parametrize("asker", [BEN, ANA])
def test_every_page_is_a_message_slack_takes(service, text: str, asker: Asker) -> None:
    reply = asks(service, text, asker)
    assert_valid("message", to_message(reply))
    assert not re.search(r"\bNone\b|\{\{", reply.markdown)


def test_programs_get_no_page(catalogue, tmp_path) -> None:
    log = SqliteLog(tmp_path / "gpusize.db")
    reply = Service(catalogue, log, Wordless(catalogue)).handle("power 8xh100", BEN, None)
    log.close()
    assert (reply.markdown, reply.kind) == ("", ReplyKind.POWER)
    assert reply.data is not None


class TestLogged:
    """These answers are kept like all others."""

    def test_the_question_and_the_answer_are_kept(self, service) -> None:
        reply = asks(service, "power 7x4090 cpu=280W")
        assert reply.answer_id in reply.markdown.splitlines()[-1]
        shown = service.handle(f"show {reply.answer_id}", BEN, None)
        assert (shown.kind, shown.private) == (ReplyKind.SHOW, True)
        assert shown.markdown.startswith(reply.markdown.rstrip())
        assert "power 7x4090 cpu=280W" in shown.markdown
        assert shown.data == reply.data
        assert data(service, "power 7x4090 cpu=280W")["answer_id"] is not None

    def test_they_are_shown_in_the_language_of_who_asks(self, service) -> None:
        name = asks(service, "power dgx h100").answer_id
        page = service.handle(f"ver {name}", ANA, None).markdown
        assert page.startswith("# Potencia: DGX H100")

    @pytest.mark.parametrize(("asker", "title"), [(BEN, "Power: "), (ANA, "Potencia: ")])
    def test_lists_name_what_they_are_about(self, service, asker: Asker, title: str) -> None:
        asks(service, "power 7x4090 cpu=280W")
        asks(service, "rack 500W nodes: 120V 20A o 208V 30A?")
        page = service.handle("list power" if asker is BEN else "historial 7x4090", asker, None)
        assert f"{title}7 × GeForce RTX 4090 24 GB" in page.markdown

    def test_what_is_kept_private_is_for_the_asker(self, service) -> None:
        name = asks(service, "power 500W 120V 20A --private").answer_id
        assert service.handle(f"show {name}", BEN, None).kind is ReplyKind.SHOW
        assert service.handle(f"show {name}", ANA, None).error.code == "unknown_answer"

    @pytest.mark.parametrize("verb", ["explain", "start"])
    def test_there_is_no_model_to_explain_or_start(self, service, verb: str) -> None:
        name = asks(service, "power dgx h100").answer_id
        reply = service.handle(f"{verb} {name}", BEN, None)
        assert reply.error.code == "is_about_power"
        assert "is about electricity" in reply.markdown

    def test_the_form_opens_empty_on_one(self, service) -> None:
        name = asks(service, "power dgx h100").answer_id
        assert service.refining.server(name, BEN) == service.refining.server("", BEN)

    def test_a_question_without_an_answer_is_kept_as_such(self, service) -> None:
        service.handle("power llama", BEN, None)
        assert "power llama" not in service.handle("list power", BEN, None).markdown
