"""Read what the environment says about where the log is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.database_url import is_postgres_url

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


def store_settings(environ: Mapping[str, str]) -> StoreSettings:
    """Return the log of the bot and of the terminal: `DATABASE_URL`, else what `GPUSIZE_DB` names.

    A `DATABASE_URL` of another kind of database is not meant for this program.
    """
    url = _value(environ, URL_VARIABLE)
    return StoreSettings(_path(environ), url if is_postgres_url(url) else _named_url(environ))


def workspace_store(environ: Mapping[str, str]) -> StoreSettings:
    """Return the local workspace's log: what `GPUSIZE_DB` names, else a file beside the real one.

    What people try out there is not to stand among the answers they gave, nor in the database that
    a platform has attached.
    """
    path = _path(environ)
    is_named = bool(_value(environ, FILE_VARIABLE))
    return StoreSettings(path if is_named else path.with_name("workspace.db"), _named_url(environ))


def foreign_url(environ: Mapping[str, str]) -> bool:
    """Return whether `DATABASE_URL` is the address of something else than PostgreSQL."""
    url = _value(environ, URL_VARIABLE)
    return bool(url) and not is_postgres_url(url)


def _path(environ: Mapping[str, str]) -> Path:
    """Return the file in `GPUSIZE_DB`, else `gpusize/gpusize.db` among the user's data."""
    named = _value(environ, FILE_VARIABLE)
    if named and not is_postgres_url(named):
        return Path(named).expanduser().absolute()
    data = Path(_value(environ, "XDG_DATA_HOME"))
    # The XDG rules ignore a relative folder: it would mean another one in every directory.
    if not data.is_absolute():
        data = Path(_value(environ, "HOME") or Path.home()) / ".local" / "share"
    return data / "gpusize" / "gpusize.db"


def _named_url(environ: Mapping[str, str]) -> str | None:
    named = _value(environ, FILE_VARIABLE)
    return named if is_postgres_url(named) else None


def _value(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()
