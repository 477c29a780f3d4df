"""What Slack or the network lose: no public answer twice, none in silence."""

from __future__ import annotations

import pytest

from bot.workspace import Fault, Message

QUESTION = "/gpusize llama-13b int8"


def is_answer(message: Message) -> bool:
    return "Llama 2 13B" in message.shown and message.user == "U0GPUSIZE"


def answers(stage) -> list[Message]:
    return [message for message in stage.ben.sees() if is_answer(message)]


def posts(stage) -> list[str]:
    return [call.method for call in stage.workspace.calls if call.method.startswith("chat.")]


def test_a_post_whose_confirmation_is_lost_is_not_made_again(stage) -> None:
    """The answer is there, and what the asker is told is true whether it is or not."""
    lost = Fault(status=500, error="internal_error", after_work=True)
    stage.workspace.fail_next("chat.postMessage", lost)
    stage.ben.types(QUESTION)
    told = stage.ben.waits_for_message("did not confirm that the answer arrived")
    assert told.visible_to == stage.ben.id
    assert len(answers(stage)) == 1


def test_a_question_whose_answer_may_have_arrived_is_not_answered_again(http_stage) -> None:
    """A replay of the same bytes after a lost confirmation posts nothing."""
    lost = Fault(status=503, error="service_unavailable", after_work=True)
    http_stage.workspace.fail_next("chat.postMessage", lost)
    first = http_stage.ben.types(QUESTION)
    http_stage.ben.waits_for_message("did not confirm")
    http_stage.workspace.replay(first)
    http_stage.ben.types("/gpusize mixtral-8x7b")
    http_stage.ben.waits_for_message("Mixtral")
    assert len(answers(http_stage)) == 1


def test_a_question_whose_answer_was_refused_can_come_again(http_stage) -> None:
    http_stage.workspace.fail_next("chat.postMessage", Fault(error="account_inactive"))
    first = http_stage.ben.types(QUESTION)
    http_stage.ben.waits_for_message("Something went wrong")
    assert http_stage.workspace.replay(first).status == 200
    assert http_stage.ben.waits_for_message(is_answer)


def test_a_read_that_fails_is_made_again(stage) -> None:
    stage.workspace.fail_next("users.info", Fault(status=500))
    stage.ana.types(QUESTION)
    assert stage.ana.waits_for_message(is_answer).text.startswith("Llama 2 13B INT8 requiere")


def test_a_long_rate_limit_is_not_waited_for(http_stage) -> None:
    """Eleven seconds are more than anybody waits: the fault is told within five."""
    fault = Fault(status=429, retry_after_s=11)
    http_stage.workspace.fail_next("chat.postMessage", fault)
    http_stage.ben.types(QUESTION)
    assert http_stage.ben.waits_for_message("Something went wrong", timeout_s=5)


@pytest.mark.parametrize(
    "error",
    ["restricted_action", "restricted_action_read_only_channel", "is_archived"],
)
def test_where_the_bot_may_not_post_the_response_url_answers(http_stage, error: str) -> None:
    http_stage.workspace.fail_next("chat.postMessage", Fault(error=error))
    http_stage.ben.types(QUESTION)
    assert not http_stage.ana.waits_for_message(is_answer).is_ephemeral


def test_blocks_that_the_response_url_refuses_go_as_text(http_stage) -> None:
    http_stage.workspace.fail_next("response_url", Fault(status=400, error="invalid_blocks"))
    http_stage.ben.types(QUESTION, channel="random")
    message = http_stage.ana.waits_for_message("needs about 17.6 GB")
    assert message.blocks == ()
    assert not message.is_ephemeral


def test_a_public_post_to_a_broken_response_url_is_not_repeated(http_stage) -> None:
    """One public try; what follows is for the asker alone."""
    http_stage.workspace.fail_next("response_url", Fault(status=500))
    http_stage.ben.types(QUESTION, channel="random")
    told = http_stage.ben.waits_for_message("did not confirm")
    assert told.visible_to == http_stage.ben.id
    assert not any(is_answer(seen) for seen in http_stage.ana.sees("random"))


def test_a_private_reply_finds_another_way_than_a_dead_response_url(http_stage) -> None:
    http_stage.workspace.fail_next("response_url", Fault(status=404, error="expired_url", times=2))
    http_stage.ben.types("/gpusize help")
    told = http_stage.ben.waits_for_message("/gpusize llama-13b int8")
    assert told.visible_to == http_stage.ben.id
    assert posts(http_stage) == ["chat.postEphemeral"]


def test_a_command_that_lacks_its_trigger_is_told_to_the_asker(http_stage) -> None:
    payload = http_stage.ben.command_payload(QUESTION)
    del payload["trigger_id"]
    assert http_stage.workspace.send_raw("command", payload).status == 200
    assert http_stage.ben.waits_for_message("Something went wrong").visible_to == http_stage.ben.id


