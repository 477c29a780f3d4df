"""Keep the bot running until it is told to stop, whichever door Slack uses."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from socketserver import ThreadingMixIn
from types import FrameType
from typing import NoReturn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.adapter.socket_mode.base_handler import BaseSocketModeHandler

from bot.app import GRACE_S, Bot, build_app, slack_asked
from bot.listeners.comments import EVENTS as COMMENT_EVENTS
from bot.settings import Settings
from bot.workspace import Workspace
from bot.wsgi import EVENTS_PATH, wsgi_app

logger = logging.getLogger(__name__)

THREADS = 16
"""Requests that the HTTP server takes at once."""

POLL_S = 0.05
"""Pause in which the local HTTP server looks whether it shall stop, s."""

EVENTS = ("app_home_opened", "app_mention")
"""Events that the app subscribes to, as in the manifest: no messages, unless comments are kept."""

CLOSING_S = 5
"""Time beside the grace that the HTTP server takes to wind down, s."""

DROPPED = 1
"""Exit status when answers under way could not be waited for."""


def run_socket_mode(settings: Settings) -> None:
    """Serve Slack over its websocket until SIGTERM or Ctrl-C, then finish what is under way."""
    with _stop_requested() as stop, _running(settings) as bot:
        handler = SocketModeHandler(bot.app, settings.app_token)
        with slack_asked("SLACK_APP_TOKEN"):
            handler.connect()  # type: ignore[no-untyped-call]
        logger.info("connected to Slack by Socket Mode")
        stop.wait()
        disconnect(handler)


def disconnect(handler: BaseSocketModeHandler) -> None:
    """Close the websocket for good, even when it has only just been opened.

    The thread that reads clears the client's sign to stop as it starts (`_run_current_session` of
    slack_sdk's builtin client): one given before that is given again until it is heeded.
    """
    closing = threading.Thread(target=handler.close, daemon=True)
    closing.start()
    while closing.is_alive():
        handler.client.current_session_state.terminated = True  # type: ignore[attr-defined]
        closing.join(POLL_S)


def run_http(settings: Settings) -> None:
    """Replace this process by the WSGI server that answers Slack's requests.

    What is wrong with token, log or catalogue is raised here, not by a worker of the server.
    """
    build_app(settings).close()
    arguments = ["-P", "-m", "gunicorn", "bot.wsgi:create_app()", "--worker-class", "gthread"]
    arguments += ["--workers", "1", "--threads", str(THREADS)]
    arguments += ["--graceful-timeout", str(int(GRACE_S) + CLOSING_S)]
    arguments += ["--log-level", settings.log_level.lower()]
    arguments += ["--bind", bind_address(settings)]
    # gunicorn puts the present folder on the import path: a stranger's `bot` must not win there.
    os.chdir("/")
    if settings.store.url is None:
        os.environ["GPUSIZE_DB"] = str(settings.store.path)
    os.execv(sys.executable, [sys.executable, *arguments])  # noqa: S606 (our own interpreter)


def bind_address(settings: Settings) -> str:
    """Return host and port as gunicorn reads them, an IPv6 address in brackets."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{host}:{settings.port}"


def run_local(settings: Settings, port: int) -> None:
    """Serve a local workspace and its page, joined to the real app by signed HTTP."""
    events = (*EVENTS, *COMMENT_EVENTS) if settings.thread_comments else EVENTS
    with _stop_requested() as stop, Workspace(port=port, events=events) as workspace:
        joined = replace(
            settings,
            bot_token=workspace.bot_token,
            signing_secret=workspace.signing_secret,
            api_url=workspace.api_url,
        )
        with _running(joined) as bot, serve_http(bot) as url:
            workspace.connect_http(url)
            print(f"gpusize local workspace: {workspace.page_url}", flush=True)  # noqa: T201
            stop.wait()


@contextmanager
def serve_http(bot: Bot) -> Iterator[str]:
    """Serve `bot` on a free loopback port; yield the address of Slack's events."""
    server = make_server("127.0.0.1", 0, wsgi_app(bot), _Server, _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), name="http", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{EVENTS_PATH}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _running(settings: Settings) -> Iterator[Bot]:
    bot = build_app(settings)
    try:
        yield bot
    finally:
        if bot.close(GRACE_S):
            _leave(DROPPED)


def _leave(status: int) -> NoReturn:
    """End now: a normal exit would wait for every thread, however long it hangs."""
    logging.shutdown()
    sys.stdout.flush()
    os._exit(status)


@contextmanager
def _stop_requested() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM and Ctrl-C set; a second one ends the program at once."""
    stop = threading.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)

    def request(_signal: int, _frame: FrameType | None) -> None:
        stop.set()
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)

    for number in numbers:
        signal.signal(number, request)
    yield stop


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each request: enough for one person on this machine."""

    daemon_threads = True
    request_queue_size = 128
    """Connections that may wait to be taken: a burst of clicks is not refused."""


class _Handler(WSGIRequestHandler):
    """Logs requests with everything else."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base's name)
        logger.debug(format, *args)
