"""The form for a whole server, filled in by people of both languages."""

from __future__ import annotations

import pytest

from bot.form.views import NEW
from bot.limits import find_problems
from bot.workspace import Message


def is_spec(message: Message) -> bool:
    return "Llama 3.1 70B" in message.shown and "A-1" in message.shown


@pytest.fixture(params=["command", "shortcut", "empty", "home"])
def opened(request, stage):
    """The form, opened in each of the ways there are."""
    if request.param == "shortcut":
        assert stage.ben.uses_shortcut(NEW).acked
    elif request.param == "home":
        assert stage.ben.opens_home().acked
        home = stage.workspace.wait_for(lambda: stage.ben.home, 5, "the Home tab")
        assert find_problems("home", home.content) == []
        assert stage.ben.clicks(home, "Size a server").acked
    else:
        line = "/gpusize new" if request.param == "command" else "/gpusize"
        assert stage.ben.types(line).acked
    return stage, stage.ben.waits_for_modal("Model")


def test_from_the_form_to_the_channel(opened) -> None:
    stage, view = opened
    stage.ben.fills(view, {"model": "llama-3.1-70b", "precision": "fp8", "users": 8})
    assert stage.ben.submits(view).acked
    server = stage.ben.waits_for_modal("Country")
    stage.ben.fills(server, {"gpu": "h100-sxm", "count": 2, "channel": "gpu-planning"})
    assert stage.ben.submits(server).acked
    answer = stage.ana.waits_for_message(is_spec)
    assert "H100 SXM" in answer.shown
    assert not answer.is_ephemeral
    assert stage.ben.waits_for_modal("A-1 is posted")
    (row,) = stage.logged()
    assert row.question == "spec llama-3.1-70b fp8 users=8 2xh100-sxm lang=en"


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("ana", ("Personas", "Peticiones por segundo", "País de la sala")),
        ("ben", ("People", "Requests a second", "Country of the room")),
    ],
)
def test_every_view_keeps_to_the_limits(stage, name, labels) -> None:
    """In both languages, whatever is chosen."""
    person = getattr(stage, name)
    person.types("/gpusize new llama-70b fp8 users=3 in=100 out=10 2xl40s budget=90k rent")
    view = person.waits_for_modal()
    for load, shows in (("people", "people"), ("rate", "rps")):
        person.fills(view, {"load": load})
        view = person.waits_for_modal(lambda seen, block=shows: block in seen.values)
        assert find_problems("modal", view.content) == []
    person.fills(view, {"rps": 2})
    person.submits(view)
    server = person.waits_for_modal(labels[2])
    for each in (view, server):
        assert find_problems("modal", each.content) == []
        assert len(each.blocks) <= 20


def test_fields_come_and_go_with_what_is_known(stage) -> None:
    stage.ben.types("/gpusize new")
    view = stage.ben.waits_for_modal("Requests at once")
    stage.ben.fills(view, {"model": "bge-m3", "load": "people"})
    view = stage.ben.waits_for_modal("Requests of each person in an hour")
    assert view.values["model"]["gpus1.form.model"]["selected_option"]["value"] == "bge-m3"
    stage.ben.fills(view, {"use": "lora"})
    view = stage.ben.waits_for_modal(lambda shown: "Prompt, tokens" not in shown.shown)
    assert "People" not in view.shown


def test_what_was_asked_is_filled_in(stage) -> None:
    stage.ana.types("/gpusize nuevo llama-3.1-70b fp8 usuarios=20 kv=fp8 2xh100 alquilar")
    view = stage.ana.waits_for_modal("Modelos y carga")
    values = view.values
    assert values["model"]["gpus1.form.model"]["selected_option"]["value"] == "llama-3.1-70b"
    assert values["users"]["gpus1.form.users"]["value"] == "20"
    stage.ana.submits(view)
    server = stage.ana.waits_for_modal("País de la sala")
    assert server.values["gpu"]["gpus1.form.gpu"]["selected_option"]["value"] == "h100-sxm"
    assert server.values["means"]["gpus1.form.means"]["selected_option"]["value"] == "rent"
    assert server.values["channel"]["gpus1.form.channel"]["selected_conversation"]
    stage.ana.submits(server)
    answer = stage.ben.waits_for_message(is_spec)
    assert "Servidor para Llama 3.1 70B" in answer.shown
    (row,) = stage.logged()
    assert "kv=fp8" in row.question


def test_from_an_answer_to_its_server(stage) -> None:
    stage.ben.types("/gpusize llama-3.1-70b fp8 users=8 2xh100")
    answer = stage.ben.waits_for_message(lambda seen: "A-1" in seen.shown)
    stage.ben.clicks(answer, "Server…")
    view = stage.ben.waits_for_modal("Model")
    assert view.values["model"]["gpus1.form.model"]["selected_option"]["value"] == "llama-3.1-70b"
    assert view.values["users"]["gpus1.form.users"]["value"] == "8"


def test_a_size_and_a_repository_are_models_too(stage) -> None:
    stage.ben.types("/gpusize new")
    view = stage.ben.waits_for_modal("Model")
    for typed in ("34b", "8x13b", "hf:acme/new-model"):
        offered = stage.ben.suggestions(view, "model", typed)
        assert typed in [option["value"] for option in offered]
    by_name = stage.ben.suggestions(view, "model", "llama 3.1 70b")
    assert [option["value"] for option in by_name].count("llama-3.1-70b") == 1
    names = [option["text"]["text"].lower() for option in by_name]
    assert len(set(names)) == len(names)
    assert stage.ben.suggestions(view, "model", "no such model at all") == []
    assert 0 < len(stage.ben.suggestions(view, "model", "")) <= 100


def test_a_sentence_stands_at_the_field_that_is_wrong(stage) -> None:
    """A GPU and a model that contradict each other: nothing typed is lost."""
    stage.ben.types("/gpusize new llama-3.1-8b ctx=8k")
    view = stage.ben.waits_for_modal("Model")
    stage.ben.fills(view, {"input": 8000, "output": 4000})
    stage.ben.submits(view)
    view = stage.ben.modal
    assert list(view.errors) != []
    assert view.values["input"]["gpus1.form.input"]["value"] == "8000"


def test_what_cannot_be_planned_goes_back_to_the_form(stage) -> None:
    """Image models are not trained here: said there, and all is still filled in."""
    stage.ben.types("/gpusize new sdxl lora")
    view = stage.ben.waits_for_modal("Model")
    stage.ben.submits(view)
    server = stage.ben.waits_for_modal("Country")
    stage.ben.fills(server, {"channel": "gpu-planning", "growth": 20})
    stage.ben.submits(server)
    view = stage.ben.waits_for_modal(lambda seen: seen.blocks[0]["type"] == "alert")
    assert view.values["growth"]["gpus1.form.growth"]["value"] == "20"
    assert find_problems("modal", view.content) == []
