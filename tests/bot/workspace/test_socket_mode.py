"""The websocket: tickets, hello, acknowledgements, reconnects."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import aiohttp
import pytest
from slack_bolt import App
from slack_bolt.adapter.socket_mode.builtin import SocketModeHandler
from slack_sdk import WebClient

from bot.running import disconnect
from bot.workspace import Workspace


def open_url(workspace: Workspace) -> str:
    client = WebClient(workspace.app_token, base_url=workspace.api_url)
    return str(client.apps_connections_open(app_token=workspace.app_token)["url"])


async def first_frames(url: str, count: int = 1) -> list[dict[str, Any]]:
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        return [json.loads((await socket.receive(2)).data) for _ in range(count)]


def test_a_connection_begins_with_hello(workspace: Workspace) -> None:
    url = open_url(workspace)

    [hello] = asyncio.run(first_frames(url))

    assert url.startswith("ws://127.0.0.1:")
    assert (hello["type"], hello["num_connections"]) == ("hello", 1)


def test_a_ticket_works_once(workspace: Workspace) -> None:
    url = open_url(workspace)
    asyncio.run(first_frames(url))

    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        asyncio.run(first_frames(url))


def test_the_eleventh_connection_is_turned_away(workspace: Workspace) -> None:
    async def eleven() -> dict[str, Any]:
        async with aiohttp.ClientSession() as session:
            sockets = [await session.ws_connect(open_url(workspace)) for _ in range(10)]
            for socket in sockets:
                await socket.receive(2)
            last = await session.ws_connect(open_url(workspace))
            frame: dict[str, Any] = json.loads((await last.receive(2)).data)
            return frame

    frame = asyncio.run(eleven())

    assert (frame["type"], frame["reason"]) == ("disconnect", "too_many_websockets")


@pytest.fixture
def sockets(
    workspace: Workspace, app: App, closer: Callable[[Callable[[], None]], None]
) -> Iterator[Callable[[], SocketModeHandler]]:
    """Return what connects the app once more."""
    handlers: list[SocketModeHandler] = []

    def connect() -> SocketModeHandler:
        handler = SocketModeHandler(app, workspace.app_token, web_client=app.client)
        handler.connect()
        workspace.wait_for_socket()
        handlers.append(handler)
        return handler

    yield connect
    for handler in handlers:
        closer(partial(disconnect, handler))


def test_an_unhandled_payload_is_never_acknowledged(
    workspace: Workspace, sockets: Callable[[], SocketModeHandler]
) -> None:
    """Bolt's 404 sends no ack over a socket, so the person sees a timeout."""
    sockets()

    assert workspace.user("ana").types("/gpusize").error == "operation_timeout"


def test_a_sign_to_stop_that_the_reader_clears_is_given_again(
    sockets: Callable[[], SocketModeHandler], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reading thread clears it when it starts, which may be just after the client is closed."""
    handler = sockets()
    state, runner = handler.client.current_session_state, handler.client.current_session_runner
    shut_down = runner.shutdown

    def start_to_read_late() -> None:
        state.terminated = False
        shut_down()

    monkeypatch.setattr(runner, "shutdown", start_to_read_late)
    closing = threading.Thread(target=disconnect, args=(handler,), daemon=True)
    closing.start()
    closing.join(10)

    assert not closing.is_alive()


def test_each_payload_goes_to_one_connection(
    workspace: Workspace, app: App, sockets: Callable[[], SocketModeHandler]
) -> None:
    texts: list[str] = []

    def listen(ack: Any, command: Any) -> None:
        texts.append(command["text"])
        ack()

    app.command("/gpusize")(listen)
    sockets()
    sockets()
    workspace.wait_for(lambda: workspace.socket_count == 2, what="two connections")
    ana = workspace.user("ana")

    for number in range(4):
        assert ana.types(f"/gpusize {number}").acked

    assert texts == ["0", "1", "2", "3"]


def test_a_client_reconnects_after_a_refresh(
    workspace: Workspace, app: App, sockets: Callable[[], SocketModeHandler]
) -> None:
    app.command("/gpusize")(lambda ack: ack())
    handler = sockets()
    before = handler.client.session_id()

    workspace.refresh_sockets()
    workspace.wait_for(lambda: handler.client.session_id() != before, 15, "a new session")
    workspace.wait_for_socket()

    assert workspace.user("ana").types("/gpusize").acked


def test_an_url_comes_before_the_sockets(
    workspace: Workspace, app: App, sockets: Callable[[], SocketModeHandler]
) -> None:
    app.command("/gpusize")(lambda ack: ack())
    sockets()
    assert workspace.user("ana").types("/gpusize").transport == "socket"

    workspace.connect_http("http://127.0.0.1:9/")

    assert workspace.user("ana").types("/gpusize").transport == "http"
