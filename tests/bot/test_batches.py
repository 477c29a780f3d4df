"""Many lines at once: in order, in few transactions, none shown before it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.batches import answered
from bot.errors import StorageError
from bot.render import Renderer
from bot.reply import Asker, Reply, ReplyKind, Transport
from bot.service import Service
from bot.storage import NewAnswer
from bot.storage.sqlite import SqliteLog
from bot.wordless import Unannounced, Wordless
from sizing.catalogue import Catalogue

ASKER = Asker("ben", None, Transport.TERMINAL)


class Counting:
    """A log that counts its transactions."""

    def __init__(self) -> None:
        self.events: list[str] = []

    @contextmanager
    def together(self) -> Iterator[None]:
        self.events.append("begin")
        yield
        self.events.append("commit")

    def answer(self, line: str) -> Reply:
        if line == "full":
            raise StorageError("log_busy", path="a.db")
        self.events.append(line)
        return Reply(ReplyKind.HELP, line, "en")


def shown(log: Counting, lines: list[str], group_s: float) -> list[str]:
    found = []
    for reply in answered(lines, log.answer, log, group_s=group_s):
        log.events.append(f"show {reply.markdown}")
        found.append(reply.markdown)
    return found


def test_lines_of_a_moment_share_a_transaction() -> None:
    log = Counting()
    assert shown(log, ["a", "b", "c"], group_s=60) == ["a", "b", "c"]
    assert log.events == ["begin", "a", "b", "c", "commit", "show a", "show b", "show c"]


def test_without_a_moment_each_line_is_shown_at_once() -> None:
    log = Counting()
    assert shown(log, ["a", "b"], group_s=0) == ["a", "b"]
    assert log.events[:8] == ["begin", "a", "commit", "show a", "begin", "b", "commit", "show b"]


def test_no_transaction_waits_for_the_next_line() -> None:
    """Somebody may be typing it: others write to the log meanwhile."""
    log = Counting()

    def typed() -> Iterator[str]:
        for line in ("a", "b"):
            log.events.append(f"type {line}")
            yield line

    found = [reply.markdown for reply in answered(typed(), log.answer, log, group_s=0)]
    assert found == ["a", "b"]
    assert log.events == ["type a", "begin", "a", "commit", "type b", "begin", "b", "commit"]


def test_what_was_kept_before_the_log_failed_is_shown() -> None:
    log = Counting()
    with pytest.raises(StorageError):
        shown(log, ["a", "full", "b"], group_s=60)
    assert log.events == ["begin", "a", "commit", "show a"]


def row(question: str) -> NewAnswer:
    return NewAnswer(
        user_id="ben", transport="terminal", language="en", question=question, answer_json="{}",
        package_version="1",
    )  # fmt: skip


def _broken_off(log: SqliteLog) -> None:
    with log.together():
        assert log.record_answer(row("three")) == "A-3"
        raise RuntimeError


def test_a_group_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    log = SqliteLog(path)
    with log.together():
        first, second = log.record_answer(row("one")), log.record_answer(row("two"))
        assert SqliteLog(path).get_answer(first, team_id=None) is None
    assert SqliteLog(path).get_answer(second, team_id=None).question == "two"
    with pytest.raises(RuntimeError):
        _broken_off(log)
    assert log.get_answer("A-3", team_id=None) is None
    assert log.record_answer(row("four")) == "A-3"
    assert SqliteLog(path).get_answer("A-3", team_id=None).question == "four"


def test_a_terminal_is_told_no_sentence_for_notifications(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    full, plain = (
        Service(catalogue, SqliteLog(tmp_path / f"{number}.db"), writer(catalogue))
        for number, writer in enumerate((Renderer, Unannounced))
    )
    for question in ("llama-13b int8", "fits 2xl40s"):
        expected, found = (each.handle(question, ASKER, None) for each in (full, plain))
        assert expected.summary
        assert found.summary == ""
        assert found.markdown == expected.markdown


def test_without_words_the_json_is_the_same(catalogue: Catalogue, tmp_path: Path) -> None:
    """Pages of answers are empty; help and errors are not."""
    service = Service(catalogue, SqliteLog(tmp_path / "a.db"), Wordless(catalogue))
    answer = service.handle("llama-13b int8", ASKER, None)
    assert (answer.markdown, answer.summary, answer.answer_id) == ("", "", "A-1")
    assert answer.answer is not None
    listed = service.handle("fits 2xl40s", ASKER, None)
    assert (listed.markdown, listed.summary) == ("", "")
    assert listed.data["models"]
    assert "I don't know" in service.handle("foo-bar-9000", ASKER, None).markdown
    assert "llama-13b int8" in service.handle("help", ASKER, None).markdown
