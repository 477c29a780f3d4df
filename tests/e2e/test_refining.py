"""A question asked again from below its answer: the new one stands there, with what differs."""

from __future__ import annotations

import pytest

from bot.limits import find_problems

HEADS = {
    "ben": "Against A-1: *INT8 → FP16: 17.6 → 30.3 GB on one GPU (+12.7 GB), now 2 cards*",
    "ana": "Frente a A-1: *INT8 → FP16: 17,6 → 30,3 GB en una GPU (+12,7 GB), ahora 2 tarjetas*",
}
BUTTONS = {"ben": "Refine…", "ana": "Ajustar…"}
LABELS = {"ben": "Refine the question", "ana": "Ajustar la pregunta"}


def answered(stage, person, line: str = "/gpusize llama-13b int8 in=3072 out=1024"):
    person.types(line)
    return person.waits_for_message(lambda seen: "A-1" in seen.shown)


def below(stage, person, answer):
    """Wait for the second message of a thread."""
    found = lambda: (person.thread(answer)[1:] or [None])[0]  # noqa: E731
    return stage.workspace.wait_for(found, 5, "a reply in the thread")


@pytest.mark.parametrize("name", ["ana", "ben"])
def test_the_answer_stands_below_with_what_differs(stage, name: str) -> None:
    person = getattr(stage, name)
    answer = answered(stage, person)
    person.clicks(answer, BUTTONS[name])
    view = person.waits_for_modal(LABELS[name])
    assert find_problems("modal", view.content) == []
    assert view.values["precision"]["gpus1.form.precision"]["selected_option"]["value"] == "int8"
    assert view.values["input"]["gpus1.form.input"]["value"] == "3072"
    assert "others" not in view.values
    person.fills(view, {"precision": "fp16", "gpu": "l4", "count": 2})
    assert person.submits(view).acked
    reply = below(stage, person, answer)
    assert HEADS[name] in reply.shown
    assert "1 × L4 24 GB → 2 × L4 24 GB" in reply.shown
    assert HEADS[name].replace("*", "") in reply.text.replace("*", "")
    assert not reply.is_ephemeral
    assert find_problems("message", {"text": reply.text, "blocks": list(reply.blocks)}) == []
    assert person.waits_for_modal("A-2")
    newest, first = stage.logged()
    assert newest.question.startswith("llama-2-13b fp16 ")
    assert "2xl4" in newest.question
    assert newest.channel_id == first.channel_id


def test_it_goes_on_from_answer_to_answer_in_one_thread(stage) -> None:
    answer = answered(stage, stage.ben)
    stage.ben.clicks(answer, "Refine…")
    view = stage.ben.waits_for_modal("Refine the question")
    stage.ben.fills(view, {"users": 8})
    stage.ben.submits(view)
    second = below(stage, stage.ben, answer)
    assert "Against A-1: *requests 1 → 8: " in second.shown
    stage.ben.clicks(second, "Refine…")
    view = stage.ben.waits_for_modal(lambda seen: "users" in seen.values)
    assert view.values["users"]["gpus1.form.users"]["value"] == "8"
    root = stage.ben.waits_for_message(lambda seen: "Latest ↓ A-2" in seen.shown)
    assert root.ts == answer.ts
    stage.ben.fills(view, {"precision": "int4"})
    stage.ben.submits(view)
    third = stage.ben.waits_for_message(lambda seen: "Against A-2: " in seen.shown)
    assert third.thread_ts == answer.ts
    root = stage.ben.waits_for_message(lambda seen: "Latest ↓ A-3" in seen.shown)
    assert root.ts == answer.ts
    assert "A-2" not in root.shown
    assert "Refine…" in root.shown
    assert find_problems("message", {"text": root.text, "blocks": list(root.blocks)}) == []
    assert "INT8 → INT4" in third.shown
    assert "requests" not in third.shown.split("Against A-2: ")[1].split("\n")[0]


def test_the_answer_keeps_the_language_of_the_first(stage) -> None:
    """Ana reads Spanish; the thread she adds to is English."""
    answer = answered(stage, stage.ben)
    stage.ana.clicks(answer, "Refine…")
    view = stage.ana.waits_for_modal("Ajustar la pregunta")
    stage.ana.fills(view, {"precision": "fp16"})
    stage.ana.submits(view)
    assert "Against A-1: *INT8 → FP16: " in below(stage, stage.ben, answer).shown


def test_below_a_private_answer_it_is_private(stage) -> None:
    stage.ben.types("/gpusize llama-13b int8 --private")
    answer = stage.ben.waits_for_message(lambda seen: "A-1" in seen.shown)
    stage.ben.clicks(answer, "Refine…")
    view = stage.ben.waits_for_modal("Refine the question")
    stage.ben.fills(view, {"precision": "fp16"})
    stage.ben.submits(view)
    reply = stage.ben.waits_for_message(lambda seen: "Against A-1: " in seen.shown)
    assert reply.is_ephemeral
    assert all(row.is_private for row in stage.logged())
    assert not [seen for seen in stage.ana.sees() if "A-2" in seen.shown]


def test_where_the_app_is_no_member_the_response_url_reaches_the_thread(stage) -> None:
    stage.ben.types("/gpusize llama-13b int8", "random")
    answer = stage.ben.waits_for_message(lambda seen: "A-1" in seen.shown)
    stage.ben.clicks(answer, "Refine…")
    view = stage.ben.waits_for_modal("Refine the question")
    stage.ben.fills(view, {"precision": "fp16"})
    stage.ben.submits(view)
    assert "Against A-1: " in below(stage, stage.ben, answer).shown


def test_what_cannot_be_answered_goes_back_to_the_form(stage) -> None:
    answer = answered(stage, stage.ben)
    stage.ben.clicks(answer, "Refine…")
    view = stage.ben.waits_for_modal("Refine the question")
    stage.ben.fills(view, {"model": "sdxl", "use": "lora"})
    view = stage.ben.waits_for_modal(lambda seen: "users" not in seen.values)
    stage.ben.submits(view)
    view = stage.ben.waits_for_modal(lambda seen: seen.blocks[0]["type"] == "alert")
    assert view.values["model"]["gpus1.form.model"]["selected_option"]["value"] == "sdxl"
    assert find_problems("modal", view.content) == []
    assert len(stage.ben.thread(answer)) == 1


def test_fields_come_and_go_there_too(stage) -> None:
    answer = answered(stage, stage.ben)
    stage.ben.clicks(answer, "Refine…")
    view = stage.ben.waits_for_modal("Refine the question")
    stage.ben.fills(view, {"load": "rate"})
    view = stage.ben.waits_for_modal(lambda seen: "rps" in seen.values)
    assert "gpu" in view.values
    assert find_problems("modal", view.content) == []
