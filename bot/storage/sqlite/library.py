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


NEEDLESS = ("numpy", "pandas")
"""What sqlite-utils loads where it is installed, to name the column types of its values.

The first takes a tenth of a second and 16 MB in every process, the second ten times that, for
values that no log holds.
"""


def _database_class() -> type[Database]:
    """Return `sqlite_utils.Database`, loaded without what no log needs."""
    absent = [name for name in NEEDLESS if name not in sys.modules]
    # What Python documents for it: the import of a name that is None here fails.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        from sqlite_utils import Database
    finally:
        for name in absent:
            del sys.modules[name]
    return Database
