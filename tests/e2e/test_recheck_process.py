"""`gpusize-bot recheck` as an operator types it: a process of its own beside the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.decisions.states import Action
from bot.decisions.store import Sight
from bot.storage.sqlite import SqliteLog

PATIENCE_S = 60


class Shell:
    """A shell in which the log is a file in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.database = folder / "gpusize.db"
        self.environ = kept | {
            "GPUSIZE_DB": str(self.database),
            "GPUSIZE_APPROVERS": "boss",
            "GPUSIZE_SELF_APPROVAL": "on",
        }

    def run(self, module: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run an entry point as its installed script does."""
        code = f"import sys; from {module} import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-P", "-c", code, *words],
            env=self.environ | environ,
            cwd=self.database.parent,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def asks(self, line: str) -> str:
        asked = self.run("bot.terminal", line, LOGNAME="boss")
        assert asked.returncode == 0, asked.stderr
        return asked.stdout

    def rechecks(self, *words: str, **environ: str) -> str:
        done = self.run("bot.__main__", "recheck", *words, **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def checks(self, number: int) -> int:
        log = SqliteLog(self.database)
        events = log.events_of(number, Sight(tenant=None))
        log.close()
        return sum(one.action is Action.RECHECK for one in events)


@pytest.fixture
def shell(tmp_path) -> Shell:
    shell = Shell(tmp_path)
    shell.asks("llama-13b int8 users=4")
    for line in ("save A-1 Pilot", "propose D-1", "approve D-1", "save A-1 Draft"):
        shell.asks(line)
    return shell


def test_approved_decisions_are_checked_and_no_others(shell) -> None:
    # Approved a moment ago: not due for ninety days.
    assert shell.rechecks() == "0 decisions checked.\n"
    assert shell.rechecks("--days", "0") == "D-1 Pilot: nothing changed\n1 decision checked.\n"
    assert (shell.checks(1), shell.checks(2)) == (1, 0)
    assert shell.rechecks("--days", "1") == "0 decisions checked.\n"
    page = shell.asks("history D-1")
    assert "Checked again" in page


def test_it_speaks_the_language_of_the_owner_and_works_where_the_round_is_off(shell) -> None:
    said = shell.rechecks("--days", "0", GPUSIZE_LANG="es", GPUSIZE_RECHECK_DAYS="off")
    assert said == "D-1 Pilot: nada cambió\n1 decisión comprobada.\n"


@pytest.mark.parametrize("days", ["-1", "3651", "soon", "1.5"])
def test_days_that_are_none_are_refused(tmp_path, days) -> None:
    refused = Shell(tmp_path).run("bot.__main__", "recheck", f"--days={days}")
    assert refused.returncode == 2
    assert "is not a number of days up to 3650" in refused.stderr


def test_a_log_that_cannot_be_opened_is_said(tmp_path) -> None:
    shell = Shell(tmp_path)
    shell.database.write_bytes(b"no database" * 100)
    refused = shell.run("bot.__main__", "recheck")
    assert refused.returncode == 1
    assert str(shell.database) in refused.stderr
    assert "Traceback" not in refused.stderr
