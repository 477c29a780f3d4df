"""What the owner of a log does to it as a whole: import, copy, restore, forget, prune."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bot.credentials import Environment
from bot.database_url import shown_url
from bot.errors import CodedError
from bot.messages import load_messages
from bot.settings import language
from bot.store_settings import store_settings

if TYPE_CHECKING:
    from bot.storage.log import StoredLog
    from bot.storage.sqlite.copies import Copied
    from sizing.answer import NoteValue

Said: TypeAlias = "list[tuple[str, dict[str, NoteValue]]]"
"""Codes of sentences, with their values."""

_AGE: Final = re.compile(r"([1-9][0-9]{0,4})d?", re.ASCII)


def add_commands(commands: Any) -> None:  # noqa: ANN401 (argparse names no type for it)
    """Add the commands to the parser."""
    read = commands.add_parser("import", help="add the decisions of a file written by export")
    read.add_argument("file", type=Path, help="file of JSON lines")
    read.add_argument("--dry-run", action="store_true", help="only say what would be added")
    copied = commands.add_parser("backup", help="copy the log while the bot runs")
    copied.add_argument("file", type=Path, help="new file for the copy")
    back = commands.add_parser("restore", help="put a copy in the place of the log")
    back.add_argument("file", type=Path, help="copy that `backup` made")
    forgotten = commands.add_parser("forget", help="replace a person by a pseudonym everywhere")
    forgotten.add_argument("--user", required=True, help="id of the person: U0123, or a login name")
    forgotten.add_argument("--team", help="workspace, T0123; without it, all of them")
    pruned = commands.add_parser("prune", help="take out old answers that no decision rests on")
    pruned.add_argument(
        "--older-than", type=_age, required=True, metavar="730d", help="age in days"
    )


def is_upkeep(command: str | None) -> bool:
    """Return whether a command is one of these."""
    return command in _COMMANDS


def keep_up(options: argparse.Namespace, environ: Environment) -> str:
    """Do what a command says and return the sentences about it; raise BotError where it cannot."""
    messages = load_messages(language(environ))
    said = _COMMANDS[options.command](options, environ)
    return "\n".join(messages.label("archive", code, **values) for code, values in said)


def _import(options: argparse.Namespace, environ: Environment) -> Said:
    from bot.archive.reading import read_lines

    try:
        with options.file.open("rb") as raw:
            lines = read_lines(raw)
    except OSError as error:
        raise CodedError("file_unreadable", path=str(options.file)) from error
    with _log(environ) as log:
        added = log.absorb(lines, dry_run=options.dry_run)
    return [("would_import" if options.dry_run else "imported", asdict(added))]


def _backup(options: argparse.Namespace, environ: Environment) -> Said:
    from bot.storage.sqlite.copies import back_up

    copied = back_up(_file(environ, "backup_postgres"), options.file)
    return [("backed_up", _counts(copied))]


def _restore(options: argparse.Namespace, environ: Environment) -> Said:
    from bot.storage.sqlite.copies import restore

    copied = restore(options.file, _file(environ, "restore_postgres"), at=datetime.now(UTC))
    said: Said = [("restored", _counts(copied))]
    return said if copied.aside is None else [*said, ("set_aside", {"path": str(copied.aside)})]


def _forget(options: argparse.Namespace, environ: Environment) -> Said:
    with _log(environ) as log:
        return [("forgotten", asdict(log.forget(options.user, team_id=options.team)))]


def _prune(options: argparse.Namespace, environ: Environment) -> Said:
    from bot.retention import before

    bound = before(datetime.now(UTC), options.older_than)
    with _log(environ) as log:
        return [("pruned", asdict(log.prune(bound)))]


_COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace, Environment], Said]]] = {
    "import": _import,
    "backup": _backup,
    "restore": _restore,
    "forget": _forget,
    "prune": _prune,
}


def _counts(copied: Copied) -> dict[str, NoteValue]:
    return {"path": str(copied.path), "answers": copied.answers, "decisions": copied.decisions}


@contextmanager
def _log(environ: Environment) -> Iterator[StoredLog]:
    from bot.storage.stores import open_log

    store = store_settings(environ)
    with closing(open_log(store.path, store.url)) as log:
        yield log


def _file(environ: Environment, hint: str) -> Path:
    """Return the log's file; raise CodedError with what to type where it is in a database."""
    store = store_settings(environ)
    if store.url is not None:
        raise CodedError(hint, store=shown_url(store.url))
    return store.path


def _age(text: str) -> timedelta:
    found = _AGE.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not an age in days such as 730d")
    return timedelta(days=int(found[1]))
