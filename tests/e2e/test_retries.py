"""Calls over a connection that breaks: reads are made again, posts are not."""

from __future__ import annotations

import errno
import http.client
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import IncompleteRead, RemoteDisconnected
from pathlib import Path
from urllib.error import URLError

import pytest
from slack_bolt.context.respond import Respond
from slack_sdk import WebClient

from bot.app import build_client
from bot.listeners.locale import MOST_PEOPLE, Locales
from bot.listeners.outbox import DeliveryError, Place, UnconfirmedError, publish, tell
from bot.listeners.retries import was_never_sent
from bot.settings import Settings
from bot.store_settings import StoreSettings

MESSAGE = {"text": "hello", "blocks": [{"type": "markdown", "text": "hello"}]}


@dataclass
class Rude:
    """A server that reads each request and hangs up without a word."""

    url: str = ""
    paths: list[str] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                self.paths.append(lines.readline().decode().split()[1])
                headers = http.client.parse_headers(lines)
                lines.read(int(headers.get("Content-Length") or 0))


@pytest.fixture
def rude() -> Iterator[Rude]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Rude(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        thread = threading.Thread(target=server.serve, args=(listener,))
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def client_of(server: Rude) -> WebClient:
    return build_client(
        Settings(bot_token="xoxb-1", api_url=server.url, store=StoreSettings(Path("unused")))
    )


def place_at(server: Rude, *, response_url: str | None, channel_id: str | None) -> Place:
    return Place(client_of(server), Respond(response_url=response_url), "U1", channel_id)


def test_a_post_over_a_connection_that_breaks_is_made_once(rude) -> None:
    place = place_at(rude, response_url=rude.url + "respond", channel_id="C1")
    with pytest.raises(UnconfirmedError):
        publish(place, MESSAGE, thread_ts=None)
    assert rude.paths == ["/chat.postMessage"]


def test_each_way_to_one_person_is_tried_once(rude) -> None:
    place = place_at(rude, response_url=rude.url + "respond", channel_id="C1")
    with pytest.raises(DeliveryError):
        tell(place, MESSAGE)
    assert rude.paths == ["/respond", "/chat.postEphemeral", "/chat.postMessage"]


def test_a_read_over_a_connection_that_breaks_is_made_twice_and_the_fallback_used(rude) -> None:
    assert Locales("es").of("U1", client_of(rude)) == "es"
    assert [path.partition("?")[0] for path in rude.paths] == ["/users.info", "/users.info"]


@pytest.mark.parametrize(
    ("error", "is_safe"),
    [
        (URLError(ConnectionRefusedError(errno.ECONNREFUSED, "refused")), True),
        (URLError(socket.gaierror(-2, "unknown name")), True),
        (URLError(OSError(errno.ENETUNREACH, "no network")), True),
        (URLError(ConnectionResetError(errno.ECONNRESET, "reset")), False),
        (URLError(TimeoutError("while sending")), False),
        (TimeoutError("while waiting for the answer"), False),
        (RemoteDisconnected("no answer"), False),
        (IncompleteRead(b"half"), False),
        (None, False),
    ],
)
def test_only_a_call_that_found_nobody_was_never_sent(error, is_safe: bool) -> None:
    assert was_never_sent(error) is is_safe


def test_a_post_that_finds_nobody_is_made_again(caplog) -> None:
    """Two refused connections, and the error is the connection's own, not a doubt."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    place = place_at(Rude(f"http://127.0.0.1:{port}/"), response_url=None, channel_id="C1")
    with caplog.at_level(logging.INFO), pytest.raises(URLError, match="refused"):
        publish(place, MESSAGE, thread_ts=None)
    assert "Going to retry the same request" in caplog.text


class TestLocales:
    def test_a_profile_is_known_without_a_call(self, http_stage) -> None:
        locales = Locales("en")
        assert locales.known(http_stage.ana.id) == "en"
        locales.of(http_stage.ana.id, http_stage.bot.app.client)
        calls = len(http_stage.workspace.calls)
        assert locales.known(http_stage.ana.id) == "es"
        assert len(http_stage.workspace.calls) == calls

    def test_who_came_first_is_forgotten_first(self, http_stage) -> None:
        """Of one more than may be remembered the first is gone; those after her are there."""
        locales, client = Locales("en"), http_stage.bot.app.client
        locales.of(http_stage.ana.id, client)
        with quiet(), no_profiles(client) as nobody:
            for number in range(MOST_PEOPLE - 1):
                locales.of(f"U{number}", nobody)
            assert locales.known(http_stage.ana.id) == "es"
            locales.of("U-last", nobody)
        assert locales.known(http_stage.ana.id) == "en"


@contextmanager
def no_profiles(client: WebClient) -> Iterator[WebClient]:
    """Yield a client that cannot reach anybody, and does not try twice."""
    yield WebClient(token=client.token, base_url="ftp://nowhere/", retry_handlers=[])


@contextmanager
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
