"""Requests that only HTTP can bring: forged, stale, replayed."""

from __future__ import annotations

import time

from bot.workspace import Message


def is_answer(message: Message) -> bool:
    return "Llama 2 13B" in message.shown


def test_a_bad_signature_is_refused(http_stage) -> None:
    payload = http_stage.ben.command_payload("/gpusize llama-13b int8")
    delivery = http_stage.workspace.send_raw("command", payload, secret="someone-elses")
    assert delivery.status == 401
    assert http_stage.logged() == ()


def test_a_request_without_signature_is_refused(http_stage) -> None:
    payload = http_stage.ben.command_payload("/gpusize llama-13b int8")
    assert http_stage.workspace.send_raw("command", payload, signature="").status == 401


def test_a_stale_request_is_refused(http_stage) -> None:
    payload = http_stage.ben.command_payload("/gpusize llama-13b int8")
    old = str(int(time.time()) - 600)
    assert http_stage.workspace.send_raw("command", payload, timestamp=old).status == 401


def test_a_forged_request_is_never_answered_at_its_response_url(http_stage, caplog) -> None:
    """Bolt fails on a timestamp that is no number, before it has looked at the signature."""
    payload = http_stage.ben.command_payload("/gpusize llama-13b int8")
    delivery = http_stage.workspace.send_raw("command", payload, timestamp="soon", signature="")
    assert delivery.status == 401
    assert [call.method for call in http_stage.workspace.calls] == ["auth.test"]
    (refused,) = (record for record in caplog.records if "refused a request" in record.msg)
    assert refused.exc_info, "without its traceback nobody could tell a forgery from a fault"


def test_a_replayed_request_is_answered_once(http_stage) -> None:
    """The same bytes within the signature's five minutes: acknowledged, not answered again."""
    first = http_stage.ben.types("/gpusize llama-13b int8")
    http_stage.ben.waits_for_message(is_answer)
    assert http_stage.workspace.replay(first).status == 200
    http_stage.ben.types("/gpusize mixtral-8x7b")
    http_stage.ben.waits_for_message("Mixtral")
    assert [row.question for row in http_stage.logged()] == ["mixtral-8x7b", "llama-13b int8"]


def test_health_is_answered_without_a_signature(http_stage) -> None:
    from urllib.request import urlopen

    url = http_stage.workspace._courier.http.url.replace("/slack/events", "/healthz")
    with urlopen(url) as response:
        assert response.read() == b"ok\n"
