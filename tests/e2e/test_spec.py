"""A plan in Slack: the message, and what stands in its thread."""

from __future__ import annotations

from bot.limits import find_problems

QUESTION = "/gpusize spec llama-3.1-70b fp8 2xh100 users=8 + bge-m3 country=ES"


def test_the_thread_holds_checklist_report_and_workbook(stage) -> None:
    assert stage.ben.types(QUESTION).acked
    plan = stage.ana.waits_for_message("Server for Llama 3.1 70B + BGE-M3")
    assert not plan.is_ephemeral
    assert find_problems("message", {"text": plan.text, "blocks": list(plan.blocks)}) == []

    def files() -> set[str]:
        return {file["name"] for reply in stage.ana.thread(plan) for file in reply.files}

    wanted = {"gpusize-A-1.png", "gpusize-A-1.md", "gpusize-A-1.xlsx"}
    stage.workspace.wait_for(lambda: files() == wanted, 10, "the files")
    thread = stage.ana.thread(plan)
    boxes = [
        element
        for reply in thread
        for block in reply.blocks
        for element in block.get("elements", ())
        if element.get("type") == "checkboxes"
    ]
    assert boxes
    assert [block["type"] for block in plan.blocks].count("data_visualization") == 2
    (picture,) = [file for reply in thread for file in reply.files if file["name"].endswith("png")]
    assert picture["alt_txt"].startswith("Memory of each card as bars. Llama 3.1 70B FP8 on ")
    assert "What is paid until the end of each of 5 years" in picture["alt_txt"]


def test_a_spanish_plan(stage) -> None:
    stage.ana.types("/gpusize ficha llama-3.1-8b 1xl4 pa\u00eds=MX")
    plan = stage.ben.waits_for_message("Servidor para Llama 3.1 8B")
    assert "circuitos" in plan.shown
    assert [row.id for row in stage.logged()] == ["A-1"]


def test_a_private_plan_has_no_thread(stage) -> None:
    stage.ben.types("/gpusize spec llama-3.1-8b 1xl4 --private")
    plan = stage.ben.waits_for_message("Server for Llama 3.1 8B")
    assert plan.visible_to == stage.ben.id


def test_a_past_answer_is_planned_for_whoever_sees_it(stage) -> None:
    stage.ben.types("/gpusize llama-3.1-8b fp8 1xl4")
    stage.ben.waits_for_message("Llama 3.1 8B")
    stage.ana.types("/gpusize ficha A-1 crecimiento=30% pa\u00eds=ES")
    plan = stage.ben.waits_for_message("Servidor para Llama 3.1 8B")
    assert not plan.is_ephemeral
    assert [row.id for row in stage.logged()][:2] in (["A-1", "A-2"], ["A-2", "A-1"])


def test_an_answer_that_is_not_there_is_told_to_the_asker(stage) -> None:
    stage.ben.types("/gpusize checklist A-99")
    message = stage.ben.waits_for_message("A-99")
    assert message.visible_to == stage.ben.id
