"""The address of a PostgreSQL database as platforms hand it over, read without a driver."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

SCHEMES = ("postgres", "postgresql")
"""What such an address begins with; Heroku writes the shorter one."""

TLS_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
"""Values of `sslmode` that libpq knows."""

_HOST = re.compile(r"(\[[0-9a-fA-F:.%]+\]|[A-Za-z0-9._%-]*)(:[0-9]{1,5})?", re.ASCII)


def is_postgres_url(text: str) -> bool:
    """Return whether `text` is meant for PostgreSQL."""
    return text.partition("://")[0].lower() in SCHEMES and "://" in text


def is_sound_url(url: str) -> bool:
    """Return whether each part of the address can be what it has to be.

    In a password `/`, `?`, `@` and the like have to be written as `%2F`, `%3F`, `%40`: otherwise a
    part of it would be taken, and shown, for a host or a port.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    hosts = parts.netloc.rpartition("@")[2]
    return (
        is_postgres_url(url)
        and not any(mark in parts.path + parts.netloc.partition("@")[2] for mark in "@#")
        and not parts.fragment
        and parts.path.count("/") <= 1
        and all(map(_is_host, hosts.split(",")))
        and _is_known_mode(parts.query)
    )


def shown_url(url: str) -> str:
    """Return what people may read of a sound address: hosts and database, no user, no password."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))
    hosts = parts.netloc.rpartition("@")[2] or given.get("host", "") or "localhost"
    name = unquote(parts.path.lstrip("/")) or given.get("dbname", "")
    return f"{hosts}/{name}" if name else hosts


def _is_host(text: str) -> bool:
    match = _HOST.fullmatch(text)
    return match is not None and int((match[2] or ":1")[1:]) <= 65535


def _is_known_mode(query: str) -> bool:
    return dict(parse_qsl(query)).get("sslmode", "prefer") in TLS_MODES
