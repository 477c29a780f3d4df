"""What people see in Slack, over both transports."""

from __future__ import annotations

import re
import time

import pytest

from bot.limits import find_problems
from bot.workspace import Fault, Message

QUESTION = "/gpusize llama-13b int8"


def is_answer(message: Message) -> bool:
    return "Llama 2 13B" in message.shown and message.user == "U0GPUSIZE"


def test_command_is_answered_in_the_channel(stage) -> None:
    delivery = stage.ben.types(QUESTION)
    assert delivery.acked
    message = stage.ana.waits_for_message(is_answer)
    assert not message.is_ephemeral
    assert message.text == "Llama 2 13B INT8 needs about 17.6 GB: fits 1 × L4 24 GB."
    for fact in ("13.0 B parameters", "13.4 GB of weights", "819,200 bytes", "16.3 GB"):
        assert fact in message.shown
    assert len(message.blocks) <= 6
    assert find_problems("message", {"text": message.text, "blocks": list(message.blocks)}) == []


def test_a_spanish_profile_is_answered_in_spanish(stage) -> None:
    stage.ana.types(QUESTION)
    message = stage.ana.waits_for_message(is_answer)
    assert message.text.startswith("Llama 2 13B INT8 requiere unos 17,6 GB")
    for fact in ("13,4 GB", "819.200 bytes", "16,3 GB"):
        assert fact in message.shown


def test_the_question_may_choose_the_language(stage) -> None:
    stage.ana.types(QUESTION + " lang=en")
    assert "needs about 17.6 GB" in stage.ana.waits_for_message(is_answer).text


def test_explain_answers_in_the_thread(stage) -> None:
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(message, "Explain")
    reply = stage.ben.waits_for_message("How it was computed")
    assert reply.thread_ts == message.ts
    for fact in (
        "8,493,465,600",
        "40 layers × 40 heads × 256 numbers × 16 bits ÷ 8 = 819,200 bytes",
        "13,352,478,720 bytes",
        "16.3 GB",
    ):
        assert fact in reply.shown
    assert "checked 2026" in reply.shown


def test_the_start_command_comes_in_the_thread(stage) -> None:
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(message, "Start command")
    reply = stage.ben.waits_for_message("How to start")
    assert reply.thread_ts == message.ts
    assert "--max-model-len 4096" in reply.shown
    stage.ben.clicks(message, "Explain")
    assert stage.ben.waits_for_message("How it was computed").thread_ts == message.ts


def test_a_private_answer_stays_private_and_so_does_its_explanation(stage) -> None:
    stage.ben.types(QUESTION + " --private")
    message = stage.ben.waits_for_message(is_answer)
    assert message.visible_to == stage.ben.id
    stage.ben.clicks(message, "Explain")
    assert stage.ben.waits_for_message("How it was computed").visible_to == stage.ben.id
    stage.ana.types("/gpusize show A-1")
    stage.ana.waits_for_message("A-1")
    assert not any(is_answer(seen) for seen in stage.ana.sees())


def test_unknown_model_is_told_to_the_asker_alone_with_near_names(stage) -> None:
    stage.ben.types("/gpusize llama-12b int8")
    message = stage.ben.waits_for_message("llama-12b")
    assert message.visible_to == stage.ben.id
    stage.ben.clicks(message, "llama-13b")
    assert not stage.ana.waits_for_message(is_answer).is_ephemeral


def test_help_is_for_the_asker_alone(stage) -> None:
    stage.ben.types("/gpusize help")
    message = stage.ben.waits_for_message("/gpusize llama-13b int8")
    assert message.visible_to == stage.ben.id


def test_a_text_of_ten_thousand_characters_gets_a_sentence(stage) -> None:
    stage.ben.types("/gpusize " + "x" * 10_000)
    message = stage.ben.waits_for_message("3,000 characters")
    assert message.visible_to == stage.ben.id


