"""The use cases, with the real catalogue and a real log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.errors import StorageError
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
    assert "se vende como 48 GB; útil: 44,99 GiB = 48,3 GB de 10⁹ bytes (medida)" in reply.markdown
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
    assert asks(service, "list", stranger).data == {"answers": [], "not_shown": 0}


def _ids(service: Service, asker: Asker) -> list[str]:
    return [row["id"] for row in asks(service, "list", asker).data["answers"]]


def _sees(service: Service, answer: str, asker: Asker) -> list[bool]:
    kinds = (
        asks(service, f"show {answer}", asker).kind,
        asks(service, f"explain {answer}", asker).kind,
        service.explain(answer, asker).kind,
    )
    return [kind is not ReplyKind.ERROR for kind in kinds]


def test_what_was_asked_elsewhere_stays_there(service) -> None:
    """C1 may be a direct message or a private channel: nobody reads it from C2 but who asked."""
    asks(service, "llama-13b int8", BEN)
    elsewhere = replace(BEN, channel_id="C2")
    for asker, seen in (
        (BEN, True),
        (elsewhere, True),
        (ANA, True),
        (replace(ANA, channel_id="C2"), False),
        (replace(ANA, channel_id=None), False),
    ):
        assert _ids(service, asker) == (["A-1"] if seen else []), asker
        assert _sees(service, "A-1", asker) == [seen] * 3, asker


def test_an_organisation_without_a_workspace_sees_its_own_alone(service) -> None:
    """Slack leaves the workspace out where an app is installed for a whole organisation."""
    asks(service, "llama-13b int8", BEN)
    in_org = replace(BEN, team_id=None, enterprise_id="E1")
    asks(service, "mixtral-8x7b", in_org)
    assert _ids(service, in_org) == ["A-2"]
    assert _sees(service, "A-1", in_org) == [False] * 3
    for stranger in (
        replace(in_org, enterprise_id="E2"),
        replace(in_org, enterprise_id=None),
        BEN,
    ):
        assert "A-2" not in _ids(service, stranger)
        assert _sees(service, "A-2", stranger) == [False] * 3


def test_the_terminal_sees_all(service) -> None:
    asks(service, "llama-13b int8 --private", BEN)
    asks(service, "mixtral-8x7b", replace(BEN, team_id=None, enterprise_id="E1"))
    owner = Asker("root", None, Transport.TERMINAL)
    asks(service, "llama-13b", owner)
    assert _ids(service, owner) == ["A-3", "A-2", "A-1"]
    assert _sees(service, "A-1", owner) == [True] * 3
    assert "A-3" not in _ids(service, replace(BEN, team_id=None))


def test_questions_on_buttons_stay_private(service) -> None:
    private = asks(service, "llama-13b int8 --private")
    public = asks(service, "llama-13b int8")
    assert [button.value for button in private.actions[6:]] == [
        button.value + " --private" for button in public.actions[6:]
    ]
    again = asks(service, private.actions[6].value)
    assert again.private


def test_what_is_not_covered_is_said(service) -> None:
    reply = asks(service, "max ctx llama-3-8b lora gpu=l40s")
    assert reply.error.code == "not_covered"
    assert "Not covered yet: LoRA fine-tuning" in reply.markdown


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
    listed = asks(service, "list")
    assert [entry["id"] for entry in listed.data["answers"]] == ["A-1"]
    assert listed.data["not_shown"] == 1
    assert "1 answer of another version is not shown." in listed.markdown


@pytest.mark.parametrize(
    ("unreadable", "found"),
    [
        # Two pages of 20 are passed to reach the readable one.
        (45, ["A-1"]),
        # Ten pages are searched, no more: what is older is not read.
        (200, []),
    ],
)
def test_a_list_goes_on_behind_what_it_cannot_read(
    service, log, unreadable: int, found: list[str]
) -> None:
    asks(service, "llama-13b int8")
    old = replace(_row_of(log, "A-1"), answer_json="{}")
    for _ in range(unreadable):
        log.record_answer(old)
    listed = asks(service, "list")
    assert [entry["id"] for entry in listed.data["answers"]] == found
    assert listed.data["not_shown"] == unreadable
    assert "No answers yet" not in listed.markdown


def test_a_list_is_full_with_twenty(service, log) -> None:
    asks(service, "llama-13b int8")
    row = _row_of(log, "A-1")
    for _ in range(24):
        log.record_answer(row)
    log.record_answer(replace(row, answer_json="{}"))
    listed = asks(service, "list")
    ids = [f"A-{number}" for number in range(25, 5, -1)]
    assert [entry["id"] for entry in listed.data["answers"]] == ids
    assert listed.data["not_shown"] == 1


def _row_of(log: SqliteLog, answer_id: str) -> NewAnswer:
    row = log.get_answer(answer_id, team_id="T1")
    return NewAnswer(**{field.name: getattr(row, field.name) for field in fields(NewAnswer)})


def test_a_list_by_very_many_words(service) -> None:
    """SQLite refuses an expression of more than 1,000 steps."""
    asks(service, "llama-13b int8")
    words = " ".join(f"{number}" for number in range(1100))[:2900]
    assert asks(service, f"list {words}").kind is ReplyKind.LIST
    repeated = "list " + "llama " * 400
    assert [row["id"] for row in asks(service, repeated).data["answers"]] == ["A-1"]


@pytest.mark.parametrize(
    "text", ["llama-13b int8", "list", "show A-1", "explain A-1", "start A-1", "nonsense"]
)
def test_a_log_that_fails_is_no_ones_to_read_about(service, log, text: str) -> None:
    """Its error names a file: the doors report it, the asker's reply never does."""
    asks(service, "llama-13b int8")
    log.close()
    with pytest.raises(StorageError):
        asks(service, text)
    with pytest.raises(StorageError):
        service.explain("A-1", BEN)


