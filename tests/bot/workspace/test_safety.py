"""The workspace stays on this machine and keeps real secrets out."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from typing import Any

import pytest

from bot.errors import BotError, NotLoopbackError, RealTokenError, WorkspaceError
from bot.workspace import ManualClock, Workspace, check_local_token


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com", ""])  # noqa: S104
def test_any_address_but_loopback_is_refused(host: str) -> None:
    with pytest.raises(NotLoopbackError, match="only listens on this machine") as raised:
        Workspace(host=host)

    assert isinstance(raised.value, BotError)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2", "::1"])
def test_loopback_addresses_are_taken(host: str) -> None:
    assert Workspace(host=host).page_url.startswith("http://")


@pytest.mark.parametrize(
    ("kind", "token"),
    [
        ("bot_token", "xoxb-1234-5678-abcdef"),
        ("bot_token", "xapp-local-swapped"),
        ("bot_token", ""),
        ("app_token", "xapp-1-A0-123-abc"),
    ],
)
def test_real_tokens_are_refused_without_being_repeated(kind: str, token: str) -> None:
    with pytest.raises(RealTokenError, match="tokens that start with") as raised:
        Workspace(**{kind: token})  # type: ignore[arg-type]

    assert not token or token not in str(raised.value)


def test_local_tokens_are_taken() -> None:
    workspace = Workspace(bot_token="xoxb-local-b", app_token="xapp-local-a")

    assert (workspace.bot_token, workspace.app_token) == ("xoxb-local-b", "xapp-local-a")
    assert check_local_token("xoxb-local-b", "xoxb-local-") == "xoxb-local-b"


def ask(workspace: Workspace, method: str, path: str, **headers: str) -> tuple[int, str]:
    """Make a plain HTTP request and return its status and body."""
    port = int(workspace.page_url.rstrip("/").rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request(method, path, body=b"{}" if method == "POST" else None, headers=headers)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


@pytest.mark.parametrize("path", ["/", "/ui/state?user=ana", "/api/auth.test"])
def test_a_page_elsewhere_cannot_reach_it_by_another_name(workspace: Workspace, path: str) -> None:
    """A name that points at 127.0.0.1 is still a foreign name."""
    assert ask(workspace, "GET", path, Host="evil.example")[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example", "Content-Type": "application/json"},
        {"Origin": "null", "Content-Type": "application/json"},
        {"Content-Type": "text/plain"},
    ],
    ids=["origin", "null origin", "form"],
)
def test_a_page_elsewhere_cannot_type(workspace: Workspace, headers: dict[str, str]) -> None:
    assert ask(workspace, "POST", "/ui/type", **headers)[0] == 403


def test_the_page_forbids_everything_from_elsewhere(workspace: Workspace) -> None:
    port = int(workspace.page_url.rstrip("/").rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/")
    policy = connection.getresponse().headers["Content-Security-Policy"]
    connection.close()

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_taken_port_is_a_sentence(workspace: Workspace) -> None:
    port = int(workspace.page_url.rstrip("/").rpartition(":")[2])

    with pytest.raises(WorkspaceError, match=f"cannot listen on port {port}"):
        Workspace(port=port).start()


def test_a_condition_may_not_wait_on_the_workspaces_own_thread(workspace: Workspace) -> None:
    errors: list[str] = []

    async def wait_inside() -> None:
        try:
            workspace.user("ana").says("a")
        except WorkspaceError as error:
            errors.append(str(error))

    workspace.run(wait_inside())

    assert errors == ["The workspace cannot wait for itself: call from another thread."]


def test_a_clock_moves_only_when_told() -> None:
    clock = ManualClock(100.0)
    clock.advance(2.5)

    assert clock.now_s() == 102.5


def test_a_stopped_workspace_says_so_and_may_be_stopped_again() -> None:
    workspace = Workspace().start()
    workspace.stop()
    workspace.stop()

    with pytest.raises(WorkspaceError, match="not running"):
        workspace.user("ana").says("a")


def test_many_workspaces_may_run_at_once() -> None:
    def url(make: Callable[[], Any]) -> str:
        with make() as started:
            return str(started.page_url)

    with Workspace() as first:
        assert url(Workspace) != first.page_url
