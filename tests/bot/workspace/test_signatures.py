"""Requests that no honest Slack would send: the app must refuse them, and the workspace tells."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from slack_bolt import App

from bot.errors import WorkspaceError
from bot.workspace import Workspace

Connect = Callable[[Workspace, App], None]


@pytest.fixture
def seen(workspace: Workspace, app: App, connect_http: Connect) -> list[str]:
    """Connect an app that notes the texts of the commands that reach it."""
    texts: list[str] = []

    def listen(ack: Any, command: Any) -> None:
        texts.append(command["text"])
        ack()

    app.command("/gpusize")(listen)
    connect_http(workspace, app)
    return texts


def test_a_right_signature_is_accepted(workspace: Workspace, seen: list[str]) -> None:
    payload = workspace.user("ana").command_payload("/gpusize llama-13b")

    assert workspace.send_raw("command", payload).status == 200
    assert seen == ["llama-13b"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"secret": "another-secret"},
        {"signature": "v0=" + "0" * 64},
        {"signature": ""},
        {"timestamp": str(int(time.time()) - 301)},
        {"timestamp": str(int(time.time()) + 86_400)},
    ],
    ids=["secret", "signature", "empty", "stale", "future"],
)
def test_a_wrong_signature_or_time_is_401(
    workspace: Workspace, seen: list[str], wrong: dict[str, str]
) -> None:
    payload = workspace.user("ana").command_payload("/gpusize llama-13b")

    delivery = workspace.send_raw("command", payload, **wrong)

    assert (delivery.status, delivery.acked) == (401, False)
    assert seen == []


def test_a_request_can_be_replayed_byte_for_byte(workspace: Workspace, seen: list[str]) -> None:
    """Nothing in Slack's signature stops a replay within five minutes: the app has to."""
    first = workspace.user("ana").types("/gpusize llama-13b")

    again = workspace.replay(first)

    assert (again.raw_body, again.headers) == (first.raw_body, first.headers)
    assert again.status == 200
    assert seen == ["llama-13b"] * 2


def test_headers_can_be_added(workspace: Workspace, app: App, connect_http: Connect) -> None:
    numbers: list[Any] = []

    def listen(ack: Any, request: Any) -> None:
        numbers.append(request.headers["x-slack-retry-num"])
        ack()

    app.command("/gpusize")(listen)
    connect_http(workspace, app)
    payload = workspace.user("ana").command_payload("/gpusize")
    workspace.send_raw("command", payload, headers={"X-Slack-Retry-Num": "3"})

    assert numbers == [["3"]]


def test_a_status_that_is_not_200_is_dispatch_failed(
    workspace: Workspace, app: App, connect_http: Connect
) -> None:
    """The app has no listener for the command, so Bolt answers 404."""
    connect_http(workspace, app)
    ana = workspace.user("ana")

    delivery = ana.types("/gpusize llama-13b")

    assert (delivery.status, delivery.error) == (404, "dispatch_failed")
    assert ana.sees()[0].notice == "dispatch_failed"


def test_an_app_that_is_gone_is_dispatch_failed(workspace: Workspace) -> None:
    """Port 9 of this machine has no listener."""
    workspace.connect_http("http://127.0.0.1:9/slack/events")

    delivery = workspace.user("ana").types("/gpusize llama-13b")

    assert (delivery.status, delivery.error) == (None, "dispatch_failed")


def test_only_http_can_be_replayed(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="Only HTTP"):
        workspace.send_raw("command", {})
