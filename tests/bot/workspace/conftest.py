"""Bolt apps over signed HTTP and over Socket Mode, against the local workspace."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from slack_bolt import App
from slack_bolt.adapter.socket_mode.builtin import SocketModeHandler
from slack_bolt.adapter.wsgi import SlackRequestHandler
from slack_sdk import WebClient

from bot.running import disconnect
from bot.workspace import ManualClock, Workspace

PATH = "/slack/events"
Json = dict[str, Any]
Connect = Callable[[Workspace, App], None]


class ThreadingServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


def make_app(workspace: Workspace) -> App:
    """Build an app that acknowledges in place and works in lazy functions, like the real one."""
    client = WebClient(workspace.bot_token, base_url=workspace.api_url, timeout=10)
    return App(
        client=client,
        signing_secret=workspace.signing_secret,
        process_before_response=True,
        token_verification_enabled=False,
    )


def serve_http(workspace: Workspace, app: App) -> Callable[[], None]:
    """Serve the app on a free port, point the workspace at it, and return what stops it."""
    server = make_server(
        "127.0.0.1", 0, SlackRequestHandler(app, path=PATH), ThreadingServer, QuietHandler
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    workspace.connect_http(f"http://127.0.0.1:{server.server_port}{PATH}")

    def stop() -> None:
        server.shutdown()
        thread.join()
        server.server_close()

    return stop


def serve_socket(workspace: Workspace, app: App) -> Callable[[], None]:
    """Connect the app to the workspace's websocket and return what disconnects it."""
    handler = SocketModeHandler(app, workspace.app_token, web_client=app.client)
    handler.connect()
    workspace.wait_for_socket()
    return lambda: disconnect(handler)


@pytest.fixture(scope="session")
def closer() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Close things in the background: Slack's socket client takes seconds to wind down."""
    with ThreadPoolExecutor(64) as pool:
        closing: list[Future[None]] = []
        yield lambda stop: closing.append(pool.submit(stop))
        for done in closing:
            done.result()


@pytest.fixture(params=["http", "socket"])
def connect(
    request: pytest.FixtureRequest, closer: Callable[[Callable[[], None]], None]
) -> Iterator[Connect]:
    """Connect an app to a workspace; each test runs over both transports."""
    stops: list[Callable[[], None]] = []

    def start(workspace: Workspace, app: App) -> None:
        serve = serve_http if request.param == "http" else serve_socket
        stops.append(serve(workspace, app))

    yield start
    for stop in stops:
        closer(stop)


@pytest.fixture
def connect_http() -> Iterator[Connect]:
    """Connect an app over signed HTTP."""
    stops: list[Callable[[], None]] = []
    yield lambda workspace, app: stops.append(serve_http(workspace, app))
    for stop in stops:
        stop()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def workspace(clock: ManualClock) -> Iterator[Workspace]:
    """A fresh workspace whose clock only moves when told, and that waits 0.6 s for an ack."""
    with Workspace(clock=clock, ack_limit_s=0.6) as started:
        yield started


@pytest.fixture
def client(workspace: Workspace) -> WebClient:
    """The app's Web API client, without any app."""
    return WebClient(workspace.bot_token, base_url=workspace.api_url)


@pytest.fixture
def app(workspace: Workspace) -> App:
    """A Bolt app without listeners."""
    return make_app(workspace)


class Kit:
    """Small pieces of Block Kit."""

    @staticmethod
    def plain(text: str) -> Json:
        return {"type": "plain_text", "text": text}

    @staticmethod
    def section(text: str) -> Json:
        return {"type": "section", "text": {"type": "mrkdwn", "text": text}}

    @staticmethod
    def option(value: str) -> Json:
        return {"text": Kit.plain(value), "value": value}

    @staticmethod
    def button(text: str, action_id: str, **more: object) -> Json:
        return {"type": "button", "text": Kit.plain(text), "action_id": action_id, **more}

    @staticmethod
    def actions(*elements: Json) -> Json:
        return {"type": "actions", "elements": list(elements)}

    @staticmethod
    def field(block_id: str, element: Json, **more: object) -> Json:
        return {
            "type": "input",
            "block_id": block_id,
            "label": Kit.plain(block_id.capitalize()),
            "element": {"action_id": block_id, **element},
            **more,
        }

    @staticmethod
    def modal(*blocks: Json, **more: object) -> Json:
        base = {"type": "modal", "callback_id": "form", "title": Kit.plain("Form")}
        return {**base, "submit": Kit.plain("Send"), "blocks": list(blocks), **more}


@pytest.fixture
def kit() -> type[Kit]:
    return Kit
