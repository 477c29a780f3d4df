"""Run the commands shown in the documentation and put what they print below them.

`python tools/console_blocks.py README.md` rewrites the file; the tests compare.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path

from sizing.catalogue import load_catalogue

BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)

ANSWERED = (0, 2)
"""Exit statuses worth showing: an answer, and a question that was not understood."""


def refreshed(text: str) -> str:
    """Return `text` with the output below each command of its console blocks made anew."""
    with tempfile.TemporaryDirectory() as folder:
        environ = os.environ | {
            "GPUSIZE_DB": str(Path(folder) / "log.db"),
            "GPUSIZE_LANG": "en",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "SOURCE_DATE_EPOCH": catalogue_moment(),
        }
        return BLOCK.sub(lambda block: _block(block[0], environ), text)


def catalogue_moment() -> str:
    """Return the day of the catalogue in seconds since 1970: prices do not age in a page."""
    day = date.fromisoformat(load_catalogue().stamp.date)
    return str(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()))


def _block(block: str, environ: dict[str, str]) -> str:
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{_output(command, environ)}" for command in commands)


def _output(command: str, environ: dict[str, str]) -> str:
    program, *words = shlex.split(command)
    done = subprocess.run(
        [Path(sys.executable).parent / program, *words],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode not in ANSWERED:
        raise RuntimeError(f"{command}: exit status {done.returncode}\n{done.stderr}")
    lines = (done.stdout + done.stderr).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def main(names: list[str]) -> int:
    """Rewrite the files of those names."""
    for path in map(Path, names):
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
