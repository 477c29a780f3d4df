"""Turn the address of a database into what the driver is given, and into what may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from bot.database_url import is_sound_url, shown_url
from bot.errors import StorageError

DEFAULTS: Mapping[str, str | int] = {
    "connect_timeout": 10,
    "application_name": "gpusize",
    # A server that vanished without a word is noticed after a minute, not after two hours.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""What the driver is told where the address says nothing, times in s, the last one in ms."""


@dataclass(frozen=True)
class Address:
    """Where the database is, and how to enter."""

    parameters: Mapping[str, str | int] = field(repr=False)
    """What libpq is given."""

    shown: str
    """Hosts and database, which people may read."""

    def scrubbed(self, text: str) -> str:
        """Return the first line of `text` without the password, wherever it came from."""
        password = str(self.parameters.get("password") or "")
        line = " ".join(text.split("\n", 1)[0].split())
        return line.replace(password, "***") if password else line


def read_address(url: str) -> Address:
    """Return the parts of `url`; raise StorageError, which quotes none of it, where it has none."""
    scheme, colon, rest = url.partition(":")
    # libpq knows the scheme in small letters alone.
    found = _parsed(scheme.lower() + colon + rest) if is_sound_url(url) else None
    if found is None:
        raise StorageError("log_address")
    # The encoding is ours to choose: all text of the log is Unicode.
    return Address({**DEFAULTS, **found, "client_encoding": "utf8"}, shown_url(url))


def _parsed(url: str) -> Mapping[str, str | int] | None:
    try:
        found = conninfo_to_dict(url)
    except ProgrammingError:
        # What libpq says quotes the address, password and all.
        return None
    return {name: value for name, value in found.items() if value is not None}