def test_a_click_outside_a_conversation_is_answered_in_a_direct_message(http_stage) -> None:
    """A button in a modal or in the Home tab brings neither channel nor response URL."""
    action = {"action_id": "gpus1.ask.1", "value": "llama-13b int8", "action_ts": "1.2"}
    payload = {
        "type": "block_actions",
        "team": {"id": "T0LOCAL"},
        "user": {"id": http_stage.ben.id, "username": "ben"},
        "trigger_id": "1.2.3",
        "container": {"type": "view", "view_id": "V1"},
        "view": {"id": "V1", "type": "home"},
        "actions": [action | {"type": "button", "block_id": "b"}],
    }
    assert http_stage.workspace.send_raw("block_actions", payload).status == 200
    message = http_stage.ben.waits_for_message(is_answer)
    assert http_stage.workspace.world.channels[message.channel].is_im


def test_two_clicks_on_explain_post_one_derivation(stage) -> None:
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message(is_answer)
    stage.ben.clicks(message, "Explain")
    stage.ana.clicks(message, "Explain")
    stage.ben.waits_for_message("How it was computed")
    stage.bot.workers.finish(5)
    assert len(stage.ben.thread(message)) == 2


def test_a_failed_explanation_can_be_asked_for_again(stage) -> None:
    stage.ben.types(QUESTION)
    message = stage.ben.waits_for_message(is_answer)
    stage.workspace.fail_next("chat.postMessage", Fault(error="account_inactive"))
    stage.ben.clicks(message, "Explain")
    stage.ben.waits_for_message("Something went wrong")
    stage.ben.clicks(message, "Explain")
    assert stage.ben.waits_for_message("How it was computed").thread_ts == message.ts


@pytest.mark.parametrize("error", [None, "cant_delete_message"])
def test_a_derivation_whose_thread_is_gone_reaches_the_asker(http_stage, error) -> None:
    """Slack puts such a reply at the root of the channel, and may refuse to take it out."""
    http_stage.ben.types(QUESTION)
    message = http_stage.ben.waits_for_message(is_answer)
    payload = clicked(http_stage, message, "9.999999")
    if error:
        http_stage.workspace.fail_next("chat.delete", Fault(error=error))
    assert http_stage.workspace.send_raw("block_actions", payload).status == 200
    told = http_stage.ben.waits_for_message(
        lambda seen: "How it was computed" in seen.shown and seen.visible_to == http_stage.ben.id
    )
    assert told.channel == message.channel
    assert "chat.delete" in posts(http_stage)


def clicked(stage, message: Message, thread_ts: str) -> dict[str, object]:
    """Return a click on Explain below a message of a thread that is not there any more."""
    stub = message.as_json() | {"thread_ts": thread_ts}
    button = message.blocks[-1]["elements"][0]
    container = {"type": "message", "message_ts": message.ts, "channel_id": message.channel}
    return {
        "type": "block_actions",
        "team": {"id": "T0LOCAL"},
        "user": {"id": stage.ben.id, "username": "ben"},
        "channel": {"id": message.channel, "name": "gpu-planning"},
        "trigger_id": "4.5.6",
        "response_url": stage.workspace.response_url(stage.ben.id, message.channel),
        "container": container,
        "message": stub,
        "actions": [button | {"block_id": "b", "action_ts": "4.5"}],
    }


COMPARED = "/gpusize compare llama-3.1-70b fp8 4xh100 | int4 2xl40s"


def kinds(message: Message) -> list[str]:
    return [block["type"] for block in message.blocks]


def test_a_workspace_without_charts_gets_the_rest(stage) -> None:
    """Slack rolls new blocks out in steps: only the chart is left out."""
    stage.ben.types(COMPARED)
    whole = stage.ben.waits_for_message("2 variants")
    assert "data_visualization" in kinds(whole)
    stage.workspace.fail_next("chat.postMessage", Fault(error="invalid_blocks"))
    stage.ben.types(f"{COMPARED} | fp8 8xl40s")
    rest = stage.ben.waits_for_message("3 variants")
    assert "data_visualization" not in kinds(rest)
    assert {"table", "actions"} <= set(kinds(rest))
    picture = stage.ana.waits_for_message(lambda seen: bool(seen.files))
    assert picture.thread_ts == rest.ts
    (file,) = picture.files
    assert file["mimetype"] == "image/png"
    assert file["alt_txt"].startswith("Output tokens per second against the time between tokens: A")


def test_a_picture_that_is_refused_is_missed_by_nobody(stage) -> None:
    """An older installation has no `files:write`: the words are there, and no error is told."""
    stage.workspace.fail_next("chat.postMessage", Fault(error="invalid_blocks"))
    stage.workspace.fail_next("files.getUploadURLExternal", Fault(error="missing_scope"))
    stage.ben.types(COMPARED)
    stage.ben.waits_for_message("2 variants")
    stage.ben.types(QUESTION)
    stage.ben.waits_for_message(is_answer)
    assert not any(message.files or message.is_ephemeral for message in stage.ben.sees())


def test_where_the_rest_is_refused_too_the_text_arrives(stage) -> None:
    stage.workspace.fail_next("chat.postMessage", Fault(error="invalid_blocks", times=2))
    stage.ben.types(COMPARED)
    assert stage.ben.waits_for_message("2 variants").blocks == ()


def test_a_response_url_without_charts_gets_the_rest(http_stage) -> None:
    http_stage.workspace.fail_next("response_url", Fault(status=400, error="invalid_blocks"))
    http_stage.ben.types(COMPARED, channel="random")
    rest = http_stage.ana.waits_for_message("2 variants")
    assert "data_visualization" not in kinds(rest)
    assert "table" in kinds(rest)
