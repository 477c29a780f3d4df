"""Say what is wrong with the database in sentences, from what the server and the driver report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import PoolTimeout

from bot.errors import StorageError
from bot.storage.postgres.address import Address

_STATES = {
    "25006": "log_read_only",
    "28000": "log_refused",
    "28P01": "log_refused",
    "3D000": "log_no_database",
    "40001": "log_busy",
    "40P01": "log_busy",
    "42501": "log_no_rights",
    "53100": "log_disk_full",
    "53300": "log_full_house",
    "55P03": "log_busy",
    "57014": "log_slow",
    "57P01": "log_unreachable",
    "57P02": "log_unreachable",
    "57P03": "log_unreachable",
}
"""Sentences by SQLSTATE (appendix A of the PostgreSQL manual)."""

_REFUSALS = {
    r"too many clients already": "log_full_house",
    r"too many connections for": "log_full_house",
    r"remaining connection slots are reserved": "log_full_house",
    r'database ".*" does not exist': "log_no_database",
    r'role ".*" does not exist': "log_refused",
    r"authentication failed": "log_refused",
    r"no password supplied": "log_refused",
    r"no pg_hba\.conf entry": "log_refused",
    r"is not permitted to log in": "log_refused",
}
"""Sentences by the words of a refused connection, for which libpq tells no SQLSTATE.

A server that speaks another language than English is quoted in `log_unreachable` instead.
"""


@contextmanager
def worded(address: Address) -> Iterator[None]:
    """Turn the driver's errors into StorageError; none of them tells the password."""
    try:
        yield
    except psycopg.Error as error:
        detail = address.scrubbed(str(error).removeprefix("connection failed: "))
        code = error_code(error)
        raise StorageError(code, path=address.shown, detail=detail) from error


def error_code(error: psycopg.Error) -> str:
    """Return the code of the sentence that says what an error means."""
    if isinstance(error, PoolTimeout):
        # The database could be reached: all connections of ours were lent.
        return "log_busy"
    if error.sqlstate is not None:
        is_connection = error.sqlstate.startswith("08")
        return "log_unreachable" if is_connection else _STATES.get(error.sqlstate, "log_failed")
    if not isinstance(error, psycopg.OperationalError):
        return "log_failed"
    found = [code for words, code in _REFUSALS.items() if re.search(words, str(error))]
    return found[0] if found else "log_unreachable"