@pytest.mark.parametrize("asker", [BEN, ANA], ids=["en", "es"])
@pytest.mark.parametrize(
    "text",
    [
        "", "llama-13b int8", "models", "models qwen", "models zzzz", "gpus", "gpus zzzz",
        "gpus rtx-3090", "L40S?", "list", "list zzzz", "show A-1", "explain A-1", "foo-bar-9000",
        "show A-999", "start A-1", "start llama-13b int8",
    ],
)  # fmt: skip
def test_every_reply_says_in_a_sentence_what_it_is(service, text: str, asker: Asker) -> None:
    asks(service, "llama-13b int8", asker)
    reply = asks(service, text, asker)
    assert reply.summary.strip().endswith((".", "?"))
    assert "\n" not in reply.summary.strip()
    assert to_message(reply)["text"].strip()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("explain A-1", "How A-1, Llama 2 13B INT8, was computed."),
        ("start A-1", "How to start A-1, Llama 2 13B INT8."),
        ("list", "The latest answer."),
        ("gpus rtx-3090", "Facts about GeForce RTX 3090 24 GB and GeForce RTX 3090 Ti 24 GB."),
        ("help", "How to ask: type `/gpusize` and a question."),
        ("models zzzz", "No model of that name."),
    ],
)
def test_fallback_text_of_pages(service, text: str, sentence: str) -> None:
    asks(service, "llama-13b int8")
    assert to_message(asks(service, text))["text"] == sentence


def test_an_explanation_keeps_the_language_of_its_answer(service) -> None:
    """Ben reads English; the answer he presses Explain under is Ana's, in Spanish."""
    answer = asks(service, "llama-13b int8", ANA)
    assert service.explain(answer.actions[0].value, BEN).language == "es"
    shown = asks(service, "show A-1", BEN)
    assert shown.language == "en"
    explained = service.explain(shown.actions[0].value, BEN)
    assert (explained.kind, explained.language) == (ReplyKind.EXPLAIN, "en")
    assert asks(service, "explain A-1", BEN).language == "en"
    assert asks(service, "explain A-1 lang=es", BEN).language == "es"


def test_the_start_command_of_an_answer(service) -> None:
    answer = asks(service, "llama-13b int8", ANA)
    explain, start, *_ = answer.actions
    assert (explain.action_id, start.action_id) == ("gpus1.explain", "gpus1.start")
    below = service.start(start.value, BEN)
    assert (below.kind, below.language, below.private) == (ReplyKind.START, "es", False)
    assert "--max-model-len 4096" in below.markdown
    assert asks(service, "start A-1", BEN).private


def test_a_question_for_the_command_alone_is_an_answer_too(service, log) -> None:
    reply = asks(service, "start llama-13b int8 --private lang=es")
    assert (reply.kind, reply.language, reply.private) == (ReplyKind.START, "es", True)
    assert reply.markdown.startswith("# Cómo arrancar Llama 2 13B")
    assert [button.action_id for button in reply.actions] == ["gpus1.explain"]
    assert log.get_answer(reply.answer_id, team_id="T1").question.startswith("start llama")


def test_nothing_is_started_where_nothing_runs(service) -> None:
    answer = asks(service, "llama 3.1 405b bf16 gpu=1xt4 gpus<=1")
    assert answer.starts is None
    assert [button.action_id for button in answer.actions] == [
        "gpus1.explain", "gpus1.refine", "gpus1.server", "gpus1.save", "gpus1.wrong",
    ]  # fmt: skip
    page = service.start("A-1", BEN).markdown
    assert page.startswith("# No command for Llama 3.1 405B")


def test_other_questions_keep_the_language_that_was_named(service) -> None:
    named = asks(service, "llama-13b int8 lang=es", BEN)
    assert named.actions[6].value.endswith(" lang=es")
    again = asks(service, named.actions[6].value, BEN)
    assert (again.error, again.language) == (None, "es")
    assert "lang=" not in asks(service, "llama-13b int8", ANA).actions[6].value


def test_explain_in_words(service) -> None:
    asks(service, "llama-13b int8")
    page = asks(service, "explain A-1").markdown
    assert "819,200 bytes" in page


@pytest.mark.parametrize(
    ("question", "language", "title", "cell", "reason"),
    [
        (
            "phi-4 bf16 5x3090 tp=5",
            "en",
            "does not start on 5 × GeForce RTX 3090 24 GB",
            "❌ Does not start · asked",
            "the vocabulary, padded to 100,352 entries, does not divide by it",
        ),
        (
            "llama-2-13b 5x3090 tp=5",
            "es",
            "no arranca en 5 × GeForce RTX 3090 24 GB",
            "❌ No arranca · pedida",
            "el ancho de la capa feed-forward, 13.824, no se divide",
        ),
    ],
)
def test_a_split_that_no_engine_starts_with_is_not_called_a_fit(
    service, question: str, language: str, title: str, cell: str, reason: str
) -> None:
    """100,352 and 13,824 are no multiples of 5, although 40 heads are."""
    reply = asks(service, question, replace(BEN, language=language))
    assert title in reply.markdown.splitlines()[0]
    assert title in reply.summary
    assert cell in reply.markdown
    assert reply.markdown.count(reason) == 1
    assert "✅ **" not in reply.markdown
