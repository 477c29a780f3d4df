"""The program as an operator runs it: started, stopped, killed, twice at once."""

from __future__ import annotations

import os
import shutil
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

from bot.__main__ import main
from bot.storage.sqlite import SqliteLog
from bot.workspace import Fault, Message, Workspace

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20
QUESTION = "/gpusize llama-13b int8"
HTTP = {"GPUSIZE_TRANSPORT": "http"}


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
def program(
    env: dict[str, str], *arguments: str, folder: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bot", *arguments],
        env=env,
        cwd=folder,
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
        workspace.wait_for(lambda: workspace.socket_count == 2, PATIENCE_S, "two sockets")
        for question in asked:
            ben.types(f"/gpusize {question}")
        workspace.wait_for(lambda: len(ben.sees()) == len(asked), PATIENCE_S, "all answers")
        assert [stopped(one), stopped(other)] == [0, 0]
    rows = questions(database)
    assert sorted(question for _, question in rows) == sorted(asked)
    assert {answer_id for answer_id, _ in rows} == {f"A-{number}" for number in range(1, 13)}


def test_an_answer_that_hangs_does_not_hold_up_the_end(workspace, database) -> None:
    """The grace is cut from fifteen seconds to a third of one; Slack hangs for eight."""
    short = "from bot import running; running.GRACE_S = 0.3; from bot.__main__ import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", short],
        env=environment(workspace, database, PYTHONPATH=str(ROOT)),
        stderr=subprocess.PIPE,
        text=True,
    )
    workspace.wait_for_socket(PATIENCE_S)
    workspace.fail_next("users.info", Fault(hang_s=8))
    workspace.user("ben").types(QUESTION)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=6)
    assert process.returncode == 1
    assert "stopped after 0.3 s; answers dropped: 1" in said


def test_a_second_signal_ends_the_program_at_once(workspace, database) -> None:
    with program(environment(workspace, database)) as process:
        workspace.wait_for_socket(PATIENCE_S)
        workspace.fail_next("users.info", Fault(hang_s=8))
        workspace.user("ben").types(QUESTION)
        process.send_signal(signal.SIGTERM)
        workspace.wait_for(lambda: workspace.socket_count == 0, PATIENCE_S, "the first signal")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=2) == -signal.SIGTERM


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def http_program(
    workspace: Workspace, database: Path, **more: str
) -> Iterator[subprocess.Popen[str]]:
    port = free_port()
    env = environment(workspace, database, PORT=str(port), **HTTP, **more)
    host = f"[{more['GPUSIZE_HOST']}]" if "GPUSIZE_HOST" in more else "127.0.0.1"
    with program(env) as process:
        workspace.wait_for(lambda: is_up(f"{host}:{port}"), PATIENCE_S, "the HTTP server")
        workspace.connect_http(f"http://{host}:{port}/slack/events")
        yield process


def test_http_is_served_until_sigterm(workspace, database) -> None:
    ben = workspace.user("ben")
    with http_program(workspace, database) as process:
        ben.types(QUESTION)
        ben.waits_for_message(is_answer)
        assert stopped(process) == 0
        said = process.stdout.read()
    assert "INFO bot.wsgi: answering Slack at /slack/events" in said
    assert "will be unused" not in said


