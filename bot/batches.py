"""Answer many lines, those of one moment in one transaction of the log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from bot.errors import CodedError, StorageError

if TYPE_CHECKING:
    from bot.reply import Answers, Reply

GROUP_S = 0.25
"""Time after which what was answered is written to the disk and shown, s: other programs that
share the log wait no longer than that."""


def lines_of(path: str) -> Iterator[str]:
    """Yield the lines of a file of questions, or of standard input for `-`, as they come."""
    if path == "-":
        yield from sys.stdin
        return
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as questions:
            yield from questions
    except OSError as error:
        raise CodedError("file_unreadable", path=path) from error


def answered(
    lines: Iterable[str],
    answer: Callable[[str], Reply],
    service: Answers,
    *,
    group_s: float = GROUP_S,
) -> Iterator[Reply]:
    """Yield the reply to each line in order, none before it is in the log for good.

    Raises StorageError where the log fails, after the replies that it took.
    """
    waiting = iter(lines)
    # Who types a line, or pipes it when it is ready, must not hold up all who write to the log.
    for first in waiting:
        replies: list[Reply] = []
        failure: StorageError | None = None
        with service.together():
            try:
                together = chain([first], waiting)
                _fill(replies, together, answer, until_s=monotonic() + group_s)
            except StorageError as error:
                failure = error
        yield from replies
        if failure is not None:
            raise failure


def _fill(
    replies: list[Reply],
    waiting: Iterator[str],
    answer: Callable[[str], Reply],
    *,
    until_s: float,
) -> None:
    """Answer lines until a moment; what the moment leaves stays in `waiting`."""
    for line in waiting:
        replies.append(answer(line))
        if monotonic() >= until_s:
            return
