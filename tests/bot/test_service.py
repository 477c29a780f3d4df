"""The use cases, with the real catalogue and a real log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import LONGEST_QUESTION, Service
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = replace(BEN, user_id="U0ANA", user_name="ana", language="es")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "gpusize.db")
    yield log
    log.close()


@pytest.fixture
def service(catalogue: Catalogue, log: SqliteLog) -> Service:
    return Service(catalogue, log, Renderer(catalogue))


def asks(service: Service, text: str, asker: Asker = BEN) -> Reply:
    return service.handle(text, asker, None)


def test_an_answer_is_logged_with_all_that_recomputes_it(service, log, catalogue) -> None:
    reply = asks(service, "llama-13b int8")
    row = log.get_answer(reply.answer_id, team_id="T1")
    assert row.question == "llama-13b int8"
    assert '"model_id":"llama-2-13b"' in row.request_json
    assert reply.answer.model_validate_json(row.answer_json) == reply.answer
    assert row.catalogue_digest == catalogue.stamp.digest
    assert (row.user_id, row.channel_id, row.transport) == ("U0BEN", "C1", "slack")


def test_a_question_that_is_not_understood_is_logged_too(service, log) -> None:
    reply = asks(service, "llama-12b int8")
    assert (reply.kind, reply.private) == (ReplyKind.ERROR, True)
    assert log.get_answer("A-1", team_id="T1").error_code == "unknown_model"


@pytest.mark.parametrize(("length", "understood"), [(LONGEST_QUESTION, True), (3001, False)])
def test_length_of_a_question(service, length: int, *, understood: bool) -> None:
    text = "llama-13b int8".ljust(length)
    assert (asks(service, text).error is None) is understood


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("llama-13b int8", "en"),
        ("llama-13b int8 lang=es", "es"),
        ("0 users lang=es", "es"),
        ("foo-bar-9000 idioma=es", "es"),
    ],
)
def test_language_of_the_question(service, text: str, language: str) -> None:
    assert asks(service, text).language == language


def test_cards_without_a_model_are_answered_with_their_facts(service) -> None:
    """46,068 MiB = 44.99 GiB = 48.3 GB, read from a machine."""
    reply = asks(service, "L40S son 48 GB o 45?", ANA)
    assert reply.error is None
    assert reply.private
    assert "48 GB nominales, 48,3 GB útiles (44,99 GiB, medidos)" in reply.markdown
    assert "¿Qué modelo?" in reply.markdown
    assert [gpu["id"] for gpu in reply.data["gpus"]] == ["l40s"]


def test_link_of_a_card(service) -> None:
    page = asks(service, "gpus rtx-3090").markdown
    assert "Card-to-card link: 112.5 GB/s, up to 2 GPUs" in page


def test_nothing_named_asks_for_the_model(service) -> None:
    reply = asks(service, "users=20")
    assert reply.error.values["reason"] == "no_model"
    assert "Which model?" in reply.markdown


def test_lists_show_private_answers_to_their_asker_alone(service) -> None:
    asks(service, "llama-13b int8 --private", BEN)
    asks(service, "mixtral-8x7b", BEN)
    listed = {
        name: asks(service, "list", who).data["answers"]
        for name, who in (("ben", BEN), ("ana", ANA))
    }
    assert [row["id"] for row in listed["ben"]] == ["A-2", "A-1"]
    assert [row["id"] for row in listed["ana"]] == ["A-2"]
    assert asks(service, "show A-1", ANA).kind is ReplyKind.ERROR
    assert service.explain("A-1", ANA).kind is ReplyKind.ERROR
    assert service.explain("A-1", BEN).kind is ReplyKind.EXPLAIN


def test_other_workspaces_see_nothing(service) -> None:
    asks(service, "llama-13b int8", BEN)
    stranger = replace(BEN, team_id="T2")
    assert asks(service, "show A-1", stranger).kind is ReplyKind.ERROR
    assert asks(service, "list", stranger).data == {"answers": []}


def test_questions_on_buttons_stay_private(service) -> None:
    private = asks(service, "llama-13b int8 --private")
    public = asks(service, "llama-13b int8")
    assert [button.value for button in private.actions[1:]] == [
        button.value + " --private" for button in public.actions[1:]
    ]
    again = asks(service, private.actions[1].value)
    assert again.private


def test_what_is_not_covered_is_said(service) -> None:
    reply = asks(service, "llama-3-8b lora ctx=8k")
    assert reply.error.code == "not_covered"
    assert "not covered yet" in reply.markdown


def test_an_answer_of_another_shape_is_named_and_costs_no_list(service, log, catalogue) -> None:
    """What another version logged may lack fields: said in a sentence, left out of lists."""
    asks(service, "llama-13b int8")
    row = log.get_answer("A-1", team_id="T1")
    old = NewAnswer(
        team_id="T1",
        user_id="U0BEN",
        transport="slack",
        language="en",
        question="llama-13b",
        request_json=row.request_json,
        answer_json="{}",
        package_version="0.0.9",
    )
    log.record_answer(old)
    assert "0.0.9" in asks(service, "show A-2").markdown
    assert [entry["id"] for entry in asks(service, "list").data["answers"]] == ["A-1"]


def test_explain_in_words(service) -> None:
    asks(service, "llama-13b int8")
    page = asks(service, "explain A-1").markdown
    assert "819,200 bytes" in page