def test_the_log_is_closed_when_the_wsgi_server_ends(workspace, database) -> None:
    """SQLite keeps its write-ahead log while a connection is open; what is set first ends last."""
    look = (
        "import atexit, sys; from pathlib import Path;"
        "wal = Path(sys.argv[1] + '-wal');"
        "atexit.register(lambda: print('at the end:', wal.exists()));"
        "from bot.wsgi import create_app; kept = create_app(); print('served:', wal.exists())"
    )
    ended = subprocess.run(
        [sys.executable, "-P", "-c", look, str(database)],
        env=environment(workspace, database, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert ended.stdout == "served: True\nat the end: False\n"


def test_sigterm_lets_an_answer_under_way_be_sent_over_http(workspace, database) -> None:
    ben = workspace.user("ben")
    with http_program(workspace, database) as process:
        workspace.fail_next("users.info", Fault(hang_s=1.5))
        ben.types(QUESTION)
        assert stopped(process) == 0
    assert any(is_answer(message) for message in ben.sees())


def test_the_http_server_writes_what_the_log_level_asks_for(workspace, database) -> None:
    with http_program(workspace, database, GPUSIZE_LOG_LEVEL="error") as process:
        assert stopped(process) == 0
        assert process.stdout.read() == ""


def test_a_strangers_package_in_the_folder_is_not_served(workspace, tmp_path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__init__.py").write_text("raise SystemExit('a stranger')")
    port = str(free_port())
    env = environment(workspace, tmp_path / "gpusize.db", PORT=port, **HTTP)
    with program(env, folder=tmp_path) as process:
        workspace.wait_for(lambda: is_up(f"127.0.0.1:{port}"), PATIENCE_S, "the HTTP server")
        assert stopped(process) == 0


def test_http_is_served_on_an_ipv6_address(workspace, database) -> None:
    ben = workspace.user("ben")
    with http_program(workspace, database, GPUSIZE_HOST="::1") as process:
        ben.types(QUESTION)
        ben.waits_for_message(is_answer)
        assert stopped(process) == 0


def is_up(address: str) -> bool:
    try:
        with urlopen(f"http://{address}/healthz", timeout=1) as response:
            return response.status == 200
    except (URLError, ConnectionError, TimeoutError):
        return False


def test_without_tokens_a_local_workspace_opens(database) -> None:
    env = {"PATH": os.environ["PATH"], "XDG_DATA_HOME": str(database.parent)}
    with program(env, "workspace", "--page-port", "0") as process:
        line = process.stdout.readline()
        assert line.startswith("gpusize local workspace: http://127.0.0.1:")
        with urlopen(line.split()[-1]) as page:
            assert "gpusize" in page.read().decode()
        assert stopped(process) == 0
    kept = [path.name for path in (database.parent / "gpusize").iterdir()]
    assert kept == ["workspace.db"], "what is tried out stands apart from the answers given"


def test_a_contradiction_in_the_settings_is_one_sentence(database) -> None:
    env = {"PATH": os.environ["PATH"], "GPUSIZE_DB": str(database), "SLACK_BOT_TOKEN": "xoxb-1"}
    with program(env) as process:
        assert process.wait(timeout=PATIENCE_S) == 2
        said = process.stdout.read()
    assert "SLACK_APP_TOKEN" in said
    assert "Traceback" not in said


def said_by(env: dict[str, str], *arguments: str, status: int) -> str:
    """Return the one sentence that a start which fails prints."""
    with program(env, *arguments) as process:
        assert process.wait(timeout=PATIENCE_S) == status
        said = process.stdout.read()
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("more", [{}, HTTP])
@pytest.mark.parametrize("error", ["invalid_auth", "token_revoked"])
def test_a_token_that_slack_refuses_is_one_sentence(workspace, database, more, error) -> None:
    workspace.fail_next("auth.test", Fault(error=error))
    said = said_by(environment(workspace, database, **more), status=2)
    assert said.startswith(f"Slack refuses SLACK_BOT_TOKEN ({error})")


def test_an_app_token_that_slack_refuses_is_named(workspace, database) -> None:
    workspace.fail_next("apps.connections.open", Fault(error="invalid_auth"))
    said = said_by(environment(workspace, database), status=2)
    assert "Slack refuses SLACK_APP_TOKEN (invalid_auth)" in said


@pytest.mark.parametrize("more", [{}, HTTP])
def test_a_slack_out_of_reach_is_one_sentence(workspace, database, more) -> None:
    url = f"http://127.0.0.1:{free_port()}/api/"
    env = environment(workspace, database, GPUSIZE_LANG="es", **more) | {"SLACK_API_URL": url}
    assert "No se puede llegar a Slack" in said_by(env, status=1)


@pytest.mark.parametrize("more", [{}, HTTP])
def test_a_log_that_does_not_open_is_one_sentence(workspace, tmp_path, more) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("not a database, though long enough to be taken for one" * 20)
    assert "is not a log of gpusize" in said_by(environment(workspace, notes, **more), status=1)


def test_a_wsgi_server_of_ones_own_says_the_sentence_too(workspace, database) -> None:
    workspace.fail_next("auth.test", Fault(error="invalid_auth"))
    server = subprocess.run(
        [sys.executable, "-m", "gunicorn", "bot.wsgi:create_app()", "--bind", "127.0.0.1:0"],
        env=environment(workspace, database),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE_S,
    )
    assert server.returncode == 4
    assert "Slack refuses SLACK_BOT_TOKEN (invalid_auth)" in server.stderr
    assert "Traceback" not in server.stderr


def test_a_catalogue_that_breaks_its_rules_is_one_sentence(workspace, database, tmp_path) -> None:
    for folder in ("bot", "sizing", "templates", "data"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / "copy" / folder, ignore=ignored)
    (tmp_path / "copy" / "data" / "engines.toml").write_text("broken = [")
    env = environment(workspace, database, PYTHONPATH=str(tmp_path / "copy"))
    assert said_by(env, status=1).startswith("The catalogue is broken at engines.toml")


def test_a_page_port_that_is_taken_is_one_sentence(database) -> None:
    env = {"PATH": os.environ["PATH"], "GPUSIZE_DB": str(database)}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = said_by(env, "workspace", "--page-port", str(port), status=1)
    assert said == (
        f"The workspace cannot listen on port {port} (Address already in use): "
        "stop what uses it, or choose another.\n"
    )


@pytest.mark.parametrize("port", ["65536", "-1", "x", "99999999999"])
def test_a_page_port_out_of_range_is_refused(port: str, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["workspace", f"--page-port={port}"])
    assert ended.value.code == 2
    assert "is not a port number between 0 and 65535" in capsys.readouterr().err


def test_a_transport_without_tokens_is_a_problem_but_not_for_the_local_workspace(database) -> None:
    env = {"PATH": os.environ["PATH"], "GPUSIZE_DB": str(database), **HTTP}
    assert "SLACK_SIGNING_SECRET is missing" in said_by(env, status=2)
    with program(env, "workspace", "--page-port", "0") as process:
        assert process.stdout.readline().startswith("gpusize local workspace: ")
        assert stopped(process) == 0
