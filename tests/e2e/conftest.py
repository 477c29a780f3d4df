"""The real app in the local workspace, over signed HTTP and over Socket Mode."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bot.app import Bot, build_app
from bot.running import serve_http
from bot.settings import Settings, load_settings
from bot.storage import LoggedAnswer
from bot.storage.sqlite import SqliteLog
from bot.workspace import Person, Workspace


@dataclass(frozen=True)
class Stage:
    """A workspace with the app in it, and the file the app logs to."""

    workspace: Workspace
    bot: Bot
    database: Path

    @property
    def ana(self) -> Person:
        """Spanish profile."""
        return self.workspace.user("ana")

    @property
    def ben(self) -> Person:
        """English profile."""
        return self.workspace.user("ben")

    def logged(self) -> tuple[LoggedAnswer, ...]:
        """Read the log as another process would, newest first."""
        log = SqliteLog(self.database)
        try:
            return log.list_answers(team_id=None, limit=1000)
        finally:
            log.close()


def settings_for(workspace: Workspace, database: Path) -> Settings:
    return replace(
        load_settings({"GPUSIZE_DB": str(database)}),
        bot_token=workspace.bot_token,
        app_token=workspace.app_token,
        signing_secret=workspace.signing_secret,
        api_url=workspace.api_url,
    )


@contextmanager
def joined_by(transport: str, bot: Bot, workspace: Workspace) -> Iterator[None]:
    if transport == "http":
        with serve_http(bot) as url:
            workspace.connect_http(url)
            yield
        return
    handler = SocketModeHandler(bot.app, workspace.app_token)
    handler.connect()
    workspace.wait_for_socket()
    try:
        yield
    finally:
        # The client would wait 3 s for its silent socket; one that is shut down answers at once.
        handler.client.auto_reconnect_enabled = False
        handler.client.current_session.sock.shutdown(socket.SHUT_RDWR)
        handler.close()


@contextmanager
def stage_with(
    transport: str, database: Path, *, workspace: Workspace | None = None, **settings: object
) -> Iterator[Stage]:
    with workspace or Workspace() as workspace:
        bot = build_app(replace(settings_for(workspace, database), **settings))
        try:
            with joined_by(transport, bot, workspace):
                yield Stage(workspace, bot, database)
        finally:
            bot.close()


@pytest.fixture(params=["http", "socket"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with stage_with(request.param, tmp_path / "gpusize.db") as stage:
        yield stage


@pytest.fixture(params=["http", "socket"])
def stage_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Build the stage with some settings changed."""
    with ExitStack() as open_stages:

        def build(**settings: object) -> Stage:
            stage = stage_with(request.param, tmp_path / "gpusize.db", **settings)
            return open_stages.enter_context(stage)

        yield build


@pytest.fixture
def http_stage(tmp_path: Path) -> Iterator[Stage]:
    with stage_with("http", tmp_path / "gpusize.db") as stage:
        yield stage


@pytest.fixture
def page(browser: Any, http_stage) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1360, "height": 1000}, locale="en-US")
    opened.set_default_timeout(15_000)
    opened.goto(http_stage.workspace.page_url)
    opened.wait_for_selector("#composer")
    yield opened
    opened.close()


@pytest.fixture
def shoots(page: Any, tmp_path: Path) -> Callable[[str, str], None]:
    """Return what photographs the page under a name and that of a step.

    Into the folder that GPUSIZE_SCREENSHOTS names.
    """
    folder = Path(os.environ.get("GPUSIZE_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[str] = []

    def shoot(name: str, step: str) -> None:
        taken.append(step)
        page.screenshot(path=folder / f"{name}-{len(taken):02}-{step}.png")

    return shoot
