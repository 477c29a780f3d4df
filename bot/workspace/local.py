"""The local workspace: a Slack that runs in this process, for tests and for people."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from types import TracebackType
from typing import Any, TypeVar

from aiohttp import web

from bot.errors import WorkspaceError
from bot.workspace.clock import Clock, SystemClock
from bot.workspace.courier import Courier
from bot.workspace.driver import Person
from bot.workspace.faults import Fault, Faults
from bot.workspace.gestures import Gestures
from bot.workspace.interactions import Interactions
from bot.workspace.model import ApiCall, Delivery, DeliveryKind, Json, Message
from bot.workspace.page import Page
from bot.workspace.people import (
    APP_TOKEN,
    APP_TOKEN_PREFIX,
    BOT_TOKEN,
    BOT_TOKEN_PREFIX,
    DEFAULT_USERS,
    SIGNING_SECRET,
    BotApp,
    Channel,
    User,
    UserGroup,
    check_local_token,
    default_channels,
)
from bot.workspace.server import LoopbackServer
from bot.workspace.socket_mode import SocketMode
from bot.workspace.transport import ACK_LIMIT_S, HttpTransport, encode, signed_headers
from bot.workspace.web_api import WebApi
from bot.workspace.world import World

T = TypeVar("T")
WAIT_S = 15.0
POLL_S = 0.02
DEFAULT_EVENTS = frozenset({"app_mention", "app_home_opened"})


class Workspace:
    """A Slack workspace on a loopback port: Web API, deliveries to the app, driver and page."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        clock: Clock | None = None,
        users: tuple[User, ...] = DEFAULT_USERS,
        channels: tuple[Channel, ...] | None = None,
        groups: tuple[UserGroup, ...] = (),
        commands: Iterable[str] = ("/gpusize",),
        events: Iterable[str] = DEFAULT_EVENTS,
        should_escape: bool = False,
        bot_token: str = BOT_TOKEN,
        app_token: str = APP_TOKEN,
        signing_secret: str = SIGNING_SECRET,
        ack_limit_s: float = ACK_LIMIT_S,
    ) -> None:
        self.bot_token = check_local_token(bot_token, BOT_TOKEN_PREFIX)
        self.app_token = check_local_token(app_token, APP_TOKEN_PREFIX)
        self.signing_secret = signing_secret
        self._ack_limit_s = ack_limit_s
        self._server = LoopbackServer(host, port)
        app = BotApp()
        self.world = World(
            clock=clock or SystemClock(),
            app=app,
            users=users,
            channels=channels or default_channels(users, app),
            groups=groups,
        )
        self.faults = Faults()
        self._courier = Courier(self.world, ack_limit_s=ack_limit_s)
        self.gestures = Gestures(
            self._courier,
            commands=frozenset(commands),
            events=frozenset(events),
            should_escape=should_escape,
        )
        self.interactions = Interactions(self._courier)
        self._api = WebApi(
            self.world,
            self.faults,
            bot_token=self.bot_token,
            app_token=self.app_token,
            base_url=lambda: self._server.base_url,
            on_message=self._announce,
        )
        self._sockets = SocketMode(self.world, self._api, self._courier.sockets)
        self._page = Page(self.world, self.gestures, self.interactions)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> Workspace:
        """Listen on the loopback address."""
        routes = [
            *self._api.routes(),
            web.get("/socket", self._sockets.connect),
            *self._page.routes(),
        ]
        self._server.start(routes)
        self._courier.base_url = self._server.base_url
        return self

    def stop(self) -> None:
        """Close all connections and stop listening."""
        if self._server.is_running:
            self._server.run(self._sockets.close())
            self._server.stop()

    def __enter__(self) -> Workspace:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def api_url(self) -> str:
        """Return the base url for `slack_sdk.WebClient`, with a slash at its end."""
        return f"{self._server.base_url}/api/"

    @property
    def page_url(self) -> str:
        """Return the address of the page for people."""
        return f"{self._server.base_url}/"

    @property
    def calls(self) -> list[ApiCall]:
        """List the app's Web API calls so far, with `response_url` among them."""
        with self.world.changed:
            return list(self.world.calls)

    @property
    def deliveries(self) -> list[Delivery]:
        """List what was sent to the app so far."""
        with self.world.changed:
            return list(self.world.deliveries)

    @property
    def broadcasts(self) -> list[tuple[str, Message]]:
        """List the app's messages that would ping a whole channel, each with the word."""
        with self.world.changed:
            return list(self.world.broadcasts)

    def connect_http(self, url: str) -> None:
        """Send everything to this url from now on, signed."""
        self._courier.http = HttpTransport(url, self.signing_secret, self._ack_limit_s)

    def wait_for_socket(self, timeout_s: float = WAIT_S) -> None:
        """Wait until a Socket Mode client is connected."""
        self.wait_for(lambda: self.socket_count > 0, timeout_s, "a socket client")

    @property
    def socket_count(self) -> int:
        """Return how many Socket Mode clients are connected."""
        return len(self._courier.sockets.sockets)

    def refresh_sockets(self) -> None:
        """Disconnect all Socket Mode clients, asking them to connect anew."""
        self._server.run(self._sockets.refresh())

    def user(self, name: str) -> Person:
        """Return the driver of a person, by name or id."""
        return Person(self, self.world.user_named(name))

    def fail_next(self, method: str, fault: Fault) -> None:
        """Let the next calls of a method go wrong; `*` is any, `response_url` is one too."""
        self.faults.add(method, fault)

    def wait_for(
        self,
        condition: Callable[[], T | None],
        timeout_s: float = WAIT_S,
        what: str = "the condition",
    ) -> T:
        """Wait until a condition holds and return its value, else raise `WorkspaceError`."""
        deadline_s = time.monotonic() + timeout_s
        with self.world.changed:
            while not (value := condition()) and time.monotonic() < deadline_s:
                # A condition may also look outside the workspace, whose changes wake nobody.
                self.world.changed.wait(POLL_S)
        if not value:
            raise WorkspaceError(f"Waited {timeout_s:g} s in vain for {what}.")
        return value

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the workspace's thread and wait for its result."""
        return self._server.run(work)

    def response_url(self, user: str, channel: str) -> str:
        """Make a response url for a user and a channel, by id."""
        return self._courier.response_url(user, channel)

    def send_raw(
        self,
        kind: DeliveryKind,
        payload: Json,
        *,
        timestamp: str | None = None,
        signature: str | None = None,
        secret: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Delivery:
        """Send a request over HTTP with a timestamp, signature or headers of your choice."""
        body, content_type = encode(kind, payload)
        signed = signed_headers(body, content_type, secret or self.signing_secret, timestamp)
        if signature is not None:
            signed["X-Slack-Signature"] = signature
        return self.replay(
            Delivery(kind, payload, "http", raw_body=body, headers=signed | (headers or {}))
        )

    def replay(self, delivery: Delivery) -> Delivery:
        """Send the same bytes and headers once more over HTTP."""
        http = self._courier.http
        if http is None:
            raise WorkspaceError("Only HTTP requests can be replayed: call connect_http(url).")
        fresh = replace(delivery, status=None, body=None, error=None, ack_ms=None)
        return self._courier.record(self._server.run(http.send(fresh)))

    def _announce(self, message: Message) -> None:
        """Send the events of the app's own messages, as Slack does too."""
        if message.is_ephemeral or not self._courier.is_connected:
            return
        task = asyncio.ensure_future(self.gestures.announce(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
