"""The list of models that fit, with the real catalogue and a real log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.blocks import to_message
from bot.contract import reply_contract
from bot.fits import MOST_OF_A_CLASS, SHOWN_MODELS, FitsView
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage.sqlite import SqliteLog
from sizing.catalogue import Catalogue
from sizing.fits import FitsAnswer
from sizing.inverse import what_fits
from sizing.request import Goal, GpuChoice, SizingRequest

BEN = Asker("U0BEN", "C1", Transport.SLACK, "en", team_id="T1", user_name="ben")
ANA = replace(BEN, user_id="U0ANA", user_name="ana", language="es")
QUESTIONS = ("what fits 2xL40S", "fits 8xh200", "fits 24gb moe users=4", "fits t4 ctx=1m vlm")


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


def listed(catalogue: Catalogue, gpu: str, count: int) -> FitsAnswer:
    choice = GpuChoice(gpu=gpu, count=count)
    return what_fits(SizingRequest(goal=Goal.WHAT_FITS, gpus=(choice,)), catalogue)


def test_it_is_logged_like_an_answer(service, log) -> None:
    reply = asks(service, "what fits 2xL40S users=4")
    assert (reply.kind, reply.answer_id, reply.private) == (ReplyKind.FITS, "A-1", False)
    row = log.get_answer("A-1", team_id="T1")
    logged = FitsAnswer.model_validate_json(row.answer_json)
    assert [model.model_id for model in logged.models] == [
        model["model_id"] for model in reply.data["models"]
    ]
    assert '"goal":"what_fits"' in row.request_json


def test_it_is_listed_and_shown_again(service) -> None:
    page = asks(service, "what fits 2xL40S").markdown
    entry = asks(service, "list")
    assert "What fits 2 × L40S 48 GB |" in entry.markdown
    assert entry.data["answers"][0]["model"] is None
    shown = asks(service, "show A-1")
    assert shown.kind is ReplyKind.SHOW
    assert shown.markdown.startswith(page.rstrip())
    assert "“what fits 2xL40S”" in shown.markdown
    assert asks(service, "ver A-1", ANA).markdown.startswith("# Qué cabe en 2 × L40S 48 GB")


def test_it_has_no_derivation_of_its_own(service) -> None:
    asks(service, "what fits 2xL40S")
    for reply in (asks(service, "explain A-1"), service.explain("A-1", BEN)):
        assert reply.error.code == "lists_models"
        assert "lists models that fit" in reply.markdown


def test_privacy_is_kept(service) -> None:
    reply = asks(service, "what fits 2xL40S --private")
    assert reply.private
    assert asks(service, "show A-1", ANA).error.code == "unknown_answer"
    assert all("--private" in button.value for button in reply.actions)


def test_buttons_ask_how_a_model_stands(service) -> None:
    """The verdict of the button's question is the one of the row."""
    reply = asks(service, "qué cabe en 2xL40S users=4 lang=es")
    first = reply.data["models"][0]
    answer = asks(service, reply.actions[0].value)
    assert len(reply.actions) == 3
    assert answer.language == "es"
    assert answer.answer.understood.model_id == first["model_id"]
    assert answer.answer.understood.precision == first["formats"][0]["precision"]
    assert answer.answer.options[0].verdict == first["formats"][0]["verdict"]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("asker", [BEN, ANA], ids=["en", "es"])
def test_slack_takes_the_message(service, question, asker) -> None:
    reply = asks(service, question, asker)
    assert reply.error is None
    message = to_message(reply)
    assert_valid("message", message)
    assert message["text"].strip()


@pytest.mark.parametrize(("gpu", "count"), [("l40s", 2), ("h200-sxm", 8), ("t4", 1)])
def test_the_first_view_is_short_and_mixed(catalogue, gpu, count) -> None:
    view = FitsView(listed(catalogue, gpu, count))
    assert len(view.rows) == SHOWN_MODELS
    assert view.hidden_rows == len(view.answer.models) - SHOWN_MODELS
    classes = Counter(model.class_parameters for model in view.rows)
    assert max(classes.values()) == MOST_OF_A_CLASS
    assert view.rows[0] == view.answer.models[0]


def test_few_models_are_all_shown(catalogue) -> None:
    answer = listed(catalogue, "l40s", 2)
    few = answer.model_copy(update={"models": answer.models[:6]})
    assert FitsView(few).rows == few.models
    assert FitsView(few).hidden_rows == 0


