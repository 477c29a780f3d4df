"""The program as an operator runs it: started, stopped, killed, twice at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from bot.storage.sqlite import SqliteLog
from bot.workspace import Fault, Message, Workspace

PATIENCE_S = 20
QUESTION = "/gpusize llama-13b int8"


def is_answer(message: Message) -> bool:
    return "Llama 2 13B" in message.shown and message.user == "U0GPUSIZE"


def environment(workspace: Workspace, database: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {
        "SLACK_BOT_TOKEN": workspace.bot_token,
        "SLACK_APP_TOKEN": workspace.app_token,
        "SLACK_SIGNING_SECRET": workspace.signing_secret,
        "SLACK_API_URL": workspace.api_url,
        "GPUSIZE_DB": str(database),
        **more,
    }


@contextmanager
def program(env: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bot", *arguments],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def stopped(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=PATIENCE_S)


def questions(database: Path) -> list[tuple[str, str]]:
    log = SqliteLog(database)
    rows = [(row.id, row.question) for row in log.list_answers(team_id=None, limit=1000)]
    log.close()
    return rows


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace() as workspace:
        yield workspace


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "gpusize.db"


def test_it_answers_stops_on_sigterm_and_goes_on_after_a_restart(workspace, database) -> None:
    ben = workspace.user("ben")
    env = environment(workspace, database)
    with program(env) as process:
        workspace.wait_for_socket(PATIENCE_S)
        ben.types(QUESTION)
        first = ben.waits_for_message(is_answer)
        assert stopped(process) == 0
    with program(env) as process:
        workspace.wait_for_socket(PATIENCE_S)
        ben.types(QUESTION)
        second = ben.waits_for_message(is_answer, after=first)
        assert stopped(process) == 0
    assert "A-1" in first.shown
    assert "A-2" in second.shown


def test_sigterm_lets_an_answer_under_way_be_sent(workspace, database) -> None:
    ben = workspace.user("ben")
    with program(environment(workspace, database)) as process:
        workspace.wait_for_socket(PATIENCE_S)
        workspace.fail_next("users.info", Fault(hang_s=1.5))
        ben.types(QUESTION)
        assert stopped(process) == 0
    assert any(is_answer(message) for message in ben.sees())


def test_a_kill_right_after_the_reply_loses_nothing(workspace, database) -> None:
    ben = workspace.user("ben")
    with program(environment(workspace, database)) as process:
        workspace.wait_for_socket(PATIENCE_S)
        ben.types(QUESTION)
        ben.waits_for_message(is_answer)
        process.kill()
    assert questions(database) == [("A-1", "llama-13b int8")]


def test_two_processes_share_the_log(workspace, database) -> None:
    ben = workspace.user("ben")
    env = environment(workspace, database)
    asked = [f"llama-13b int8 users={users}" for users in range(1, 13)]
    with program(env) as one, program(env) as other:
        workspace.wait_for(
            lambda: len(workspace._courier.sockets.sockets) == 2, PATIENCE_S, "two sockets"
        )
        for question in asked:
            ben.types(f"/gpusize {question}")
        workspace.wait_for(lambda: len(ben.sees()) == len(asked), PATIENCE_S, "all answers")
        assert [stopped(one), stopped(other)] == [0, 0]
    rows = questions(database)
    assert sorted(question for _, question in rows) == sorted(asked)
    assert {answer_id for answer_id, _ in rows} == {f"A-{number}" for number in range(1, 13)}


def test_http_is_served_until_sigterm(workspace, database) -> None:
    ben = workspace.user("ben")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = environment(workspace, database, GPUSIZE_TRANSPORT="http", PORT=str(port))
    with program(env) as process:
        workspace.wait_for(lambda: is_up(port), PATIENCE_S, "the HTTP server")
        workspace.connect_http(f"http://127.0.0.1:{port}/slack/events")
        ben.types(QUESTION)
        ben.waits_for_message(is_answer)
        assert stopped(process) == 0


def is_up(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1) as response:
            return response.status == 200
    except (URLError, ConnectionError, TimeoutError):
        return False


def test_without_tokens_a_local_workspace_opens(database) -> None:
    env = {"PATH": os.environ["PATH"], "GPUSIZE_DB": str(database)}
    with program(env, "workspace", "--page-port", "0") as process:
        line = process.stdout.readline()
        assert line.startswith("gpusize local workspace: http://127.0.0.1:")
        with urlopen(line.split()[-1]) as page:
            assert "gpusize" in page.read().decode()
        assert stopped(process) == 0


def test_a_contradiction_in_the_settings_is_one_sentence(database) -> None:
    env = {"PATH": os.environ["PATH"], "GPUSIZE_DB": str(database), "SLACK_BOT_TOKEN": "xoxb-1"}
    with program(env) as process:
        assert process.wait(timeout=PATIENCE_S) == 2
        said = process.stdout.read()
    assert "SLACK_APP_TOKEN" in said
    assert "Traceback" not in said