def test_typed_broadcasts_ping_nobody(stage) -> None:
    stage.ben.types("/gpusize <!channel> <@U0ANA> llama-13b int8")
    stage.ben.waits_for_message(is_answer)
    stage.ben.types("/gpusize <!channel> foo-bar-9000 int8")
    stage.ben.waits_for_message(lambda seen: seen.visible_to == stage.ben.id)
    assert stage.workspace.broadcasts == []


def test_where_the_bot_is_no_member_the_response_url_answers(stage) -> None:
    stage.ben.types(QUESTION, channel="random")
    message = stage.ana.waits_for_message(is_answer)
    assert message.channel == "C0RANDOM"
    assert not message.is_ephemeral


def test_the_answer_is_logged_before_it_is_sent(stage) -> None:
    """Slack fails the message: the answer stands in the log all the same."""
    stage.workspace.fail_next("chat.postMessage", Fault(error="fatal_error"))
    stage.ben.types(QUESTION)
    told = stage.ben.waits_for_message("did not confirm")
    assert told.visible_to == stage.ben.id
    assert [row.question for row in stage.logged()] == ["llama-13b int8"]


@pytest.mark.parametrize("error", ["invalid_blocks", "invalid_attachments"])
def test_blocks_that_slack_refuses_are_sent_as_text(http_stage, error: str) -> None:
    http_stage.workspace.fail_next("chat.postMessage", Fault(error=error))
    http_stage.ben.types(QUESTION)
    message = http_stage.ben.waits_for_message("needs about 17.6 GB")
    assert message.blocks == ()


def test_a_rate_limit_is_waited_for(stage) -> None:
    fault = Fault(status=429, error="ratelimited", retry_after_s=1)
    stage.workspace.fail_next("chat.postMessage", fault)
    stage.ben.types(QUESTION)
    assert stage.ben.waits_for_message(is_answer)


def test_a_fault_of_ours_is_told_with_a_number(stage, caplog) -> None:
    """The number in the message is the one in the program's log."""
    stage.workspace.fail_next("chat.postMessage", Fault(error="account_inactive"))
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message("Something went wrong")
    assert message.visible_to == stage.ben.id
    (number,) = re.findall(r"number ([0-9a-f]{8})", message.shown)
    assert f"error {number}" in [record.getMessage() for record in caplog.records]


def test_a_fault_is_told_in_the_askers_language(stage) -> None:
    stage.ana.types(QUESTION)
    stage.ana.waits_for_message(is_answer)
    stage.workspace.fail_next("chat.postMessage", Fault(error="account_inactive"))
    stage.ana.types(QUESTION)
    assert stage.ana.waits_for_message("Algo falló").visible_to == stage.ana.id


def test_a_button_of_another_version_says_so(stage) -> None:
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message(is_answer)
    element = message.blocks[-1]["elements"][0]
    element["action_id"] = "gpus0.approve"
    stage.ben.clicks(message, "gpus0.approve")
    told = stage.ben.waits_for_message(lambda seen: seen.visible_to == stage.ben.id)
    assert told.text


def test_acks_do_not_wait_for_busy_workers(stage) -> None:
    """Five answers hang in Slack's API for a second each; the next command is acked meanwhile."""
    stage.workspace.fail_next("users.info", Fault(hang_s=1.0, times=5))
    for _ in range(5):
        stage.ben.types(QUESTION)
    started = time.monotonic()
    assert stage.ben.types(QUESTION).acked
    assert time.monotonic() - started < 1.0
    stage.ben.waits_for_message(is_answer)


@pytest.mark.parametrize("line", ["list", "models qwen3", "gpus a100", "help"])
def test_lists_and_help_are_for_the_asker(stage, line: str) -> None:
    stage.ben.types(f"/gpusize {line}")
    message = stage.ben.waits_for_message(lambda seen: seen.user == "U0GPUSIZE")
    assert message.visible_to == stage.ben.id


def test_a_past_answer_is_shown_again(stage) -> None:
    stage.ben.types(QUESTION)
    first = stage.ben.waits_for_message(is_answer)
    stage.ben.types("/gpusize show A-1")
    again = stage.ben.waits_for_message(is_answer, after=first)
    assert "llama-13b int8" in again.shown
