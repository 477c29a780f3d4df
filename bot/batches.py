"""Answer many lines, those of one moment in one transaction of the log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

from bot.errors import StorageError

if TYPE_CHECKING:
    from bot.reply import Answers, Reply

GROUP_S = 0.25
"""Time after which what was answered is written to the disk and shown, s: other programs that
share the log wait no longer than that."""


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
    more = True
    while more:
        replies: list[Reply] = []
        failure: StorageError | None = None
        with service.together():
            try:
                more = _fill(replies, waiting, answer, until_s=monotonic() + group_s)
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
) -> bool:
    """Answer lines until a moment; return whether there may be more."""
    for line in waiting:
        replies.append(answer(line))
        if monotonic() >= until_s:
            return True
    return False
