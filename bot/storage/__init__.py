"""Keep what was asked and answered: the log's values, and what every log promises."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.archive.store import ArchiveStore
from bot.decisions.store import DecisionStore

if TYPE_CHECKING:
    from bot.ticks import Tick, TickClick

SEEN_FOR_S = 24 * 3600.0
"""How long a delivery is remembered, s; Slack repeats an event for about five minutes."""

MOST_WORDS = 20
"""Different words of a query that are looked for."""


@dataclass(frozen=True, kw_only=True)
class NewAnswer:
    """An answer or an error, before the log has given it an id."""

    enterprise_id: str | None = None
    """Slack Enterprise organisation, where there is one."""

    team_id: str | None = None
    """Slack workspace; None for the terminal."""

    user_id: str
    """Who asked: Slack user id, or the account name in the terminal."""

    user_name: str | None = None
    """Name people read."""

    channel_id: str | None = None
    """Slack conversation; None for the terminal."""

    transport: str
    """Way the question came in."""

    language: str
    """Language of the answer, ISO 639-1."""

    is_private: bool = False
    """Whether only the asker may see it."""

    question: str
    """Words as they were typed."""

    request_json: str | None = None
    """Question as understood, JSON; None when it was not."""

    answer_json: str | None = None
    """Answer, JSON; None when there was none."""

    error_code: str | None = None
    """Code of the error given instead of an answer."""

    package_version: str
    """Program that answered."""

    catalogue_digest: str | None = None
    """Digest of the catalogue it answered from."""


@dataclass(frozen=True, kw_only=True)
class LoggedAnswer(NewAnswer):
    """An answer or an error as the log keeps it."""

    id: str
    """`A-` and a number without leading zeros."""

    at: str
    """Moment it was logged, ISO 8601, UTC."""


class Log(DecisionStore, ArchiveStore, Protocol):
    """Append-only record of answers and decisions; every method may be called from any thread."""

    def record_answer(self, answer: NewAnswer) -> str:
        """Keep `answer` and return its id; once this returns, no crash loses it."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """Return a context in which answers are kept at its end, all or none.

        Other writers wait until then.
        """
        ...

    def get_answer(
        self,
        answer_id: str,
        *,
        team_id: str | None,
        enterprise_id: str | None = None,
        viewer: str | None = None,
        channel: str | None = None,
    ) -> LoggedAnswer | None:
        """Return one answer, `A-12`, `a-12` or `12`; None where there is none to be seen.

        A `viewer` sees what they asked themselves, and what others asked in `channel` and not in
        private: an id does not tell whether a conversation is open to all. Without a `team_id`
        they see what came without one from the organisation `enterprise_id`.

        `viewer` None is the owner of the machine, who sees all of `team_id`, or of every workspace.
        """
        ...

    def list_answers(
        self,
        *,
        team_id: str | None,
        enterprise_id: str | None = None,
        query: str = "",
        user: str | None = None,
        viewer: str | None = None,
        channel: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> tuple[LoggedAnswer, ...]:
        """Return answers, newest first, whose question or model holds every word of `query`.

        Words beyond the first MOST_WORDS different ones are not looked for. Who sees what is as in
        `get_answer`.
        """
        ...

    def first_seen(self, key: str, *, window_s: float = SEEN_FOR_S) -> bool:
        """Return True the first time `key` comes within `window_s` seconds, False after that."""
        ...

    def release_seen(self, key: str) -> None:
        """Forget `key`, so that a delivery whose work failed can be tried again."""
        ...

    def ticks_of(self, answer_id: str) -> tuple[Tick, ...]:
        """Return all changes of an answer's checklist, oldest first.

        Who may see the answer is for the caller to ask, with `get_answer`.
        """
        ...

    def record_ticks(self, click: TickClick) -> tuple[Tick, ...]:
        """Keep what a click changes and return all changes of that checklist, oldest first.

        Two clicks at once are taken one after the other, and the second is about what the first
        has left: what it does not know of stays. The same click twice changes nothing more.
        """
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...


def answer_id(number: int) -> str:
    """Return the id people read, `A-12`."""
    return f"A-{number}"


def answer_number(text: str) -> int | None:
    """Return the number in `A-12`, `a-12` or `12`; None for anything else."""
    match = re.fullmatch(r"(?:a-?)?([1-9][0-9]{0,17})", text.strip(), re.IGNORECASE | re.ASCII)
    return int(match[1]) if match else None
