"""The stores that the log is kept in, each real: a file, and a database of a server."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.storage import Log
from bot.storage.stores import open_log

ROOT = Path(__file__).parents[3]


class FakeClock:
    """Clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True)
class Store:
    """A place for a log, and the ways around the program into it."""

    path: Path
    url: str | None = None

    refusals = (sqlite3.IntegrityError, psycopg.IntegrityError)
    """What a writer without our code gets to hear."""

    def open(self, **options: Any) -> Log:
        """Open the log as the program does."""
        return open_log(self.path, self.url, **options)

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement of somebody else."""
        if self.url is None:
            with sqlite3.connect(self.path) as other:
                rows = other.execute(statement).fetchall()
            other.close()
            return rows
        with psycopg.connect(self.url) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def run(self, code: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a program that has the log's place in `path` and `url`, opened by `opened()`."""
        preamble = (
            "import os, sys\n"
            "from pathlib import Path\n"
            "from bot.storage import NewAnswer\n"
            "from bot.storage.stores import open_log\n"
            "def opened():\n"
            "    return open_log(Path(sys.argv[1]), sys.argv[2] or None)\n"
            "def answer(text):\n"
            "    return NewAnswer(user_id='U1', transport='terminal', language='en',\n"
            "                     question=text, answer_json='{}', package_version='0.1.0')\n"
        )
        return subprocess.Popen(
            [sys.executable, "-c", preamble + code, str(self.path), self.url or "", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Return an empty store of each kind."""
    path = tmp_path / "new" / "folder" / "gpusize.db"
    is_file = request.param == "sqlite"
    return Store(path, None if is_file else request.getfixturevalue("postgres_schema"))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