def test_nothing_fits(service) -> None:
    """A 24 GB card holds no context of a million tokens of such a model."""
    english = asks(service, "fits t4 ctx=1m vlm users=64").markdown
    assert "❌ **No model fits**" in english
    assert "|---" not in english
    assert (
        "❌ **No cabe ningún modelo**" in asks(service, "fits t4 ctx=1m vlm users=64", ANA).markdown
    )


def test_an_engine_that_does_not_run_there_is_named(service) -> None:
    page = asks(service, "what fits m3-ultra engine=vllm").markdown
    assert "vLLM does not run on" in page


def test_json_has_every_model_and_its_formats(service) -> None:
    reply = asks(service, "what fits 2xL40S --json")
    contract = reply_contract(reply, service.messages("en"))
    assert json.loads(json.dumps(contract)) == contract
    assert contract["schema"] == "gpusize-fits/1"
    assert set(contract) == {
        "schema", "answer_id", "understood", "models", "too_large", "too_short", "not_sized",
        "warnings", "assumptions", "catalogue",
    }  # fmt: skip
    assert contract["answer_id"] == "A-1"
    assert len(contract["models"]) > SHOWN_MODELS
    assert all(model["formats"] for model in contract["models"])
    assert {note["code"] for note in contract["assumptions"]} == {
        "fits_precisions",
        "fits_published",
    }


def test_unequal_cards_are_named(service) -> None:
    page = asks(service, "fits 3090+3070").markdown
    assert page.startswith("# What fits 1 × GeForce RTX 3090 24 GB + 1 × GeForce RTX 3070 8 GB")


def test_slices_are_named_and_never_added_up(service) -> None:
    """Two slices are two copies: what they hold is what one holds, twice the requests."""
    one, two = (asks(service, f"fits {count}xh100:3g.40gb") for count in (1, 2))
    assert "slice 3g.40gb" in two.markdown.splitlines()[0]
    rows = [
        {row["model_id"]: row["formats"][0] for row in each.data["models"]} for each in (one, two)
    ]
    assert rows[0].keys() == rows[1].keys()
    for name, first in rows[0].items():
        assert rows[1][name]["max_concurrent_requests"] == 2 * first["max_concurrent_requests"]


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        # Llama 2 13B takes 4,096 tokens; on 43.5 GB - 13.4 GB of weights 819,200 bytes a token.
        ("llama-13b int8 l40s max ctx", "4,096 tokens**, all that the model takes"),
        ("llama-13b int8 l40s máximo contexto lang=es", "4.096 tokens**, todo lo que admite"),
        ("llama-13b fp16 1xt4 max ctx", "❌ **No context fits 1 × T4 16 GB**"),
        ("llama-13b fp16 1xt4 contexto máximo lang=es", "❌ **No cabe ningún contexto en 1 × T4"),
        ("llama-13b int8 1xt4 max users", "❌ **No request of 4,096 tokens fits 1 × T4 16 GB**"),
        ("llama-13b int8 1xt4 máx usuarios lang=es", "❌ **No cabe ninguna solicitud de 4.096"),
    ],
)
def test_the_most_is_said_first(service, question, sentence) -> None:
    lines = asks(service, question).markdown.splitlines()
    assert sentence in lines[2]


def test_the_most_is_the_figure_of_the_first_option(service) -> None:
    """It comes with the figure at the high bound of all overheads."""
    reply = asks(service, "llama-3.1-8b bf16 l40s max users ctx=8k")
    option = reply.answer.options[0]
    assert 0 < option.safe_max_concurrent_requests < option.max_concurrent_requests
    line = reply.markdown.splitlines()[2]
    assert f"about {option.max_concurrent_requests} requests of 8,192 tokens**" in line
    assert f"; {option.safe_max_concurrent_requests} at the high estimate" in line
    assert "about" in reply.summary
    longest = asks(service, "llama-3.1-8b bf16 l4 max ctx")
    option = longest.answer.options[0]
    assert f"about {option.max_context_tokens:,} tokens**" in longest.markdown
    assert f"; {option.safe_max_context_tokens:,} tokens at the high" in longest.markdown
    assert "| GPU | Verdict | Longest context |" in longest.markdown


def test_where_the_format_is_refused_no_most_is_said(service) -> None:
    assert "Longest context on" not in asks(service, "llama-3.1-8b fp8 v100 max ctx").markdown
