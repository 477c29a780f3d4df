"""A small Bolt app, over signed HTTP and over Socket Mode, against the local workspace."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer

import pytest
from slack_bolt import App
from slack_bolt.adapter.socket_mode.builtin import SocketModeHandler
from slack_bolt.app.app import SlackAppDevelopmentServer
from slack_sdk import WebClient

from bot.workspace import Workspace

TRANSPORTS = ("http", "socket")


@dataclass
class Running:
    """A Bolt app connected to a workspace."""

    app: App
    workspace: Workspace
    transport: str
    errors: list[BaseException] = field(default_factory=list)


def make_app(workspace: Workspace) -> App:
    """Build an app that acknowledges first and works in lazy functions, like the real one."""
    client = WebClient(workspace.bot_token, base_url=workspace.api_url, timeout=10)
    return App(
        client=client,
        signing_secret=workspace.signing_secret,
        process_before_response=True,
        token_verification_enabled=False,
        logger=logging.getLogger("sample"),
    )


def serve_http(app: App, workspace: Workspace) -> ThreadingHTTPServer:
    """Serve the app on a free port and point the workspace at it."""
    development = SlackAppDevelopmentServer(
        port=0, path="/slack/events", app=app, http_server_logger_enabled=False
    )
    # The development server's own listener is single-threaded; its handler is what matters.
    handler = development._server.RequestHandlerClass
    development._server.server_close()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    workspace.connect_http(f"http://127.0.0.1:{server.server_address[1]}/slack/events")
    return server


def serve_socket(app: App, workspace: Workspace) -> SocketModeHandler:
    """Connect the app to the workspace's websocket."""
    handler = SocketModeHandler(app, workspace.app_token, web_client=app.client)
    handler.connect()
    workspace.wait_for_socket()
    return handler


Connect = Callable[[Workspace, Callable[[App], None], str], Running]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Return a function that connects an app with these listeners by this transport."""
    closers: list[Callable[[], None]] = []

    def start(workspace: Workspace, register: Callable[[App], None], transport: str) -> Running:
        app = make_app(workspace)
        register(app)
        if transport == "http":
            server = serve_http(app, workspace)
            closers.append(server.shutdown)
            closers.append(server.server_close)
        else:
            closers.append(serve_socket(app, workspace).close)
        return Running(app, workspace, transport)

    yield start
    for closer in closers:
        closer()


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace() as started:
        yield started
