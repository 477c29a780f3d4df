"""A PostgreSQL server of one's own, in a folder that is thrown away: for tests, and to try out.

`python tools/postgres_server.py` prints the address of an empty database and keeps it until its
standard input ends. PostgreSQL refuses to run as root: root lends it the account of Debian's
package, or the one of nobody. Whoever started it may be killed: the server ends all the same, since
its keeper, this program, sees the end of its standard input.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

USER, PASSWORD = "gpusize", "not-a-secret"
BINARIES = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs, in a folder for each release."""

OPTIONS = ("fsync=off", "full_page_writes=off", "max_connections=50", "max_wal_senders=0")
"""Settings: nothing has to outlive a power cut."""

PATIENCE_S = 60


def program(name: str) -> Path | None:
    """Return the path of one of PostgreSQL's programs, newest release first; None without any."""
    releases = sorted(BINARIES.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which(name)
    found = [*([Path(on_path)] if on_path else []), *reversed(releases)]
    return found[0] if found else None


class PostgresServer:
    """A server under the care of a keeper; `close` ends both and removes the folder."""

    def __init__(self) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.address = self._answer()

    def url(self, database: str = "postgres", *, password: str = PASSWORD, user: str = USER) -> str:
        """Return the address of a database, as Heroku writes it."""
        return f"postgres://{user}:{password}@{self.address}/{database}"

    def stop(self) -> None:
        """Cut all connections and stop the server; it keeps its folder and its port."""
        self._ask("stop")

    def start(self) -> None:
        """Start the server again."""
        self._ask("start")

    def crash(self) -> None:
        """End the server as a crash does, and start it again: it recovers from its log."""
        self._ask("crash")

    def close(self) -> None:
        """Stop the server for good."""
        self._keeper.communicate(timeout=PATIENCE_S)

    def _ask(self, word: str) -> None:
        print(word, file=self._keeper.stdin, flush=True)
        self._answer()

    def _answer(self) -> str:
        answer = self._keeper.stdout.readline().strip() if self._keeper.stdout else ""
        if not answer:
            raise RuntimeError("the PostgreSQL server did not start: its words stand above")
        return answer


class _Keeper:
    """Runs the server in `folder` as an account that may."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._port = _free_port()
        self._as: dict[str, Any] = {
            "cwd": folder,
            "env": _environment(),
            "stdin": subprocess.DEVNULL,
        }
        if os.geteuid() == 0:
            account = _account()
            os.chown(folder, account.pw_uid, account.pw_gid)
            self._as |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self._make(folder)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the server and wait until it takes connections."""
        self._control("start", "-o", self._options(), "-l", str(self._data / "log"))

    def stop(self) -> None:
        """Cut all connections and stop the server."""
        self._control("stop", "-m", "fast")

    def crash(self) -> None:
        """End the server without a farewell, and start it again."""
        self._control("stop", "-m", "immediate")
        self.start()

    def _options(self) -> str:
        listening = f"-h 127.0.0.1 -p {self._port} -k {self._data.parent}"
        return " ".join((listening, *(f"-c {option}" for option in OPTIONS)))

    def _make(self, folder: Path) -> None:
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run("initdb", "-U", USER, "--pwfile", str(secret), "-A", "scram-sha-256",
                  "-E", "UTF8", "--locale=C", "--no-sync")  # fmt: skip

    def _control(self, *words: str) -> None:
        self._run("pg_ctl", *words, "-w", "-t", str(PATIENCE_S), "-s")

    def _run(self, name: str, *words: str) -> None:
        path = program(name)
        if path is None:
            sys.exit(f"{name} is missing: install PostgreSQL")
        arguments = [str(path), "-D", str(self._data), *words]
        done = subprocess.run(arguments, check=False, stdout=subprocess.DEVNULL, **self._as)
        if done.returncode:
            sys.exit(f"{name} failed with status {done.returncode}")


def _account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def main() -> None:
    """Keep a server until standard input ends, and obey its lines: `stop`, `start`, `crash`."""
    # Ctrl-C is for the one who asked for the server, who then lets go of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="gpusize-pg-", dir="/tmp") as folder:
        keeper = _Keeper(Path(folder))
        keeper.start()
        is_up = True
        try:
            print(keeper.address, flush=True)
            for line in sys.stdin:
                word = line.strip()
                {"stop": keeper.stop, "start": keeper.start, "crash": keeper.crash}[word]()
                is_up = word != "stop"
                print("done", flush=True)
        finally:
            if is_up:
                keeper.stop()


if __name__ == "__main__":
    main()
