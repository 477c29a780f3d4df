"""sqlite-utils over a connection of ours, without what it only offers."""

from __future__ import annotations

import sqlite3
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database


def database_over(connection: sqlite3.Connection) -> Database:
    """Return the connection with the methods of sqlite-utils, which is loaded for it."""
    # Plug-ins belong to the sqlite-utils command line, not to this file.
    return _database_class()(connection, execute_plugins=False)


def _database_class() -> type[Database]:
    """Return `sqlite_utils.Database`, loaded without NumPy.

    Where NumPy is installed, sqlite-utils loads it to name the column types of its values: a tenth
    of a second and 16 MB in every process, for values that no log holds.
    """
    is_absent = "numpy" not in sys.modules
    if is_absent:
        # What Python documents for it: the import of a name that is None here fails.
        sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        from sqlite_utils import Database
    finally:
        if is_absent:
            del sys.modules["numpy"]
    return Database
