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
    assert {note["code"] for note in data["assumptions"]} == {"growth_compound"}


def test_it_is_found_again(service) -> None:
    asks(service)
    shown = asks(service, "show A-1", ANA)
    assert (shown.kind, shown.private) == (ReplyKind.SHOW, True)
    assert "# Servidor para Llama 3.1 70B" in shown.markdown
    assert "Pregunta de ben" in shown.markdown
    listed = asks(service, "list")
    assert "Server for Llama 3.1 70B + BGE-M3 + Whisper large v3" in listed.markdown
    assert listed.data["answers"][0]["model"] is None


def test_explaining_a_server_names_its_models_instead(service) -> None:
    asks(service)
    reply = asks(service, "explain A-1")
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
