"""Read what the environment says about where the log is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bot.credentials import Environment, asks_for_slack, variable
from bot.database_url import is_postgres_url, is_sound_url
from bot.errors import CodedError

URL_VARIABLE = "DATABASE_URL"
"""Variable in which platforms put the address of a database that is attached to a program."""

FILE_VARIABLE = "GPUSIZE_DB"
"""Variable of our own that names the log's file, or the address of a database."""


@dataclass(frozen=True)
class StoreSettings:
    """Where the log is kept."""

    path: Path
    """File, unless there is an address."""

    url: str | None = field(default=None, repr=False)
    """Address of a PostgreSQL database with its password; None for the file."""


def store_settings(environ: Environment) -> StoreSettings:
    """Return the log of the bot and of the terminal: `DATABASE_URL`, else what `GPUSIZE_DB` names.

    A `DATABASE_URL` of another kind of database is not meant for this program.
    """
    url = variable(environ, URL_VARIABLE)
    is_attached = url is not None and is_postgres_url(url)
    return StoreSettings(_path(environ), url if is_attached else _named_url(environ))


def workspace_store(environ: Environment) -> StoreSettings:
    """Return the local workspace's log: what `GPUSIZE_DB` names, else a file beside the real one.

    What people try out there is not to stand among the answers they gave, nor in the database that
    a platform has attached.
    """
    path = _path(environ)
    is_named = bool(variable(environ, FILE_VARIABLE))
    return StoreSettings(path if is_named else path.with_name("workspace.db"), _named_url(environ))


def store_problems(environ: Environment) -> Iterator[CodedError]:
    """Yield what is wrong with the address of the database, which is not quoted."""
    attached, url = variable(environ, URL_VARIABLE), store_settings(environ).url
    is_foreign = attached is not None and not is_postgres_url(attached)
    # Without Slack, the address of another program's database does not concern this one.
    if is_foreign and asks_for_slack(environ):
        yield CodedError("database_url", name=URL_VARIABLE)
    elif url is not None and not is_sound_url(url):
        yield CodedError("database_url", name=URL_VARIABLE if url == attached else FILE_VARIABLE)


def _path(environ: Environment) -> Path:
    """Return the file in `GPUSIZE_DB`, else `gpusize/gpusize.db` among the user's data."""
    named = variable(environ, FILE_VARIABLE)
    if named and not is_postgres_url(named):
        return Path(named).expanduser().absolute()
    data = Path(variable(environ, "XDG_DATA_HOME") or "")
    # The XDG rules ignore a relative folder: it would mean another one in every directory.
    if not data.is_absolute():
        data = Path(variable(environ, "HOME") or Path.home()) / ".local" / "share"
    return data / "gpusize" / "gpusize.db"


def _named_url(environ: Environment) -> str | None:
    named = variable(environ, FILE_VARIABLE)
    return named if named and is_postgres_url(named) else None
