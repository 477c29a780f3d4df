"""What only a log in a file can meet."""

import sqlite3

import pytest

from bot.errors import StorageError
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog

ANSWER = NewAnswer(
    user_id="U1", transport="terminal", language="en", question="7b", package_version="9.9.9"
)


def test_a_file_that_stays_locked_is_named(tmp_path):
    path = tmp_path / "gpusize.db"
    log = SqliteLog(path, busy_s=0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(StorageError) as caught:
        log.record_answer(ANSWER)
    other.close()
    assert (caught.value.code, caught.value.values["path"]) == ("log_busy", str(path))
    assert log.record_answer(ANSWER) == "A-1"
    log.close()
