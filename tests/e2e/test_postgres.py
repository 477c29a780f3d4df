"""The program with its log in PostgreSQL, as a platform runs it."""

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

import psycopg
import pytest

from bot.storage.postgres import PostgresLog
from bot.workspace import Message, Workspace

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20
QUESTION = "/gpusize llama-13b int8"
PASSWORD = "not-a-secret"
TERMINAL, BOT = "bot.terminal", "bot.__main__"


def is_answer(message: Message) -> bool:
    return "Llama 2 13B" in message.shown and message.user == "U0GPUSIZE"


def environment(url: str, folder: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "DATABASE_URL": url, **more}


def in_slack(workspace: Workspace) -> dict[str, str]:
    return {
        "SLACK_BOT_TOKEN": workspace.bot_token,
        "SLACK_APP_TOKEN": workspace.app_token,
        "SLACK_API_URL": workspace.api_url,
    }


def run(program: str, *arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    code = f"import sys; from {program} import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        env=env | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )


@contextmanager
def started(env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bot"],
        env=env | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def stopped(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    return said


def questions(url: str) -> list[tuple[str, str]]:
    log = PostgresLog(url)
    rows = [(row.id, row.question) for row in log.list_answers(team_id=None, limit=1000)]
    log.close()
    return rows


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace() as workspace:
        yield workspace


def test_two_processes_share_the_log_and_a_restart_of_the_server_loses_nothing(
    workspace, postgres, postgres_url, tmp_path
) -> None:
    ben = workspace.user("ben")
    env = environment(postgres_url, tmp_path, DYNO="worker.1", **in_slack(workspace))
    asked = [f"llama-13b int8 users={users}" for users in range(1, 9)]
    with started(env) as one, started(env) as other:
        workspace.wait_for(lambda: workspace.socket_count == 2, PATIENCE_S, "two sockets")
        for question in asked[:4]:
            ben.types(f"/gpusize {question}")
        workspace.wait_for(lambda: len(ben.sees()) == 4, PATIENCE_S, "the first answers")
        postgres.stop()
        postgres.start()
        for question in asked[4:]:
            ben.types(f"/gpusize {question}")
        workspace.wait_for(lambda: len(ben.sees()) == len(asked), PATIENCE_S, "all answers")
        said = stopped(one) + stopped(other)
    rows = questions(postgres_url)
    assert sorted(question for _, question in rows) == sorted(asked)
    assert {answer_id for answer_id, _ in rows} == {f"A-{number}" for number in range(1, 9)}
    assert list(tmp_path.rglob("*.db")) == []
    assert PASSWORD not in said
    assert "throws its disk away" not in said
    assert "INFO psycopg" not in said, "connections that are lent are not worth a line each"


def test_a_kill_right_after_the_reply_loses_nothing(workspace, postgres_url, tmp_path) -> None:
    ben = workspace.user("ben")
    with started(environment(postgres_url, tmp_path, **in_slack(workspace))) as process:
        workspace.wait_for_socket(PATIENCE_S)
        ben.types(QUESTION)
        ben.waits_for_message(is_answer)
        process.kill()
    assert questions(postgres_url) == [("A-1", "llama-13b int8")]


def test_http_keeps_the_log_there_too(workspace, postgres_url, tmp_path) -> None:
    """gunicorn replaces the process: the address has to reach its worker."""
    ben = workspace.user("ben")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = environment(
        postgres_url,
        tmp_path,
        GPUSIZE_TRANSPORT="http",
        PORT=str(port),
        SLACK_SIGNING_SECRET=workspace.signing_secret,
        **in_slack(workspace),
    )
    with started(env) as process:
        workspace.wait_for(lambda: is_up(port), 2 * PATIENCE_S, "the HTTP server")
        workspace.connect_http(f"http://127.0.0.1:{port}/slack/events")
        ben.types(QUESTION)
        ben.waits_for_message(is_answer)
        said = stopped(process)
    assert questions(postgres_url) == [("A-1", "llama-13b int8")]
    assert list(tmp_path.rglob("*.db")) == []
    assert PASSWORD not in said


def is_up(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1) as response:
            return bool(response.status == 200)
    except (URLError, ConnectionError, TimeoutError):
        return False


def test_an_asker_is_told_when_the_server_stays_away(
    workspace, postgres, postgres_url, tmp_path
) -> None:
    """The name of the server and the reason are for the operator, not for the channel."""
    ben = workspace.user("ben")
    with started(environment(postgres_url, tmp_path, **in_slack(workspace))) as process:
        workspace.wait_for_socket(PATIENCE_S)
        postgres.stop()
        ben.types(QUESTION)
        told = ben.waits_for_message(lambda message: message.user == "U0GPUSIZE", timeout_s=30)
        postgres.start()
        said = stopped(process)
    assert postgres.address not in told.shown
    assert "log_unreachable" in said
    assert postgres.address in said
    assert PASSWORD not in said


class TestTerminal:
    def test_it_reads_and_writes_the_teams_log(self, postgres_url, tmp_path) -> None:
        env = environment(postgres_url, tmp_path)
        assert run(BOT, "migrate", env=env).returncode == 0
        answered = run(TERMINAL, "llama-13b", "int8", env=env)
        assert (answered.returncode, answered.stderr) == (0, "")
        assert questions(postgres_url) == [("A-1", "llama-13b int8")]
        listed = run(TERMINAL, "list", env=env)
        assert "A-1" in listed.stdout
        assert list(tmp_path.rglob("*.db")) == []

    def test_a_batch_is_kept_whole(self, postgres_url, tmp_path) -> None:
        asked = "".join(f"llama-13b int8 users={users}\n" for users in range(1, 21))
        (tmp_path / "questions.txt").write_text(asked)
        done = run(TERMINAL, "--batch", str(tmp_path / "questions.txt"), "--json",
                   env=environment(postgres_url, tmp_path))  # fmt: skip
        assert done.returncode == 0
        assert len(questions(postgres_url)) == len(done.stdout.splitlines()) == 20

    @pytest.mark.parametrize(
        ("language", "start"),
        [("en", "The log's database"), ("es", "La base de datos del registro")],
    )
    def test_a_wrong_password_is_one_sentence(self, postgres, language, start, tmp_path) -> None:
        env = environment(postgres.url(password="s3cret"), tmp_path, GPUSIZE_LANG=language)
        for program, words in ((BOT, ["migrate"]), (TERMINAL, ["llama-13b"])):
            done = run(program, *words, env=env)
            assert done.returncode == 1
            assert done.stderr.startswith(start)
            assert "Traceback" not in done.stderr
            assert "s3cret" not in done.stderr

    def test_a_database_of_another_program_is_left_alone(self, postgres_url, tmp_path) -> None:
        with psycopg.connect(postgres_url) as connection:
            connection.execute("create table orders (id integer)")
        done = run(TERMINAL, "llama-13b", env=environment(postgres_url, tmp_path))
        assert done.returncode == 1
        assert "options=-csearch_path%3Dgpusize" in done.stderr

    def test_a_locale_without_unicode(self, postgres_url, tmp_path) -> None:
        env = environment(postgres_url, tmp_path, LC_ALL="C", LANG="C", PYTHONUTF8="0")
        done = run(TERMINAL, "llama-13b", "ñandú", "\udcff", env=env)
        assert "Traceback" not in done.stderr
        # Each letter that is not ASCII is two bytes of UTF-8, which this locale does not know.
        assert questions_and_errors(postgres_url) == ["llama-13b ??and?? ?"]


def questions_and_errors(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [text for (text,) in connection.execute("select question from answers")]


def test_the_local_workspace_does_not_touch_the_teams_log(postgres_url, tmp_path) -> None:
    env = environment(postgres_url, tmp_path) | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bot", "workspace", "--page-port", "0"],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().startswith("gpusize local workspace")
    stopped(process)
    assert [path.name for path in tmp_path.rglob("*.db")] == ["workspace.db"]
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("select to_regclass('answers')").fetchone() == (None,)
