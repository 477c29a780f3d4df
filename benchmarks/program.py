"""Measure the program as a whole: cold starts, acknowledgements, CPU time, memory.

Prints a table of medians beside their aims; ratios compare with a bot that posts a fixed message.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.workspace import Workspace

STARTS = 11
COMMANDS = 100
PATIENCE_S = 30
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
QUESTION = "/gpusize llama-13b int8"


@dataclass(frozen=True)
class Load:
    """What a bot did with a row of commands."""

    ack_ms: float
    posted_ms: float
    cpu_ms: float
    idle_mb: float


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        env = _environment(Path(folder))
        version_s = _median_s([_gpusize(), "--version"], env)
        answer_s = _median_s([_gpusize(), "llama-13b", "int8"], env)
        ours = _measure(["-m", "bot"], env)
        fixed = _measure([str(Path(__file__).parent / "fixed_listener.py")], env)
    rows = [
        ("cold start of `gpusize --version`", f"{version_s:.3f} s", "0.15 s"),
        ("cold start of a first answer", f"{answer_s:.2f} s", "0.5 s"),
        ("acknowledgement, Socket Mode round trip", f"{ours.ack_ms:.1f} ms", ""),
        ("... of the fixed message", f"{fixed.ack_ms:.1f} ms", ""),
        ("message posted after", f"{ours.posted_ms:.0f} ms", ""),
        ("... of the fixed message", f"{fixed.posted_ms:.0f} ms", ""),
        ("CPU time of a command", f"{ours.cpu_ms:.1f} ms", ""),
        ("... of the fixed message", f"{fixed.cpu_ms:.1f} ms", ""),
        ("CPU time, ratio", f"{ours.cpu_ms / fixed.cpu_ms:.2f}", "2"),
        ("memory of the idle bot", f"{ours.idle_mb:.0f} MB", "90 MB"),
    ]
    print("| what | median | aim |\n|---|--:|--:|")
    for what, median, aim in rows:
        print(f"| {what} | {median} | {aim} |")


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return kept | {"GPUSIZE_DB": str(folder / "gpusize.db")}


def _gpusize() -> str:
    return str(Path(sys.executable).parent / "gpusize")


def _median_s(command: list[str], env: dict[str, str]) -> float:
    return statistics.median(_timed(lambda: _quiet(command, env)) for _ in range(STARTS))


def _quiet(command: list[str], env: dict[str, str]) -> None:
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)


def _timed(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _measure(arguments: list[str], env: dict[str, str]) -> Load:
    with Workspace() as workspace, _program(arguments, _joined(env, workspace)) as process:
        workspace.wait_for_socket(PATIENCE_S)
        time.sleep(1)
        idle_mb = _resident_mb(process.pid)
        _ask(workspace, 5)
        before_ms = _cpu_ms(process.pid)
        acks, posts = _ask(workspace, COMMANDS)
        cpu_ms = (_cpu_ms(process.pid) - before_ms) / COMMANDS
    return Load(statistics.median(acks), statistics.median(posts), cpu_ms, idle_mb)


def _joined(env: dict[str, str], workspace: Workspace) -> dict[str, str]:
    return env | {
        "SLACK_BOT_TOKEN": workspace.bot_token,
        "SLACK_APP_TOKEN": workspace.app_token,
        "SLACK_API_URL": workspace.api_url,
    }


def _ask(workspace: Workspace, times: int) -> tuple[list[float], list[float]]:
    """Ask one question after the other; return times to the ack and to the message, ms."""
    ben = workspace.user("ben")
    acks, posts = [], []
    for _ in range(times):
        seen = len(ben.sees())
        started = time.perf_counter()
        delivery = ben.types(QUESTION)
        workspace.wait_for(lambda seen=seen: len(ben.sees()) > seen, PATIENCE_S)
        posts.append((time.perf_counter() - started) * 1000)
        acks.append(delivery.ack_ms)
    return acks, posts


@contextmanager
def _program(arguments: list[str], env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, *arguments], env=env)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _cpu_ms(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S * 1000


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("VmRSS"))
    return int(kilobytes) / 1000


if __name__ == "__main__":
    main()
