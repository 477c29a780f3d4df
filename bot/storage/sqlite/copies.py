"""Copy a log's file while it is in use, and put a copy back in its place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.errors import StorageError
from bot.log_schema import APPLICATION_ID, SCHEMA_VERSION
from bot.storage.sqlite.faults import is_busy, worded_file


@dataclass(frozen=True)
class Copied:
    """A copy that was checked."""

    path: Path
    """Its file."""

    answers: int
    """Answers in it."""

    decisions: int
    """Decisions in it."""

    aside: Path | None = None
    """File of the log that it has replaced."""


def back_up(log: Path, copy: Path, *, busy_s: float = 10.0) -> Copied:
    """Copy the log into a new file, whoever writes it meanwhile; raise StorageError where not."""
    _check_is_log(log)
    if copy.exists():
        raise StorageError("backup_exists", path=str(copy))
    with _part_of(copy) as part:
        _copy(log, part, busy_s=busy_s)
        counts = _checked(part)
        try:
            # A link, not a move: a file that has come meanwhile is never overwritten.
            os.link(part, copy)
        except FileExistsError as error:
            raise StorageError("backup_exists", path=str(copy)) from error
    return Copied(copy, *counts)


def restore(copy: Path, log: Path, *, at: datetime, busy_s: float = 1.0) -> Copied:
    """Put a copy in the place of the log, and keep that one aside.

    Raise StorageError where the copy is none or damaged, or where a process holds the log.
    """
    _check_is_log(copy)
    log.parent.mkdir(parents=True, exist_ok=True)
    with _part_of(log) as part:
        _copy(copy, part, busy_s=busy_s)
        counts = _checked(part)
        if not log.exists():
            # What a file that is gone has left behind would be taken for the new one's.
            _remove_beside(log)
            part.replace(log)
            return Copied(copy, *counts)
        aside = log.with_name(f"{log.name}.before-{at:%Y%m%dT%H%M%SZ}")
        with _alone(log, busy_s=busy_s):
            _keep_aside(log, aside)
            part.replace(log)
    return Copied(copy, *counts, aside=aside)


def _check_is_log(path: Path) -> None:
    if not path.is_file():
        raise StorageError("backup_missing", path=str(path))
    with (
        worded_copy(path),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as db,
    ):
        identity = db.execute("pragma application_id").fetchone()[0]
        version = db.execute("pragma user_version").fetchone()[0]
    if identity != APPLICATION_ID:
        raise StorageError("log_not_a_log", path=str(path))
    if version > SCHEMA_VERSION:
        raise StorageError("log_newer", path=str(path), found=version, known=SCHEMA_VERSION)


@contextmanager
def worded_copy(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about a copy into StorageError, damage by its own name."""
    try:
        with worded_file(path):
            yield
    except StorageError as error:
        cause = error.__cause__
        name = getattr(cause, "sqlite_errorname", "")
        if name == "SQLITE_NOTADB":
            raise StorageError("log_not_a_log", path=str(path)) from error
        if name.startswith("SQLITE_CORRUPT"):
            raise StorageError("backup_broken", path=str(path), detail=str(cause)) from error
        raise


@contextmanager
def _part_of(path: Path) -> Iterator[Path]:
    """Yield a new file beside `path` that only its owner reads; it is gone afterwards."""
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise StorageError("backup_unwritable", path=str(path), detail=str(error)) from error
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)
        _remove_beside(part)


def _remove_beside(path: Path) -> None:
    """Remove what SQLite keeps beside a file while it is open."""
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _copy(source: Path, target: Path, *, busy_s: float) -> None:
    with (
        worded_copy(source),
        closing(sqlite3.connect(source, timeout=busy_s)) as old,
        closing(sqlite3.connect(target, isolation_level=None)) as new,
    ):
        # At one moment: in steps, each write of the bot would begin it anew.
        old.backup(new)
        # The one who opens it later finds its write-ahead log switched on, as in every log.
        new.execute("pragma journal_mode = wal")


def _checked(path: Path) -> tuple[int, int]:
    """Return the answers and decisions in a copy; raise StorageError where it is not whole."""
    with worded_copy(path), closing(sqlite3.connect(path)) as db:
        [found] = db.execute("pragma integrity_check(1)").fetchone()
        if found != "ok":
            raise StorageError("backup_broken", path=str(path), detail=str(found))
        [answers] = db.execute("select count(*) from answers").fetchone()
        is_new = db.execute("select 1 from sqlite_master where name = 'decisions'").fetchone()
        [decisions] = db.execute("select count(*) from decisions").fetchone() if is_new else [0]
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return int(answers), int(decisions)


@contextmanager
def _alone(log: Path, *, busy_s: float) -> Iterator[None]:
    """Hold the log so that nobody else has it open; raise StorageError where somebody has."""
    with closing(sqlite3.connect(log, timeout=busy_s, isolation_level=None)) as db:
        try:
            # Everybody who has the file open in this mode holds a lock that leaving it needs.
            db.execute("pragma journal_mode = delete")
            db.execute("begin exclusive")
        except sqlite3.Error as error:
            code = "backup_in_use" if is_busy(error) else "log_failed"
            raise StorageError(code, path=str(log), detail=str(error)) from error
        try:
            yield
        except BaseException:
            db.rollback()
            db.execute("pragma journal_mode = wal")
            raise
        db.rollback()


def _keep_aside(log: Path, aside: Path) -> None:
    try:
        os.link(log, aside)
    except OSError as error:
        raise StorageError("backup_unwritable", path=str(aside), detail=str(error)) from error
