"""A whole server, with the real catalogue and a real log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.cli import read_arguments, run
from bot.contract import reply_contract
from bot.errors import CodedError
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue
from sizing.spec.answer import Spec
from sizing.spec.request import SpecRequest

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = replace(BEN, user_id="U0ANA", user_name="ana", language="es")
QUESTION = "spec llama-3.1-70b fp8 2xh100 users=8 + bge-m3 + whisper-large-v3 growth=20% spare=1"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def service(catalogue: Catalogue, log: SqliteLog) -> Service:
    return Service(catalogue, log, Renderer(catalogue))


def asks(service: Service, text: str = QUESTION, asker: Asker = BEN) -> Reply:
    return service.handle(text, asker, None)


def test_it_is_logged_like_an_answer(service, log) -> None:
    reply = asks(service)
    assert (reply.kind, reply.answer_id, reply.private) == (ReplyKind.SPEC, "A-1", False)
    row = log.get_answer("A-1", team_id="T1")
    request = SpecRequest.model_validate_json(row.request_json)
    assert [one.request.model_id for one in request.workloads] == [
        "llama-3.1-70b",
        "bge-m3",
        "whisper-large-v3",
    ]
    spec = Spec.model_validate_json(row.answer_json)
    assert (spec.servers.gpu, spec.servers.spare_servers) == ("h100-sxm", 1)


def test_the_load_of_the_last_year_is_planned_for(service) -> None:
    """8 requests x 1.2 x 1.2 x 1.2 = 13.8, rounded up; two servers of four H100, one in reserve."""
    spec = asks(service).data
    answer = spec["workloads"][0]["answer"]
    assert answer["understood"]["concurrent_requests"] == 14
    assert spec["servers"]["growth_factor"] == pytest.approx(1.728)
    assert spec["servers"]["gpus"] == 2 * spec["servers"]["gpus_per_server"] == 8


@pytest.mark.parametrize(
    ("asker", "words"),
    [
        (BEN, ("# Server for Llama 3.1 70B + BGE-M3 + Whisper large v3", "1 server waits")),
        (ANA, ("# Servidor para Llama 3.1 70B + BGE-M3 + Whisper large v3", "1 servidor espera")),
    ],
)
def test_both_languages_fit_into_slack(service, asker, words) -> None:
    reply = asks(service, asker=asker)
    for each in words:
        assert each in reply.markdown
    assert reply.summary.startswith(words[0].removeprefix("# "))
    assert_valid("message", to_message(reply))


def test_as_json_every_note_has_its_sentence(service) -> None:
    data = reply_contract(asks(service), service.messages("en"))
    assert data["schema"] == "gpusize-spec/1"
    assert data["answer_id"] == "A-1"
    assert data["workloads"][1]["answer"]["schema"] == "gpusize/1"
    assert all(note["text"] for note in data["assumptions"])
    assert {note["code"] for note in data["assumptions"]} == {"growth_compound", "mig_takes_more"}


def test_it_is_found_again(service) -> None:
    asks(service)
    shown = asks(service, "show A-1", ANA)
    assert (shown.kind, shown.private) == (ReplyKind.SHOW, True)
    assert "# Servidor para Llama 3.1 70B" in shown.markdown
    assert "Pregunta de ben" in shown.markdown
    listed = asks(service, "list")
    assert "Server for Llama 3.1 70B + BGE-M3 + Whisper large v3" in listed.markdown
    assert listed.data["answers"][0]["model"] is None


def test_a_server_is_explained_with_its_numbers(service) -> None:
    """Cores: 4 GPUs x 3 + 4 = 16. Heat: W x 3.412. A circuit: 400 V x root 3 x 32 A x 80 %."""
    button = asks(service).actions[0]
    reply = asks(service, "explain A-1")
    assert (reply.kind, reply.private, reply.answer_id) == (ReplyKind.EXPLAIN, True, "A-1")
    page = reply.markdown
    assert service.explain(button.value, BEN).markdown == page
    assert "4 × 3 + 4 = 16: **decides**" in page
    assert "400 V × √3 × 32 A × 80 % = 17,736 VA" in page
    assert "÷ 1,000 × 3,412 = " in page
    assert "Purchase + 5 × a year" in page
    assert_valid("message", to_message(reply))
    assert reply_contract(reply, service.messages("en"))["schema"] == "gpusize-spec/1"


def test_it_is_explained_in_spanish_and_with_what_was_told(service) -> None:
    asks(service, "spec llama-3.1-8b l4 ram=64 cores=16", ANA)
    page = asks(service, "explain A-1", ANA).markdown
    assert "- la que usted indicó: 64 GB: **decide**" in page
    assert "- los que usted indicó: 16: **decide**" in page
    assert "Compra + 5 × un año" in page
    assert "1,085 por grado" in page


@pytest.mark.parametrize(
    "question",
    [
        "spec deepseek-v3 fp8 16xh100 country=US altitude=2000",
        "spec llama-3.1-8b qlora 2xl40s",
        "spec llama-70b gb200 feeds=1",
        "spec llama-3.1-8b m1-ultra",
        "spec llama-3.1-8b users=20 h100 + bge-m3 share=mig",
        "spec llama-3.1-8b mi300x currency=EUR fx=1.1 tax=21%",
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_each_kind_of_server_is_explained(service, question, language) -> None:
    """No line runs into the next, and every sum of money that is shown follows from its parts."""
    asks(service, question)
    reply = asks(service, f"explain A-1 lang={language}")
    assert reply.kind is ReplyKind.EXPLAIN
    assert all(line.count("- ") <= 1 for line in reply.markdown.splitlines() if line[:2] == "- ")
    assert_valid("message", to_message(reply))


def test_what_starts_a_server_is_asked_of_its_models(service) -> None:
    asks(service)
    reply = asks(service, "start A-1")
    assert (reply.kind, reply.error.code) == (ReplyKind.ERROR, "is_a_spec")


@pytest.mark.parametrize(
    ("ending", "start"),
    [("md", b"# Server for"), ("html", b"<!doctype"), ("xlsx", b"PK"), ("csv", b"")],
)
def test_it_is_written_as_a_file(service, tmp_path, capsys, ending, start) -> None:
    path = tmp_path / f"plan.{ending}"
    words = ("spec", "llama-3.1-8b 2xl40s", "--out", str(path), "--json")
    assert run(read_arguments(words, {}), lambda: nullcontext(service)) == 0
    capsys.readouterr()
    content = path.read_bytes()
    assert content.startswith(start)
    assert len(content) > 5_000


@pytest.mark.parametrize(
    ("words", "path"), [("spec 13b", "plan.txt"), ("llama-13b", "plan.md"), ("spec 13b", "no/p.md")]
)
def test_what_cannot_be_written_is_a_sentence(service, tmp_path, capsys, words, path) -> None:
    asked = (*words.split(), "--out", str(tmp_path / path))
    assert run(read_arguments(asked, {}), lambda: nullcontext(service)) == 2
    assert str(tmp_path / path) in capsys.readouterr().err


@pytest.mark.parametrize("asker", [BEN, ANA])
def test_the_report_holds_every_part(service, asker) -> None:
    reply = asks(service, asker=asker)
    report = reply.files[".md"]().decode()
    headings = [line for line in report.splitlines() if line.startswith("## ")]
    assert len(headings) == 12
    assert "None" not in report
    words = service.messages(asker.language)
    for code in ("models", "machines", "host", "storage", "facility", "software", "cost", "nim"):
        assert f"## {words.label('sections', code)}" in headings


def test_a_card_that_does_not_run_is_told(service) -> None:
    reply = asks(service, "spec llama-3.1-70b fp16 1xl4")
    assert "❌ **Not everything runs on these cards.**" in reply.markdown
    assert "does not run all of these models" in reply.markdown


def test_what_cannot_be_planned_is_a_sentence(service) -> None:
    reply = asks(service, "spec llama-3.1-8b 1xl4 + bge-m3 1xt4")
    assert (reply.kind, reply.private) == (ReplyKind.ERROR, True)
    assert "`l4`" in reply.markdown
    assert "`t4`" in reply.markdown


@pytest.mark.parametrize(
    ("budget", "words"),
    [("1m", "✅ Inside the budget: USD 1,000,000"), ("9k", "❌ Beyond the budget: USD 9,000")],
)
def test_a_budget_is_never_passed_in_silence(service, budget: str, words: str) -> None:
    assert words in asks(service, f"spec llama-3.1-8b 1xl40s budget={budget}").markdown
    assert "budget" not in asks(service, "spec llama-3.1-8b 1xl40s").markdown


class TestOfPastAnswers:
    """A spec or a checklist for what a past answer was asked."""

    def test_the_logged_question_is_the_workload(self, service) -> None:
        asks(service, "llama-3.1-8b fp8 users=12 ctx=8k gpu=2xl40s")
        again = asks(service, "spec A-1").data
        asked = asks(service, "spec llama-3.1-8b fp8 users=12 ctx=8k gpu=2xl40s").data
        assert again["answer_id"] == "A-2"
        assert again | {"answer_id": "A-3"} == asked

    def test_more_may_be_said(self, service) -> None:
        asks(service, "llama-3.1-8b fp8 users=12 in=3000 out=1000")
        spec = asks(service, "spec a-1 growth=30% country=ES ctx=16k").data
        understood = spec["workloads"][0]["answer"]["understood"]
        assert understood["context_tokens"] == 16_384
        assert spec["servers"]["growth_factor"] == pytest.approx(1.3**3)
        # 12 x 1.3^3 = 26.4 requests in the last year.
        assert understood["concurrent_requests"] == 27
        assert spec["circuits"]["there"] or spec["circuits"]["needed"]

    def test_a_rate_takes_the_place_of_users(self, service) -> None:
        asks(service, "llama-3.1-8b fp8 users=12")
        spec = asks(service, "spec A-1 rps=2").data
        assert spec["workloads"][0]["answer"]["understood"]["requests_per_s"] == 2

    def test_several_and_other_models_stand_together(self, service) -> None:
        asks(service, "llama-3.1-8b fp8")
        asks(service, "bge-m3")
        spec = asks(service, "ficha A-1 + a-2 + whisper-large-v3 país=ES").data
        names = [one["answer"]["understood"]["model_id"] for one in spec["workloads"]]
        assert names == ["llama-3.1-8b", "bge-m3", "whisper-large-v3"]

    @pytest.mark.parametrize(("asker", "line"), [(BEN, "checklist A-1"), (ANA, "lista A-1")])
    def test_its_checklist(self, service, asker, line: str) -> None:
        asks(service, "llama-3.1-8b fp8 gpu=2xl40s")
        reply = asks(service, line, asker)
        title = "# Procurement checklist" if asker is BEN else "# Lista de compra"
        assert reply.markdown.startswith(title)
        assert "2 × L40S 48 GB" in reply.markdown

    def test_a_logged_server_is_shown_not_planned_again(self, service, log) -> None:
        asks(service, "spec llama-3.1-8b fp8 gpu=2xl40s")
        assert asks(service, "spec A-1").kind is ReplyKind.SHOW
        listed = asks(service, "checklist A-1")
        assert (listed.kind, listed.private) == (ReplyKind.SHOW, True)
        assert listed.markdown.startswith("# Procurement checklist")
        assert log.get_answer("A-2", team_id="T1") is None

    def test_a_logged_server_is_planned_anew_with_other_surroundings(self, service) -> None:
        asks(service, "spec llama-3.1-8b fp8 gpu=2xl40s + bge-m3 country=ES kw=12")
        before = asks(service, "show A-1").data
        spec = asks(service, "spec A-1 country=US growth=20%").data
        assert [one["answer"]["understood"]["model_id"] for one in spec["workloads"]] == [
            one["answer"]["understood"]["model_id"] for one in before["workloads"]
        ]
        assert spec["servers"]["growth_factor"] == pytest.approx(1.2**3)
        assert spec["circuits"] != before["circuits"]

    @pytest.mark.parametrize(
        ("line", "code", "words"),
        [
            ("spec A-99", "unknown_answer", "A-99"),
            ("checklist A-99 country=ES", "unknown_answer", "A-99"),
            ("spec A-2", "lists_models", "lists models"),
            ("spec A-3 country=ES", "is_about_power", "about electricity"),
            ("spec A-1 llama-3.1-8b", "spec_answer_and_model", "brings its own model"),
            ("spec A-4 users=9", "spec_of_spec", "already the spec"),
            ("spec A-4 + bge-m3", "spec_of_spec", "already the spec"),
        ],
    )
    def test_what_has_no_server_is_told(self, service, line: str, code: str, words: str) -> None:
        for question in ("bge-m3", "what fits 1xl4", "power 1xl4", "spec bge-m3 gpu=1xl4"):
            asks(service, question)
        reply = asks(service, line)
        assert (reply.error.values.get("reason") or reply.error.code) == code
        assert words in reply.markdown

    def test_cards_keep_their_names(self, service) -> None:
        for question in ("bge-m3", "bge-m3 gpu=1xa40"):
            asks(service, question)
        assert asks(service, "spec a-100 llama-13b").data["servers"]["gpu"] == "a100-sxm-80"
        assert asks(service, "spec a40 bge-m3").data["servers"]["gpu"] == "a40"
        assert asks(service, "spec A-2").data["servers"]["gpu"] == "a40"

    def test_what_others_asked_in_private_stays_theirs(self, service) -> None:
        asks(service, "bge-m3 --private", ANA)
        assert asks(service, "spec A-1").error.code == "unknown_answer"


@pytest.mark.parametrize(("asker", "words"), [(BEN, "Memory of each"), (ANA, "Memoria de cada")])
def test_the_page_for_printing_holds_the_pictures(service, asker, words) -> None:
    reply = asks(service, asker=asker)
    page = reply.files[".html"]().decode()
    assert page.count('<img src="data:image/svg+xml;base64,') == 2
    assert f'alt="{words}' in page
    assert "picture:" not in page
    assert "![" not in reply.files[".md"]().decode()
    assert reply.files[".png"]().startswith(b"\x89PNG")


def test_without_matplotlib_the_page_stands_without_pictures(service, monkeypatch) -> None:
    def refuse(*_) -> bytes:
        raise CodedError("no_matplotlib")

    monkeypatch.setattr("bot.spec_files.picture_of", refuse)
    page = asks(service).files[".html"]().decode()
    assert "<img" not in page
    assert "picture:" not in page


def test_the_terminal_draws_it_into_a_file(service, tmp_path, capsys) -> None:
    drawn = tmp_path / "plan.png"
    question = ["spec", "llama-3.1-8b", "1xl40s", "--chart", str(drawn)]
    assert run(read_arguments(question, {}), lambda: nullcontext(service)) == 0
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert "# Server for Llama 3.1 8B" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asker", "words"),
    [
        (BEN, ("1 × slice `3g.40gb`", "MIG slices** of H100", "45.5 % of the multiprocessors")),
        (ANA, ("1 × partición `3g.40gb`", "Particiones MIG** de H100", "45,5 % de los multip")),
    ],
)
def test_slices_with_what_is_typed(service, asker, words) -> None:
    reply = asks(service, "spec llama-3.1-8b users=20 h100 + bge-m3 share=mig", asker)
    assert all(word in reply.markdown for word in words)
    assert "sudo nvidia-smi mig -i 0 -cgi 3g.40gb:4,1g.10gb:3 -C" in reply.markdown
    assert "-cgi 3g.40gb:4,1g.10gb:3 -C" in reply.files[".md"]().decode()
    listed = asks(service, "checklist llama-3.1-8b users=20 h100 + bge-m3 share=mig", asker)
    assert "1 × 3g.40gb" in listed.markdown
    (card,) = reply.data["mig"]
    assert [part["mig_profile"] for part in card["slices"]] == ["3g.40gb", "1g.10gb"]
    assert_valid("message", to_message(reply))


def test_software_as_it_was_asked_for(service) -> None:
    page = asks(service, "spec llama-3.1-8b l40s orchestrator=kubernetes os=debian-9").markdown
    assert "Containers are started by Kubernetes, as asked." in page
    assert "Operating system: Debian 9, as asked." in page
    assert "Debian 9" in page.split("⚠️")[1]
